#include "wire/request/request.h"

#include "wire/request/crowd_request.h"
#include "wire/request/accept.h"
#include "wire/http/url.h"
#include "wire/request/request_given.h"
#include "wire/request/request_parser.h"
#include "wire/request/request_raycast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_SIDE = 256, ROUTE_MAX_BYTES = 4095 /* as for a path */ };

void request_init(struct request *request) { *request = (struct request){0}; }

static size_t layers_bytes(const struct request_pose *pose)
{
    size_t bytes = (pose->layer_count + (pose->reference != NULL)) * sizeof *pose;
    for (uint32_t i = 0; i < pose->layer_count; i++)
        bytes += pose->layers[i].given != NULL ? pose->layers[i].given->held_bytes : 0;
    return bytes;
}

size_t request_parts_bytes(const struct request *request)
{
    const struct request_raycast *raycast = request->hits.raycast;
    size_t bytes = layers_bytes(&request->pose) + request->query_count * sizeof *request->queries +
                   request->keypoints.point_count * sizeof *request->keypoints.points;
    for (uint32_t i = 0; i < request->query_count; i++)
        bytes += layers_bytes(&request->queries[i].request.pose);
    if (raycast == NULL)
        return bytes;
    for (uint32_t p = 0; p < raycast->pose_count; p++)
        bytes += sizeof *raycast->poses + layers_bytes(&raycast->poses[p]);
    if (raycast->poses != NULL)
        bytes += raycast->pose_count * (sizeof *request->crowd->entities + sizeof *request->crowd->worlds);
    return bytes + raycast->entity_count * sizeof *raycast->targets + raycast->ray_count * sizeof *raycast->rays;
}

void request_pose_fini(struct request_pose *pose)
{
    buf_fini(&pose->lists.times);
    buf_fini(&pose->lists.weights);
    buf_fini(&pose->lists.joints);
    buf_fini(&pose->memory);
    request_given_free(pose->given);
    for (uint32_t i = 0; i < pose->layer_count; i++)
        request_pose_fini(&pose->layers[i]); /* layers do not nest */
    free(pose->layers);
    if (pose->reference != NULL)
        request_pose_fini(pose->reference);
    free(pose->reference);
}

void request_fini(struct request *request)
{
    request_pose_fini(&request->pose);
    buf_fini(&request->lists.skins);
    buf_fini(&request->lists.clips);
    buf_fini(&request->lists.renames);
    buf_fini(&request->lists.files);
    buf_fini(&request->lists.bones);
    buf_fini(&request->lists.clip_bones);
    buf_fini(&request->lists.turns);
    buf_fini(&request->lists.shown);
    buf_fini(&request->lists.points);
    request_given_free(request->on_top);
    free(request->sources);
    for (uint32_t i = 0; i < request->query_count; i++)
        request_fini(&request->queries[i].request); /* queries do not nest */
    free(request->queries);
    request_raycast_free(request->hits.raycast);
    crowd_request_free(request->crowd);
    request_init(request);
}

/* Explains why a value could not be decoded. For a path this is ERR_BAD_PATH, not ERR_BAD_PARAMETER. */
static int undecodable(int param, const struct err *why, struct err *err)
{
    const bool is_path = param == PARAM_MODEL || param == PARAM_CLIP_FILE || param == PARAM_EXPORT_CLIP_FILE ||
                         param == PARAM_SHEET_CLIP_FILE || param == PARAM_WITH || param == PARAM_ENVIRONMENT;
    return err_set(err, is_path ? ERR_BAD_PATH : ERR_BAD_PARAMETER, "parameter '%s': %s", REQUEST_PARAMS[param].name,
                   why->message);
}

/* `route` is for load balancers, which select a server by it. It is validated and ignored, so it does not change any
 * answer. */
static int skip_route(const struct url_param *part, char *text, struct param_set *seen, struct err *err)
{
    struct err why;
    if (seen->has_route)
        return err_set(err, ERR_DUPLICATE_PARAMETER, "parameter 'route' is given twice; it may be given once");
    seen->has_route = true;
    const ptrdiff_t size_bytes = url_decode(part->value, part->value_bytes, true, text, &why);
    if (size_bytes < 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'route': %s", why.message);
    if (size_bytes > ROUTE_MAX_BYTES)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'route' has %td bytes, more than %d", size_bytes,
                       ROUTE_MAX_BYTES);
    return 0;
}

/* Decodes text at the end of request->memory, which has room for it (see reserve()). The name is dropped after its
 * lookup, the value stays. */
static int take_param(struct request *request, const struct url_param *part, struct param_set *seen,
                      const struct limits *limits, struct err *err)
{
    struct err why;
    char *text = request->pose.memory.data + request->pose.memory.size_bytes;
    if (url_decode(part->name, part->name_bytes, true, text, &why) < 0)
        return err_set(err, ERR_BAD_PARAMETER, "a parameter's name: %s", why.message);
    if (strcmp(text, "route") == 0)
        return skip_route(part, text, seen, err);
    const int i = request_find_param(request, text, err);
    if (i < 0)
        return i;
    if (request_note_param(i, REQUEST_PARAMS[i].how_often == MANY, seen, err) < 0)
        return err->code;
    const ptrdiff_t size_bytes = url_decode(part->value, part->value_bytes, true, text, &why);
    if (size_bytes < 0)
        return undecodable(i, &why, err);
    buf_advance(&request->pose.memory, (size_t)size_bytes + 1);
    return request_take_text(request, i, text, (size_t)size_bytes, limits, err);
}

/* light=file uses the lights of the model's file. An environment is a light too, with or without those. */
static void finish_light(struct request *request, const struct param_set *seen)
{
    struct picture_spec *picture = &request->picture;
    if (request->environment != NULL && !seen->has[PARAM_LIGHT]) {
        picture->light = LIGHT_FILE;
    } else if (op_has(request->op, OP_PICTURE) && picture->light == LIGHT_FILE) {
        picture->flags |= PICTURE_OWN_LIGHTS;
        picture->light = request->environment != NULL ? LIGHT_FILE : LIGHT_FLAT;
    }
}

/* Points the request at its lists and fills in their defaults. */
static void finish_lists(struct request *request, const struct param_set *seen, const struct limits *limits)
{
    static const double ZERO = 0, WHOLE = 1;
    struct request_pose *pose = &request->pose;
    if (op_has(request->op, OP_TIMED) && pose->lists.times.size_bytes == 0)
        buf_put(&pose->lists.times, &ZERO, sizeof ZERO);
    if (op_has(request->op, OP_WEIGHTED) && pose->lists.weights.size_bytes == 0)
        buf_put(&pose->lists.weights, &WHOLE, sizeof WHOLE);
#define MEMORY LIST
#define LIST(buf, items, count, type)                                                                                  \
    request->items = (type const *)(const void *)request->buf.data;                                                    \
    request->count = (uint32_t)(request->buf.size_bytes / sizeof *request->items);
#include "wire/request/request_fields.def"
    if (op_has(request->op, OP_CELLS) && request->file_count > 0)
        pose->clip_file = request->files[0];
    pose->model = request->model;
    pose->is_of_picture = op_has(request->op, OP_PICTURE);
    if (request->what == 0)
        request->what = WHAT_SCENE;
    request->pose.has_wrap = seen->has[PARAM_WRAP];
    const uint64_t side = limits->value[LIMIT_PICTURE_SIDE], pixels = limits->value[LIMIT_PICTURE_PIXELS];
    uint32_t default_side = side < PICTURE_SIDE ? (uint32_t)side : PICTURE_SIDE;
    while (default_side > 1 && (uint64_t)default_side * default_side > pixels)
        default_side /= 2;
    request->picture.width = request->picture.width == 0 ? default_side : request->picture.width;
    request->picture.height = request->picture.height == 0 ? default_side : request->picture.height;
    finish_light(request, seen);
    request->listing.limit = request->listing.limit == 0 ? (uint32_t)limits->value[LIMIT_LIST] : request->listing.limit;
}

int request_reserve(struct request *request, size_t text_bytes, struct err *err)
{
    /* Limits the memory only so that running out of it is an error of this request. */
#define MEMORY                        LIST
#define LIST(buf, items, count, type) buf_init(&request->buf, SIZE_MAX / 4);
#include "wire/request/request_fields.def"
    struct buf *memory = &request->pose.memory;
    buf_init(memory, text_bytes + 1);
    if (buf_reserve(memory, text_bytes + 1) == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a request of %zu bytes", text_bytes);
    return 0;
}

/* Reserves memory for all decoded text at once, so that no string moves. A decoded value is not longer than its text,
 * and its NUL takes the place of a byte of its name, or of the '?' or '&' before it. */
static int reserve(struct request *request, const struct request_head *head, const cJSON *body, struct err *err)
{
    const bool has_header = head->if_none_match != NULL && body == NULL;
    const size_t header_bytes = has_header ? strlen(head->if_none_match) + 1 : 0;
    const size_t body_bytes = body == NULL ? 0 : request_body_text_bytes(body);
    const size_t model_bytes = head->model == NULL ? 0 : REQUEST_HASH_BYTES + strlen(head->model) + 1;
    const size_t target_bytes = 2 * (head->target_bytes + 1); /* both decoded and verbatim */
    const size_t page_bytes = request_page_bytes(request, head);
    if (request_reserve(request, target_bytes + header_bytes + body_bytes + model_bytes + page_bytes, err) < 0)
        return err->code;
    if (header_bytes > 0) {
        request->if_none_match = request->pose.memory.data;
        buf_put(&request->pose.memory, head->if_none_match, header_bytes);
    }
    return 0;
}

static int parse_query(struct request *request, const char *query, size_t size_bytes, struct param_set *seen,
                       const struct limits *limits, struct err *err)
{
    struct url_param part;
    while (url_next_param(&query, &size_bytes, &part)) {
        const int rc = take_param(request, &part, seen, limits, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Returns the form of the answer when the request specifies none. A binary body gets a binary answer. */
static enum format default_format(const struct request *request, const char *accept)
{
    switch (request_is_binary(request) ? FORM_CROWD : OP_INFO[request->op].form) {
    case FORM_FRAMES:
        return accept_format(accept, false);
    case FORM_MESH:
        return accept_format(accept, true);
    case FORM_PICTURE:
        return FORMAT_PICTURE;
    case FORM_FILE:
        return FORMAT_GLB;
    case FORM_CROWD:
        return FORMAT_BIN;
    case FORM_METRICS:
        return accept_metrics_format(accept);
    case FORM_JSON:
    case FORM_SHEET:
    case FORM_PNG:
        break;
    }
    return FORMAT_JSON;
}

static request_complete_fn *const COMPLETE[] = {
#define OPERATION(symbol, name, path, noun, methods, traits, form, complete, ...) complete,
#include "wire/operations/operations.def"
};

int request_complete(struct request *request, const struct param_set *seen, const char *accept,
                     const struct limits *limits, struct err *err)
{
    const int format = request_format_param(request->op);
    if (!seen->has[format >= 0 ? format : PARAM_EXPORT_FORMAT])
        request->format = default_format(request, accept);
    finish_lists(request, seen, limits);
    if (request_check_combination(request, COMPLETE[request->op], seen, limits, err) < 0 ||
        (request->pose.layer_count > 0 && request_check_layers(request, seen, limits, err) < 0) ||
        (request->op < OP_COUNT && !request_is_binary(request) && request_collect_sources(request, limits, err) < 0))
        return err->code;
    if (request->turn_count + request->shown_count + request->look.kind > 0 && request_given_of_short(request, err) < 0)
        return err->code;
    request_set_canonical(request);
    return 0;
}

/* Takes the name at the end of the path. It is decoded in front of the parameters. */
static int take_name(struct request *request, const char *name, size_t size_bytes, struct err *err)
{
    char *text = request->pose.memory.data + request->pose.memory.size_bytes;
    struct err why;
    const ptrdiff_t text_bytes = url_decode(name, size_bytes, false, text, &why);
    if (text_bytes < 0)
        return err_set(err, ERR_BAD_PATH, "the path of the %s: %s", OP_INFO[request->op].noun, why.message);
    buf_advance(&request->pose.memory, (size_t)text_bytes + 1);
    request->model = text;
    char whose[16];
    snprintf(whose, sizeof whose, "%s's", OP_INFO[request->op].noun);
    return request_check_path(whose, text, err);
}

/* Keeps the target for answers that refer to the picture. */
static void keep_target(struct request *request, const struct request_head *head)
{
    request->view.target_text = request->pose.memory.data + request->pose.memory.size_bytes;
    buf_put(&request->pose.memory, head->target, head->target_bytes);
    buf_put_char(&request->pose.memory, '\0');
}

int request_take_model(struct request *request, const char *model, const char *hash, struct param_set *seen,
                       struct err *err)
{
    if (request->op < OP_COUNT && request_find_param(request, "model", err) < 0)
        return err->code;
    const char *texts[] = {model, hash}, **const out[] = {&request->model, &request->hash};
    seen->has[PARAM_MODEL] = true;
    seen->has[PARAM_HASH] = hash != NULL;
    for (int i = 0; i < 2 && texts[i] != NULL; i++) {
        *out[i] = request->pose.memory.data + request->pose.memory.size_bytes;
        buf_put(&request->pose.memory, texts[i], strlen(texts[i]) + 1);
    }
    return 0;
}

/* The sizes of the path in the target, and of the name at its end. */
struct split {
    size_t path_bytes, name_bytes;
};

static int take_binary_body(struct request *request, const struct request_head *head, const struct limits *limits,
                            struct param_set *seen, struct err *err)
{
    if (request_has_frames(request->op, head))
        return request_take_frames(request, head, limits, seen, err);
    return op_has(request->op, OP_RAYS) ? request_take_raycast(request, head, limits, seen, err)
                                        : request_take_crowd(request, head, limits, err);
}

/* body: JSON, or NULL. */
static int take_all(struct request *request, const struct request_head *head, struct split split, const cJSON *body,
                    const struct limits *limits, struct err *err)
{
    const bool has_binary_body = body == NULL && request_has_binary_body(request->op, head);
    struct param_set seen = {0};
    const char *path_end = head->target + split.path_bytes;
    const bool has_query = split.path_bytes < head->target_bytes;
    const size_t query_bytes = has_query ? head->target_bytes - split.path_bytes - 1 : 0;
    if (reserve(request, head, body, err) < 0 ||
        (OP_INFO[request->op].noun != NULL &&
         take_name(request, path_end - split.name_bytes, split.name_bytes, err) < 0) ||
        (head->model != NULL && request_take_model(request, head->model, head->hash, &seen, err) < 0) ||
        (!op_has(request->op, OP_PAGE) &&
         parse_query(request, has_query ? path_end + 1 : path_end, query_bytes, &seen, limits, err) < 0) ||
        (body != NULL && request_take_body(request, body, &seen, limits, err) < 0) ||
        (has_binary_body && take_binary_body(request, head, limits, &seen, err) < 0))
        return err->code;
    if ((op_has(request->op, OP_PICTURE) || op_has(request->op, OP_PAGE)) && body == NULL)
        keep_target(request, head);
    if (op_has(request->op, OP_PREVIEW))
        request_take_page(request, head, has_query ? path_end + 1 : path_end, query_bytes);
    return request_complete(request, &seen, head->accept, limits, err);
}

int request_parse(struct request *request, const struct request_head *head, const struct limits *limits,
                  struct err *err)
{
    request_fini(request);
    const char *question = memchr(head->target, '?', head->target_bytes);
    struct split split = {question == NULL ? head->target_bytes : (size_t)(question - head->target), 0};
    cJSON *body = NULL;
    request->is_head = strcmp(head->method, "HEAD") == 0;
    request->is_delete = strcmp(head->method, "DELETE") == 0;
    if (op_find_path(head->target, split.path_bytes, &request->op, &split.name_bytes, err) < 0 ||
        op_check_method(request->op, head->method, err) < 0)
        return err->code;
    if (strcmp(head->method, "POST") == 0 && !request_has_binary_body(request->op, head) &&
        request_open_body(head, limits, &body, err) < 0)
        return err->code;
    const int rc = take_all(request, head, split, body, limits, err);
    cJSON_Delete(body);
    return rc;
}
