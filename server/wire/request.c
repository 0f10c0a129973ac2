#include "request.h"

#include "../base/hash.h"
#include "../base/mem.h"
#include "accept.h"
#include "query.h"
#include "request_parts.h"
#include "request_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_SIDE = 256 };

enum { TAKES_GET = 1, TAKES_POST = 2, IN_BATCH = 4 };

static const struct route {
    const char *path;
    enum op op;
    unsigned methods;
} ROUTES[] = {
    {"/", OP_GALLERY, TAKES_GET},
    {"/healthz", OP_HEALTHZ, TAKES_GET},
    {"/livez", OP_HEALTHZ, TAKES_GET}, /* as Kubernetes calls it now */
    {"/readyz", OP_READYZ, TAKES_GET},
    {"/v1/version", OP_VERSION, TAKES_GET},
    {"/v1/models", OP_MODELS, TAKES_GET},
    {"/v1/model", OP_MODEL, TAKES_GET | IN_BATCH},
    {"/v1/palette", OP_PALETTE, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/pose", OP_POSE, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/mesh", OP_MESH, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/render", OP_RENDER, TAKES_GET | TAKES_POST},
    {"/v1/bounds", OP_BOUNDS, TAKES_GET | TAKES_POST},
    {"/v1/formats", OP_FORMATS, TAKES_GET},
    {"/v1/query", OP_QUERY, TAKES_POST},
};
enum { ROUTE_COUNT = sizeof ROUTES / sizeof *ROUTES };

const struct param REQUEST_PARAMS[] = {
#define X(symbol, name, ops, how_often, parse, text) {name, ops, how_often, parse},
#include "request_params.def"
#undef X
};
_Static_assert(PARAM_COUNT <= 64, "the parameters seen are bits of a uint64_t");
_Static_assert((int)OP_REFERENCE < 32, "the operations of a parameter are bits of an unsigned");

const char *request_path(enum op op)
{
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (ROUTES[i].op == op)
            return ROUTES[i].path;
    return op == OP_LAYER ? "a layer" : "a reference";
}

static unsigned methods_of(enum op op)
{
    unsigned methods = 0;
    for (int i = 0; i < ROUTE_COUNT; i++)
        methods |= ROUTES[i].op == op ? ROUTES[i].methods : 0;
    return methods;
}

const char *request_methods(enum op op)
{
    static const char *const METHODS[] = {"", "GET, HEAD", "POST", "GET, HEAD, POST"};
    return METHODS[methods_of(op) & (TAKES_GET | TAKES_POST)];
}

int request_find_op(const char *name, enum op *op, struct err *err)
{
    static const char VERSION[] = "/v1/";
    char list[128] = "";
    size_t at = 0;
    for (int i = 0; i < ROUTE_COUNT; i++) {
        if ((ROUTES[i].methods & IN_BATCH) == 0)
            continue;
        const char *own = ROUTES[i].path + sizeof VERSION - 1;
        *op = ROUTES[i].op;
        if (strcmp(own, name) == 0)
            return 0;
        at += (size_t)snprintf(list + at, at < sizeof list ? sizeof list - at : 0, "%s%s", at == 0 ? "" : ", ", own);
    }
    return err_set(err, ERR_BAD_PARAMETER, "parameter 'op' is '%.80s'; it must be one of %s", name, list);
}

void request_init(struct request *request) { *request = (struct request){0}; }

void request_fini(struct request *request)
{
    struct request_lists *lists = request->blocks;
    if (lists != NULL) {
        buf_fini(&lists->times);
        buf_fini(&lists->skins);
        buf_fini(&lists->joints);
        free(lists);
    }
    for (uint32_t i = 0; i < request->layer_count; i++)
        request_fini(&request->layers[i]); /* which have no layers */
    free(request->layers);
    if (request->reference != NULL)
        request_fini(request->reference);
    free(request->reference);
    for (uint32_t i = 0; i < request->query_count; i++)
        request_fini(&request->queries[i].request); /* which have no queries */
    free(request->queries);
    buf_fini(&request->memory);
    request_init(request);
}

static int find_route(const char *path, size_t path_bytes, enum op *op, struct err *err)
{
    for (int i = 0; i < ROUTE_COUNT; i++) {
        if (strlen(ROUTES[i].path) == path_bytes && memcmp(ROUTES[i].path, path, path_bytes) == 0) {
            *op = ROUTES[i].op;
            return 0;
        }
    }
    char asked[64];
    const size_t asked_bytes = path_bytes < sizeof asked ? path_bytes : sizeof asked - 1;
    memcpy(asked, path, asked_bytes);
    asked[asked_bytes] = '\0';
    const char *names[ROUTE_COUNT];
    for (int i = 0; i < ROUTE_COUNT; i++)
        names[i] = ROUTES[i].path;
    const char *nearest = query_nearest(asked, names, ROUTE_COUNT);
    if (nearest != NULL)
        return err_set(err, ERR_NOT_FOUND, "no resource '%s'; did you mean '%s'?", asked, nearest);
    return err_set(err, ERR_NOT_FOUND, "no resource '%s'", asked);
}

/* A name that the operation does not take: why, and what it could have been. */
static int unknown_param(const struct request *request, const char *name, struct err *err)
{
    const char *const path = request_path(request->op);
    const char *names[PARAM_COUNT], *other = NULL;
    size_t count = 0;
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (REQUEST_PARAMS[i].ops & 1u << request->op)
            names[count++] = REQUEST_PARAMS[i].name;
        else if (strcmp(REQUEST_PARAMS[i].name, name) == 0)
            for (int op = OP_REFERENCE; op >= 0; op--)
                other = REQUEST_PARAMS[i].ops & 1u << op ? request_path((enum op)op) : other;
    }
    if (count == 0)
        return err_set(err, ERR_UNKNOWN_PARAMETER, "unknown parameter '%.64s'; %s takes none", name, path);
    if (other != NULL)
        return err_set(err, ERR_UNKNOWN_PARAMETER, "%s does not take '%s'; it belongs to %s", path, name, other);
    const char *nearest = query_nearest(name, names, count);
    if (nearest != NULL)
        return err_set(err, ERR_UNKNOWN_PARAMETER, "unknown parameter '%.64s'; did you mean '%s'?", name, nearest);
    char list[256] = "";
    for (size_t i = 0, at = 0; i < count && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i == 0 ? "" : ", ", names[i]);
    return err_set(err, ERR_UNKNOWN_PARAMETER, "unknown parameter '%.64s'; %s takes %s", name, path, list);
}

int request_find_param(const struct request *request, const char *name, struct err *err)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (REQUEST_PARAMS[i].ops & 1u << request->op && strcmp(REQUEST_PARAMS[i].name, name) == 0)
            return i;
    return unknown_param(request, name, err);
}

/* Why a value could not be decoded. A path with such bytes is a bad path before it is a bad parameter. */
static int undecodable(int param, const struct err *why, struct err *err)
{
    return err_set(err, param == PARAM_MODEL || param == PARAM_CLIP_FILE ? ERR_BAD_PATH : ERR_BAD_PARAMETER,
                   "parameter '%s': %s", REQUEST_PARAMS[param].name, why->message);
}

int request_note_param(int param, bool may_repeat, uint64_t *seen, struct err *err)
{
    if (!may_repeat && *seen & UINT64_C(1) << param)
        return err_set(err, ERR_DUPLICATE_PARAMETER, "parameter '%s' is given twice; it may be given once",
                       REQUEST_PARAMS[param].name);
    *seen |= UINT64_C(1) << param;
    return 0;
}

int request_take_text(struct request *request, int param, char *text, size_t size_bytes, const struct limits *limits,
                      struct err *err)
{
    struct value value = {request, limits, REQUEST_PARAMS[param].name, text, size_bytes, err};
    return REQUEST_PARAMS[param].parse(&value);
}

/* Decoded text goes to the end of request->memory, which has the room (see reserve()): the name only until it
 * was looked up, the value for good. */
static int take_param(struct request *request, const struct query_part *part, uint64_t *seen,
                      const struct limits *limits, struct err *err)
{
    struct err why;
    char *text = request->memory.data + request->memory.size_bytes;
    if (query_decode(part->name, part->name_bytes, text, &why) < 0)
        return err_set(err, ERR_BAD_PARAMETER, "a parameter's name: %s", why.message);
    const int i = request_find_param(request, text, err);
    if (i < 0)
        return i;
    if (request_note_param(i, REQUEST_PARAMS[i].how_often == MANY, seen, err) < 0)
        return err->code;
    const ptrdiff_t size_bytes = query_decode(part->value, part->value_bytes, text, &why);
    if (size_bytes < 0)
        return undecodable(i, &why, err);
    buf_advance(&request->memory, (size_t)size_bytes + 1);
    return request_take_text(request, i, text, (size_t)size_bytes, limits, err);
}

static int check_span(const struct request_span *span, struct err *err)
{
    if (span->has_fps && !span->has_from && !span->has_to)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'fps' is the unit of 'from' and 'to': give one of them");
    if (span->has_from && span->has_to && span->from > span->to)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'from' is %.15g, after 'to', which is %.15g", span->from,
                       span->to);
    return 0;
}

static int check_bounds(const struct request *request, uint64_t seen, struct err *err)
{
    static const int TIMES[] = {PARAM_T, PARAM_WRAP, PARAM_SPEED, PARAM_PHASE};
    if (request->has_rate && !request->is_over_clip)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'rate' needs over=clip");
    for (size_t i = 0; request->is_over_clip && i < sizeof TIMES / sizeof *TIMES; i++)
        if (seen & UINT64_C(1) << TIMES[i])
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with over=clip, which takes all times",
                           REQUEST_PARAMS[TIMES[i]].name);
    return 0;
}

static int check_root_motion(const struct request *request, uint64_t seen, struct err *err)
{
    static const int OF_IT[] = {PARAM_ROOT, PARAM_TURN};
    for (size_t i = 0; !request->has_root_motion && i < sizeof OF_IT / sizeof *OF_IT; i++)
        if (seen & UINT64_C(1) << OF_IT[i])
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs root_motion=extract",
                           REQUEST_PARAMS[OF_IT[i]].name);
    if (request->has_root_motion && (seen & UINT64_C(1) << PARAM_LAYERS) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'root_motion' does not go with layers");
    return 0;
}

static int check_glb(const struct request *request, uint64_t seen, struct err *err)
{
    if (request->format != FORMAT_GLB)
        return (seen & UINT64_C(1) << PARAM_TEXTURES) == 0
                   ? 0
                   : err_set(err, ERR_BAD_PARAMETER, "parameter 'textures' needs format=glb");
    if (request->time_count > 1)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 't' names %u times; a GLB file holds the mesh at one",
                       request->time_count);
    if (request->has_rest)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'rest' does not go with format=glb");
    return 0;
}

/* What is missing or does not go together. */
static int check_together(const struct request *request, uint64_t seen, struct err *err)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (REQUEST_PARAMS[i].how_often == NEEDED && REQUEST_PARAMS[i].ops & 1u << request->op &&
            !(seen & UINT64_C(1) << i))
            return err_set(err, ERR_MISSING_PARAMETER, "%s needs the parameter '%s'", request_path(request->op),
                           REQUEST_PARAMS[i].name);
    if (request->op == OP_RENDER && request->time_count > 1)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 't' names %u times; a picture shows one",
                       request->time_count);
    if (request->op == OP_PALETTE && request->mesh.kind != SELECT_ABSENT && request->space != SPACE_MESH)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'mesh' needs space=mesh");
    if (check_span(&request->span, err) < 0 || check_bounds(request, seen, err) < 0 ||
        check_root_motion(request, seen, err) < 0 || check_glb(request, seen, err) < 0)
        return err->code;
    return request_check_layer(request, seen, err);
}

/* Points the request at its lists and fills in what was not given. */
static void finish_lists(struct request *request, uint64_t seen, const struct limits *limits)
{
    struct request_lists *lists = request->blocks;
    const bool has_frames = REQUEST_PARAMS[PARAM_T].ops & 1u << request->op && request->op != OP_LAYER;
    if (has_frames && !(seen & UINT64_C(1) << PARAM_T)) {
        const double zero = 0;
        buf_put(&lists->times, &zero, sizeof zero);
    }
    request->times_s = (const double *)(const void *)lists->times.data;
    request->time_count = (uint32_t)(lists->times.size_bytes / sizeof *request->times_s);
    request->skins = (const struct selector *)(const void *)lists->skins.data;
    request->skin_count = (uint32_t)(lists->skins.size_bytes / sizeof *request->skins);
    request->joints = (const struct selector *)(const void *)lists->joints.data;
    request->joint_count = (uint32_t)(lists->joints.size_bytes / sizeof *request->joints);
    if (request->what == 0)
        request->what = WHAT_SCENE;
    request->has_wrap = seen & UINT64_C(1) << PARAM_WRAP;
    if (request->op == OP_LAYER && !(seen & UINT64_C(1) << PARAM_WEIGHT))
        request->weight = 1;
    const uint64_t side = limits->value[LIMIT_PICTURE_SIDE];
    const uint32_t default_side = side < PICTURE_SIDE ? (uint32_t)side : PICTURE_SIDE;
    request->width = request->width == 0 ? default_side : request->width;
    request->height = request->height == 0 ? default_side : request->height;
    request->list_limit = request->list_limit == 0 ? (uint32_t)limits->value[LIMIT_LIST] : request->list_limit;
}

static uint64_t hash_uint(uint64_t state, uint64_t value) { return hash64(state, &value, sizeof value); }

/* The NUL is part of it, so that neighbours cannot run into each other; absent is not empty. */
static uint64_t hash_text(uint64_t state, const char *text)
{
    return text == NULL ? hash_uint(state, 0) : hash64(hash_uint(state, 1), text, strlen(text) + 1);
}

static uint64_t hash_selectors(uint64_t state, const struct selector *selectors, uint32_t count)
{
    state = hash_uint(state, count);
    for (uint32_t i = 0; i < count; i++) {
        state = hash_uint(state, (uint64_t)selectors[i].kind);
        state = hash_uint(state, selectors[i].index);
        state = hash_text(state, selectors[i].name);
        state = hash_uint(state, (uint64_t)selectors[i].reach);
    }
    return state;
}

/* Nothing where there are none, so that a query without layers is what it was. */
static uint64_t hash_layers(uint64_t state, const struct request *request)
{
    for (uint32_t i = 0; i < request->layer_count; i++) {
        const struct request *layer = &request->layers[i];
        state = hash_text(state, layer->canonical);
        state = hash_uint(state, (uint64_t)layer->wrap); /* which it may have from the request */
        state = hash_uint(state, layer->is_additive);
        state = hash64(state, &layer->weight, sizeof layer->weight);
        state = hash_text(state, layer->reference == NULL ? NULL : layer->reference->canonical);
    }
    return state;
}

/* Over the values, not their text: what means the same, however written and ordered, has one ETag. */
static void set_canonical(struct request *request)
{
    uint64_t h = hash_uint(HASH64_SEED, (uint64_t)request->op);
    h = hash_text(h, request->model);
    h = hash_text(h, request->hash);
    h = hash_selectors(h, &request->clip, 1);
    h = hash_uint(h, request->time_count);
    if (request->time_count > 0)
        h = hash64(h, request->times_s, request->time_count * sizeof *request->times_s);
    h = hash_selectors(h, request->skins, request->skin_count);
    h = hash_selectors(h, request->joints, request->joint_count);
    h = hash_selectors(h, &request->mesh, 1);
    const uint64_t numbers[] = {
        (uint64_t)request->wrap, (uint64_t)request->space, (uint64_t)request->layout, (uint64_t)request->format,
        request->what,           request->has_indices,     request->has_normals,      request->has_rest,
        request->width,          request->height,          request->list_limit,       request->is_over_clip,
        request->has_rate,       request->is_per_joint,    request->has_no_textures};
    h = hash64(h, numbers, sizeof numbers);
    h = hash64(h, request->background, sizeof request->background);
    const struct request_span *span = &request->span;
    const uint64_t given[] = {span->has_from, span->has_to, span->has_fps, span->has_speed, span->has_phase};
    const double amounts[] = {span->from, span->to, span->fps, span->speed, span->phase};
    h = hash64(h, given, sizeof given);
    h = hash64(h, amounts, sizeof amounts);
    const uint64_t motion[] = {request->has_root_motion, request->has_turn};
    h = hash64(h, motion, sizeof motion);
    h = hash_selectors(h, &request->root, 1);
    h = hash64(h, &request->rate, sizeof request->rate);
    h = hash64(h, &request->yaw_deg, sizeof request->yaw_deg);
    h = hash64(h, &request->pitch_deg, sizeof request->pitch_deg);
    h = hash_text(h, request->prefix);
    h = hash_text(h, request->after);
    h = hash_layers(h, request);
    if (request->clip_file != NULL)
        h = hash_text(h, request->clip_file);
    snprintf(request->canonical, sizeof request->canonical, "%016" PRIx64, h);
}

int request_reserve(struct request *request, size_t text_bytes, struct err *err)
{
    struct request_lists *lists = mem_zalloc(1, sizeof *lists);
    request->blocks = lists;
    /* limits only so that running out of memory is an error of this request */
    buf_init(&lists->times, SIZE_MAX / 4);
    buf_init(&lists->skins, SIZE_MAX / 4);
    buf_init(&lists->joints, SIZE_MAX / 4);
    buf_init(&request->memory, text_bytes + 1);
    if (buf_reserve(&request->memory, text_bytes + 1) == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a request of %zu bytes", text_bytes);
    return 0;
}

/* Room for everything that will be decoded, at once, so that no string moves: a value decodes to at most its own
 * size, and its NUL takes the place of a byte of its name, or of the '?' or '&' before it. */
static int reserve(struct request *request, const struct request_head *head, const cJSON *body, struct err *err)
{
    const bool has_header = head->if_none_match != NULL && body == NULL;
    const size_t header_bytes = has_header ? strlen(head->if_none_match) + 1 : 0;
    const size_t body_bytes = body == NULL ? 0 : request_body_text_bytes(body);
    if (request_reserve(request, head->target_bytes + header_bytes + body_bytes, err) < 0)
        return err->code;
    if (header_bytes > 0) {
        request->if_none_match = request->memory.data;
        buf_put(&request->memory, head->if_none_match, header_bytes);
    }
    return 0;
}

static int parse_query(struct request *request, const char *query, size_t size_bytes, uint64_t *seen,
                       const struct limits *limits, struct err *err)
{
    struct query_part part;
    while (query_next(&query, &size_bytes, &part)) {
        const int rc = take_param(request, &part, seen, limits, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int request_complete(struct request *request, uint64_t seen, const char *accept, const struct limits *limits,
                     struct err *err)
{
    if (REQUEST_PARAMS[PARAM_FORMAT].ops & 1u << request->op && !(seen & UINT64_C(1) << PARAM_FORMAT))
        request->format = accept_format(accept, request->op == OP_MESH);
    finish_lists(request, seen, limits);
    if (check_together(request, seen, err) < 0 || request_check_layers(request, seen, limits, err) < 0)
        return err->code;
    set_canonical(request);
    return 0;
}

static int check_method(const struct request *request, const char *method, bool *is_post, struct err *err)
{
    const unsigned methods = methods_of(request->op);
    *is_post = strcmp(method, "POST") == 0;
    const bool is_get = request->is_head || strcmp(method, "GET") == 0;
    if ((is_get && (methods & TAKES_GET) != 0) || (*is_post && (methods & TAKES_POST) != 0))
        return 0;
    return err_set(err, ERR_METHOD_NOT_ALLOWED, "%s takes %s, not %.32s", request_path(request->op),
                   request_methods(request->op), method);
}

static int take_all(struct request *request, const struct request_head *head, const char *query, const cJSON *body,
                    const struct limits *limits, struct err *err)
{
    uint64_t seen = 0;
    const size_t query_bytes = head->target_bytes - (size_t)(query - head->target);
    if (reserve(request, head, body, err) < 0 || parse_query(request, query, query_bytes, &seen, limits, err) < 0 ||
        (body != NULL && request_take_body(request, body, &seen, limits, err) < 0))
        return err->code;
    return request_complete(request, seen, head->accept, limits, err);
}

int request_parse(struct request *request, const struct request_head *head, const struct limits *limits,
                  struct err *err)
{
    request_fini(request);
    const char *question = memchr(head->target, '?', head->target_bytes);
    const size_t path_bytes = question == NULL ? head->target_bytes : (size_t)(question - head->target);
    bool is_post = false;
    cJSON *body = NULL;
    request->is_head = strcmp(head->method, "HEAD") == 0;
    if (find_route(head->target, path_bytes, &request->op, err) < 0 ||
        check_method(request, head->method, &is_post, err) < 0)
        return err->code;
    if (is_post && request_open_body(head, limits, &body, err) < 0)
        return err->code;
    const int rc =
        take_all(request, head, question == NULL ? head->target + path_bytes : question + 1, body, limits, err);
    cJSON_Delete(body);
    return rc;
}
