/* request_body.c - takes parameters from the JSON body of a POST: each member is a parameter, and a list stands for
 * repetitions. */
#include "wire/request/request_parser.h"

#include "base/json_check.h"
#include "base/utf8.h"
#include "wire/encode/number.h"
#include "wire/request/request_given.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_DEPTH_MAX = 16 };
#define WHOLE_MAX 9007199254740992.0 /* 2^53: whole numbers up to it are exact in a double */

/* True for one of the types, with or without parameters. It accepts forms, because curl and Python's urllib use that
 * type by default; parsing decides whether the body is JSON. */
static bool is_accepted_type(const char *type)
{
    static const char *const TYPES[] = {"application/json", "application/x-www-form-urlencoded"};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        const size_t size = strlen(TYPES[i]);
        const char *rest = type + size;
        if (strncasecmp(type, TYPES[i], size) != 0)
            continue;
        rest += strspn(rest, " \t");
        return *rest == '\0' || *rest == ';';
    }
    return false;
}

int request_open_body(const struct request_head *head, const struct limits *limits, cJSON **json, struct err *err)
{
    const struct json_rules rules = {.name = "the body",
                                     .depth = BODY_DEPTH_MAX,
                                     .values = limits->value[LIMIT_BODY_VALUES],
                                     .has_blanks = true,
                                     .is_without_nul = true};
    *json = NULL;
    if (head->content_type != NULL && !is_accepted_type(head->content_type))
        return err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE, "the body is '%.80s'; this server takes application/json",
                       head->content_type);
    if (head->body_bytes == 0)
        return err_set(err, ERR_BAD_REQUEST, "a POST needs a JSON object as its body");
    if (!utf8_is_valid(head->body, head->body_bytes))
        return err_set(err, ERR_BAD_REQUEST, "the body is not JSON: it is not valid UTF-8");
    if (json_check(head->body, head->body_bytes, &rules, err) < 0)
        return err->code;
    char *text = malloc(head->body_bytes + 1);
    if (text == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a body of %zu bytes", head->body_bytes);
    memcpy(text, head->body, head->body_bytes);
    text[head->body_bytes] = '\0';
    const char *end = text;
    *json = cJSON_ParseWithLengthOpts(text, head->body_bytes + 1, &end, true);
    int rc = 0;
    if (*json == NULL)
        rc = err_set(err, ERR_BAD_REQUEST, "the body is not JSON at byte %zu", (size_t)(end - text));
    else if (!cJSON_IsObject(*json))
        rc = err_set(err, ERR_BAD_REQUEST, "the body must be a JSON object");
    free(text);
    if (rc < 0) {
        cJSON_Delete(*json);
        *json = NULL;
    }
    return rc;
}

size_t request_body_text_bytes(const cJSON *object)
{
    const cJSON *path[BODY_DEPTH_MAX + 1] = {object->child};
    size_t size_bytes = 0;
    for (int depth = 0; depth >= 0;) {
        const cJSON *item = path[depth];
        if (item == NULL) {
            depth--;
            continue;
        }
        path[depth] = item->next;
        const bool is_pose = depth == 0 && item->string != NULL && strcmp(item->string, "pose") == 0;
        size_bytes += cJSON_IsString(item) ? strlen(item->valuestring) + 1 : NUMBER_SIZE + 1;
        size_bytes += item->string == NULL ? 0 : strlen(item->string) + 1; /* the left side of a rule */
        if (item->child != NULL && depth < BODY_DEPTH_MAX && !is_pose)     /* a pose has memory of its own */
            path[++depth] = item->child;
    }
    return size_bytes;
}

/* Writes a number as in a query; at most NUMBER_SIZE bytes, no NUL. */
static size_t put_number(char *out, double value)
{
    if (fabs(value) < WHOLE_MAX && value == floor(value)) {
        char digits[NUMBER_SIZE];
        const int size = snprintf(digits, sizeof digits, "%.0f", value);
        memcpy(out, digits, (size_t)size);
        return (size_t)size;
    }
    return number_put_double(out, value);
}

static int take_scalar(struct request *request, int param, const cJSON *item, const struct limits *limits,
                       struct err *err)
{
    const char *name = REQUEST_PARAMS[param].name;
    char number[NUMBER_SIZE];
    const char *from = number;
    size_t size_bytes;
    if (cJSON_IsString(item)) {
        from = item->valuestring;
        size_bytes = strlen(from);
    } else if (cJSON_IsNumber(item)) {
        if (!isfinite(item->valuedouble))
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' is a number too large for a double", name);
        size_bytes = put_number(number, item->valuedouble);
    } else if (cJSON_IsBool(item)) {
        from = cJSON_IsTrue(item) ? "true" : "false";
        size_bytes = strlen(from);
    } else {
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' is %s; it must be a text, a number, true or false", name,
                       cJSON_IsNull(item)    ? "null"
                       : cJSON_IsArray(item) ? "a list within a list"
                                             : "an object");
    }
    char *text = request->pose.memory.data + request->pose.memory.size_bytes;
    memcpy(text, from, size_bytes);
    text[size_bytes] = '\0';
    buf_advance(&request->pose.memory, size_bytes + 1);
    return request_take_text(request, param, text, size_bytes, limits, err);
}

/* --- objects within the body --- */

int request_take_object(struct request *part, const cJSON *object, const char *model, const struct limits *limits,
                        struct err *err)
{
    struct param_set seen = {.has[PARAM_MODEL] = model != NULL};
    part->model = model;
    if (request_reserve(part, request_body_text_bytes(object), err) < 0)
        return err->code;
    const int rc = request_take_body(part, object, &seen, limits, err);
    return rc < 0 ? rc : request_complete(part, &seen, NULL, limits, err);
}

static int take_all(struct request *request, const cJSON *object, const struct limits *limits, struct err *err)
{
    return request_take_object(request, object, NULL, limits, err);
}

int request_count_objects(const cJSON *item, const char *name, uint64_t most, struct err *err)
{
    int count = 0;
    const cJSON *entry;
    if (!cJSON_IsArray(item))
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' must be a list of objects", name);
    cJSON_ArrayForEach(entry, item)
    {
        if (!cJSON_IsObject(entry))
            return err_set(err, ERR_BAD_PARAMETER, "%s[%d] is no object", name, count);
        count++;
    }
    if (count == 0 || (uint64_t)count > most)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' has %d entries; it takes 1 to %llu", name, count,
                       (unsigned long long)most);
    return count;
}

struct request_pose request_take_pose(struct request *part)
{
    const struct request_pose pose = part->pose;
    part->pose = (struct request_pose){0};
    request_fini(part);
    return pose;
}

/* Takes a layer or a reference. */
static int take_part(struct request_pose *pose, enum op op, const cJSON *object, const struct limits *limits,
                     struct err *err)
{
    struct request part = {.op = op};
    const int rc = take_all(&part, object, limits, err);
    *pose = request_take_pose(&part);
    return rc;
}

static int take_layers(struct request *request, const cJSON *item, const struct limits *limits, struct err *err)
{
    struct request_pose *of = &request->pose;
    const int count = request_count_objects(item, "layers", limits->value[LIMIT_LAYERS], err);
    if (count < 0)
        return count;
    of->layers = calloc((size_t)count, sizeof *of->layers);
    if (of->layers == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %d layers", count);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, item)
    {
        if (take_part(&of->layers[of->layer_count++], OP_LAYER, entry, limits, err) < 0)
            return err_prefix(err, "layers[%u]", of->layer_count - 1);
    }
    return 0;
}

static int take_reference(struct request *request, const cJSON *item, const struct limits *limits, struct err *err)
{
    struct request_pose *of = &request->pose;
    if (!cJSON_IsObject(item))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'reference' must be an object");
    of->reference = calloc(1, sizeof *of->reference);
    if (of->reference == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a reference pose");
    return take_part(of->reference, OP_REFERENCE, item, limits, err) < 0 ? err_prefix(err, "reference") : 0;
}

/* Takes a query of a batch. frames: the number of frames left for all queries. */
static int take_query(struct request *request, cJSON *object, uint64_t *frames, const struct limits *limits,
                      struct err *err)
{
    cJSON *op = cJSON_DetachItemFromObjectCaseSensitive(object, "op");
    int rc = op == NULL            ? err_set(err, ERR_MISSING_PARAMETER, "a query needs the parameter 'op'")
             : !cJSON_IsString(op) ? err_set(err, ERR_BAD_PARAMETER, "parameter 'op' must be a text")
                                   : op_find_name(op->valuestring, &request->op, err);
    cJSON_Delete(op);
    if (rc < 0)
        return rc;
    if (cJSON_GetObjectItemCaseSensitive(object, "op") != NULL)
        return err_set(err, ERR_DUPLICATE_PARAMETER, "parameter 'op' is given twice; it may be given once");
    rc = take_all(request, object, limits, err);
    if (rc == 0 && request->format != FORMAT_JSON)
        rc = err_set(err, ERR_BAD_PARAMETER, "parameter 'format': answers in a batch are JSON");
    if (rc == 0 && request->pose.time_count > *frames)
        rc = err_set(err, ERR_TOO_MANY_FRAMES, "the queries of one batch ask for more than %llu times",
                     (unsigned long long)limits->value[LIMIT_FRAMES]);
    *frames -= rc == 0 ? request->pose.time_count : 0;
    return rc;
}

/* Takes the queries of a batch. An error in a query becomes its own answer and does not affect the others. */
static int take_queries(struct request *request, const cJSON *item, const struct limits *limits, struct err *err)
{
    const int count = request_count_objects(item, "queries", limits->value[LIMIT_QUERIES], err);
    if (count < 0)
        return count;
    request->queries = calloc((size_t)count, sizeof *request->queries);
    if (request->queries == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %d queries", count);
    uint64_t frames = limits->value[LIMIT_FRAMES];
    cJSON *entry;
    cJSON_ArrayForEach(entry, item)
    {
        struct request_query *query = &request->queries[request->query_count++];
        take_query(&query->request, entry, &frames, limits, &query->err);
    }
    return 0;
}

/* --- members --- */

/* Takes {"PATTERN":"NAME",..}: one rule per member, in order. */
static int take_rules(struct request *request, int param, const cJSON *object, const struct limits *limits,
                      struct err *err)
{
    const cJSON *item;
    if (object->child == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' is an empty object", REQUEST_PARAMS[param].name);
    cJSON_ArrayForEach(item, object)
    {
        if (!cJSON_IsString(item) || strchr(item->string, '=') != NULL)
            return err_set(
                err, ERR_BAD_PARAMETER, "parameter '%s': '%.200s' %s", REQUEST_PARAMS[param].name, item->string,
                cJSON_IsString(item) ? "has a '=', which no pattern can have" : "needs a name, which is a text");
        char *text = request->pose.memory.data + request->pose.memory.size_bytes;
        const size_t pattern_bytes = strlen(item->string), name_bytes = strlen(item->valuestring);
        memcpy(text, item->string, pattern_bytes);
        text[pattern_bytes] = '=';
        memcpy(text + pattern_bytes + 1, item->valuestring, name_bytes + 1);
        buf_advance(&request->pose.memory, pattern_bytes + name_bytes + 2);
        if (request_take_text(request, param, text, pattern_bytes + name_bytes + 1, limits, err) < 0)
            return err->code;
    }
    return 0;
}

static int take_member(struct request *request, cJSON *item, struct param_set *seen, const struct limits *limits,
                       struct err *err)
{
    const int param = request_find_param(request, item->string, err);
    if (param < 0 || request_note_param(param, false, seen, err) < 0)
        return err->code;
    if (param == PARAM_LAYERS)
        return take_layers(request, item, limits, err);
    if (param == PARAM_LAYER_POSE)
        return request_given_read_json(&request->pose.given, item, limits, err);
    if (param == PARAM_CAMERA && cJSON_IsObject(item))
        return request_take_camera(request, item, err);
    if (param == PARAM_REFERENCE)
        return take_reference(request, item, limits, err);
    if (param == PARAM_QUERIES)
        return take_queries(request, item, limits, err);
    if (param == PARAM_ENTITIES)
        return request_take_entities(request, item, limits, err);
    if (param == PARAM_POINTS)
        return request_take_points(request, item, limits, err);
    if (param == PARAM_RAYS)
        return request_take_rays(request, item, limits, err);
    const bool has_rules = param == PARAM_RENAME_JOINTS || param == PARAM_BONES || param == PARAM_CLIP_BONES;
    if (has_rules && cJSON_IsObject(item))
        return take_rules(request, param, item, limits, err);
    if (!cJSON_IsArray(item))
        return take_scalar(request, param, item, limits, err);
    if (REQUEST_PARAMS[param].how_often != MANY || item->child == NULL)
        return err_set(err, ERR_BAD_PARAMETER,
                       item->child == NULL ? "parameter '%s' is an empty list" : "parameter '%s' takes no list",
                       REQUEST_PARAMS[param].name);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, item) if (take_scalar(request, param, entry, limits, err) < 0) return err->code;
    return 0;
}

int request_take_body(struct request *request, const cJSON *object, struct param_set *seen, const struct limits *limits,
                      struct err *err)
{
    cJSON *item;
    cJSON_ArrayForEach(item, object) if (take_member(request, item, seen, limits, err) < 0) return err->code;
    return 0;
}
