#include "packet_request.h"

#include "../base/bytes.h"
#include "number.h"
#include "packet_parts.h"
#include "request_parts.h"
#include "request_values.h"

#include <stdio.h>
#include <string.h>

enum {
    TEXTS_BYTES = 1024, /* what the numbers and words of one packet take as text: fewer than 16 of NUMBER_SIZE */
    CLIP_FIRST = -2,
    CLIP_REST = -1,
};

/* A request on its way from a packet. */
struct reading {
    struct payload payload;
    struct request *request;
    const struct packet *packet;
    const struct packet_model *model;
    const struct limits *limits;
    struct params_seen seen;
    size_t fixed_bytes; /* in front of times and indices */
    struct err *err;
};

/* --- parameters --- */

/* The operation takes the parameter, and it is given. */
static int note(struct reading *reading, int param)
{
    if ((REQUEST_PARAMS[param].ops & 1u << reading->request->op) == 0)
        return request_find_param(reading->request, REQUEST_PARAMS[param].name, reading->err) < 0
                   ? reading->err->code
                   : err_set(reading->err, ERR_UNKNOWN_PARAMETER, "'%s' means something else here",
                             REQUEST_PARAMS[param].name);
    reading->seen.has[param] = true;
    return 0;
}

/* As if a query had said so. The text is copied. */
static int take_text(struct reading *reading, int param, const char *text, size_t size_bytes)
{
    struct buf *memory = &reading->request->memory;
    char *copy = memory->data + memory->size_bytes;
    if (note(reading, param) < 0)
        return reading->err->code;
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    buf_advance(memory, size_bytes + 1);
    return request_take_text(reading->request, param, copy, size_bytes, reading->limits, reading->err);
}

static int take_number(struct reading *reading, int param, size_t at)
{
    char text[NUMBER_SIZE];
    double number;
    if (payload_number(&reading->payload, at, REQUEST_PARAMS[param].name, &number) < 0)
        return reading->err->code;
    return take_text(reading, param, text, number_put_double(text, number));
}

static int take_uint(struct reading *reading, int param, uint32_t number)
{
    char text[NUMBER_SIZE];
    return take_text(reading, param, text, (size_t)snprintf(text, sizeof text, "%u", number));
}

/* A byte that stands for one of the words; 0 is what holds when it is not given. */
static int take_word(struct reading *reading, int param, size_t at, const char *const *words, unsigned count)
{
    const unsigned word = (unsigned char)reading->payload.bytes[at];
    if (word == 0)
        return 0;
    if (word >= count)
        return err_set(reading->err, ERR_BAD_PARAMETER, "parameter '%s' is %u; it must be below %u",
                       REQUEST_PARAMS[param].name, word, count);
    return take_text(reading, param, words[word], strlen(words[word]));
}

/* --- the fields of a pose --- */

static uint32_t flags_of(const struct reading *reading)
{
    return get_u32(reading->payload.bytes + PACKET_AT_QUERY_flags);
}

static int take_clip(struct reading *reading)
{
    const int32_t clip = (int32_t)get_u32(reading->payload.bytes + PACKET_AT_QUERY_clip);
    if (clip < CLIP_FIRST)
        return err_set(reading->err, ERR_BAD_PARAMETER, "parameter 'clip' is %d; it must be an index, -1 or -2", clip);
    if (clip == CLIP_FIRST)
        return 0;
    reading->request->clip = (struct selector){.kind = clip == CLIP_REST ? SELECT_REST : SELECT_INDEX,
                                               .index = clip == CLIP_REST ? 0 : (uint32_t)clip};
    return note(reading, PARAM_CLIP);
}

/* An index that -1 leaves out. */
static int take_index(struct reading *reading, int param, size_t at, struct selector *out)
{
    const int32_t index = (int32_t)get_u32(reading->payload.bytes + at);
    if (index < -1)
        return err_set(reading->err, ERR_BAD_PARAMETER, "parameter '%s' is %d; it must be an index or -1",
                       REQUEST_PARAMS[param].name, index);
    if (index == -1)
        return 0;
    *out = (struct selector){.kind = SELECT_INDEX, .index = (uint32_t)index};
    return note(reading, param);
}

static int take_words(struct reading *reading)
{
    static const char *const WRAPS[] = {"loop", "clamp", "mirror"};
    static const char *const LAYOUTS[] = {"mat4", "mat3x4", "dualquat"};
    static const char *const SPACES[] = {"scene", "root", "mesh"};
    static const char *const WHATS[] = {"", "local", "scene", "local,scene"};
    if (take_word(reading, PARAM_WRAP, PACKET_AT_QUERY_wrap, WRAPS, 3) < 0 ||
        take_word(reading, PARAM_LAYOUT, PACKET_AT_QUERY_layout, LAYOUTS, 3) < 0 ||
        take_word(reading, PARAM_SPACE, PACKET_AT_QUERY_space, SPACES, 3) < 0)
        return reading->err->code;
    return take_word(reading, PARAM_WHAT, PACKET_AT_QUERY_what, WHATS, 4);
}

/* The numbers of the part of the clip: one that no flag names is 0. */
static int take_span(struct reading *reading)
{
    static const struct {
        unsigned flag;
        int param;
        size_t at;
    } NUMBERS[] = {{PACKET_QUERY_FROM, PARAM_FROM, PACKET_AT_QUERY_from_s},
                   {PACKET_QUERY_TO, PARAM_TO, PACKET_AT_QUERY_to_s},
                   {PACKET_QUERY_SPEED, PARAM_SPEED, PACKET_AT_QUERY_speed},
                   {PACKET_QUERY_PHASE, PARAM_PHASE, PACKET_AT_QUERY_phase}};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        const bool is_given = (flags_of(reading) & NUMBERS[i].flag) != 0;
        const int rc = is_given ? take_number(reading, NUMBERS[i].param, NUMBERS[i].at)
                                : payload_check_zeros(&reading->payload, NUMBERS[i].at, sizeof(double));
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int take_flags(struct reading *reading)
{
    const bool is_picture = reading->request->op == OP_RENDER;
    const struct {
        unsigned flag;
        int param;
        const char *value;
    } flags[] = {{PACKET_QUERY_ROOT_MOTION, PARAM_ROOT_MOTION, "extract"},
                 {PACKET_QUERY_TURN, is_picture ? PARAM_ROOT_YAW : PARAM_TURN, "1"},
                 {PACKET_QUERY_INDICES, PARAM_INDICES, "1"},
                 {PACKET_QUERY_NORMALS, PARAM_NORMALS, "1"},
                 {PACKET_QUERY_REST, PARAM_REST, "1"},
                 {PACKET_QUERY_NO_TEXTURES, PARAM_TEXTURES, "0"}};
    static const unsigned OTHERS = PACKET_QUERY_FROM | PACKET_QUERY_TO | PACKET_QUERY_SPEED | PACKET_QUERY_PHASE |
                                   PACKET_QUERY_RANGE | PACKET_QUERY_JSON | PACKET_QUERY_GLB;
    unsigned known = OTHERS;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        known |= flags[i].flag;
        if ((flags_of(reading) & flags[i].flag) != 0 &&
            take_text(reading, flags[i].param, flags[i].value, strlen(flags[i].value)) < 0)
            return reading->err->code;
    }
    if ((flags_of(reading) & ~known) != 0)
        return err_set(reading->err, ERR_UNKNOWN_PARAMETER, "there is no flag %u", flags_of(reading) & ~known);
    return 0;
}

/* Binary unless a flag says otherwise; a picture has its own form. */
static int take_format(struct reading *reading)
{
    const unsigned wanted = flags_of(reading) & (PACKET_QUERY_JSON | PACKET_QUERY_GLB);
    const char *format = wanted == 0 ? "bin" : wanted == PACKET_QUERY_JSON ? "json" : "glb";
    if (wanted == (PACKET_QUERY_JSON | PACKET_QUERY_GLB))
        return err_set(reading->err, ERR_BAD_PARAMETER, "the flags 'json' and 'glb' do not go together");
    if (reading->request->op != OP_RENDER)
        return take_text(reading, PARAM_FORMAT, format, strlen(format));
    return wanted == 0 ? 0 : err_set(reading->err, ERR_BAD_PARAMETER, "a picture is neither 'json' nor 'glb'");
}

/* --- times and indices --- */

static int take_times(struct reading *reading, uint32_t count)
{
    struct value value = {.request = reading->request, .limits = reading->limits, .name = "t", .err = reading->err};
    const bool is_range = (flags_of(reading) & PACKET_QUERY_RANGE) != 0;
    double range[3];
    if (count == 0 && !is_range)
        return 0;
    if (is_range && count != 3)
        return err_set(reading->err, ERR_BAD_PARAMETER, "parameter 't': a range is 3 numbers, not %u", count);
    if (note(reading, PARAM_T) < 0)
        return reading->err->code;
    for (uint32_t i = 0; i < count; i++) {
        double time_s;
        const size_t at = reading->fixed_bytes + (size_t)i * sizeof time_s;
        if (payload_number(&reading->payload, at, "t", &time_s) < 0)
            return reading->err->code;
        if (is_range)
            range[i] = time_s;
        else if (value_add_time(&value, time_s) < 0)
            return reading->err->code;
    }
    return is_range ? value_add_range(&value, range[0], range[1], range[2]) : 0;
}

static int take_indices(struct reading *reading, uint32_t count, size_t at)
{
    const bool is_pose = reading->request->op == OP_POSE;
    struct request_lists *lists = reading->request->blocks;
    const uint64_t most = reading->limits->value[LIMIT_BODY_VALUES];
    if (count == 0)
        return 0;
    if (count > most)
        return err_set(reading->err, ERR_BODY_TOO_LARGE, "the packet names %u indices, at most %llu", count,
                       (unsigned long long)most);
    if (note(reading, is_pose ? PARAM_JOINTS : PARAM_SKIN) < 0)
        return reading->err->code;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = get_u32(reading->payload.bytes + at + (size_t)i * sizeof index);
        if (index > INT32_MAX)
            return err_set(reading->err, ERR_BAD_PARAMETER, "the index %u is too large", index);
        const struct selector selector = {.kind = SELECT_INDEX, .index = index};
        buf_put(is_pose ? &lists->joints : &lists->skins, &selector, sizeof selector);
    }
    return 0;
}

static int take_lists(struct reading *reading)
{
    const uint32_t times = get_u32(reading->payload.bytes + PACKET_AT_QUERY_time_count);
    const uint32_t indices = get_u32(reading->payload.bytes + PACKET_AT_QUERY_index_count);
    const uint64_t times_bytes = (uint64_t)times * sizeof(double);
    const uint64_t size_bytes = reading->fixed_bytes + times_bytes + (uint64_t)indices * sizeof(uint32_t);
    if (payload_check_size(&reading->payload, size_bytes) < 0)
        return reading->err->code;
    if (reading->packet->kind == PACKET_SUBSCRIBE && (times > 0 || (flags_of(reading) & PACKET_QUERY_RANGE) != 0))
        return err_set(reading->err, ERR_BAD_PARAMETER, "subscribe: the times are the stream's, not the request's");
    if (take_times(reading, times) < 0)
        return reading->err->code;
    return take_indices(reading, indices, reading->fixed_bytes + (size_t)times_bytes);
}

/* --- operations --- */

static int read_query(struct reading *reading)
{
    struct request *request = reading->request;
    if (payload_check_least(&reading->payload, (uint32_t)reading->fixed_bytes) < 0 ||
        payload_check_zeros(&reading->payload, PACKET_AT_QUERY_reserved, 4) < 0 || take_lists(reading) < 0 ||
        take_clip(reading) < 0 || take_words(reading) < 0 ||
        take_index(reading, PARAM_MESH, PACKET_AT_QUERY_mesh, &request->mesh) < 0 ||
        take_index(reading, PARAM_ROOT, PACKET_AT_QUERY_root, &request->root) < 0 || take_flags(reading) < 0 ||
        take_span(reading) < 0)
        return reading->err->code;
    return take_format(reading);
}

static int read_picture(struct reading *reading)
{
    const char *bytes = reading->payload.bytes;
    const unsigned char *rgba = (const unsigned char *)bytes + PACKET_AT_RENDER_background;
    const uint32_t width = get_u32(bytes + PACKET_AT_RENDER_width), height = get_u32(bytes + PACKET_AT_RENDER_height);
    char background[9];
    snprintf(background, sizeof background, "%02x%02x%02x%02x", rgba[0], rgba[1], rgba[2], rgba[3]);
    if (payload_check_zeros(&reading->payload, PACKET_AT_RENDER_reserved, 4) < 0 ||
        (width > 0 && take_uint(reading, PARAM_WIDTH, width) < 0) ||
        (height > 0 && take_uint(reading, PARAM_HEIGHT, height) < 0) ||
        (get_u32(rgba) != 0 && take_text(reading, PARAM_BACKGROUND, background, 8) < 0) ||
        take_number(reading, PARAM_YAW, PACKET_AT_RENDER_yaw_deg) < 0)
        return reading->err->code;
    return take_number(reading, PARAM_PITCH, PACKET_AT_RENDER_pitch_deg);
}

static int read_find(struct reading *reading)
{
    struct payload *payload = &reading->payload;
    if (payload_check_least(payload, PACKET_AT_FIND_name) < 0 ||
        payload_check_zeros(payload, PACKET_AT_FIND_reserved, 8) < 0)
        return reading->err->code;
    const unsigned what = get_u16(payload->bytes + PACKET_AT_FIND_what),
                   by = get_u16(payload->bytes + PACKET_AT_FIND_by);
    const uint32_t index = get_u32(payload->bytes + PACKET_AT_FIND_index);
    const size_t name_bytes = payload->size_bytes - PACKET_AT_FIND_name;
    if (what < FIND_CLIP || what > FIND_MESH || by > 1)
        return err_set(reading->err, ERR_BAD_PARAMETER, "find: 'what' is %u and 'by' is %u; see the table", what, by);
    if (by == 1 && payload_check_size(payload, PACKET_AT_FIND_name) < 0)
        return reading->err->code;
    if (by == 0 && (payload_check_zeros(payload, PACKET_AT_FIND_index, 4) < 0 ||
                    payload_check_text(payload, PACKET_AT_FIND_name, name_bytes, ERR_BAD_PARAMETER) < 0))
        return reading->err->code;
    struct buf *memory = &reading->request->memory;
    reading->request->find = (enum find_what)what;
    reading->request->found = (struct selector){.kind = by == 1 ? SELECT_INDEX : SELECT_NAME,
                                                .index = index,
                                                .name = memory->data + memory->size_bytes,
                                                .name_bytes = name_bytes};
    buf_put(memory, payload->bytes + PACKET_AT_FIND_name, name_bytes);
    buf_put_char(memory, '\0');
    return 0;
}

static int read_open(struct reading *reading)
{
    const struct payload *payload = &reading->payload;
    if (payload_check_text(&reading->payload, 0, payload->size_bytes, ERR_BAD_PATH) < 0)
        return reading->err->code;
    struct buf *memory = &reading->request->memory;
    reading->request->model = memory->data + memory->size_bytes;
    buf_put(memory, payload->bytes, payload->size_bytes);
    buf_put_char(memory, '\0');
    return request_check_path("model", reading->request->model, reading->err);
}

static int read_call(struct request *request, const struct packet *packet, const struct packet_model *model,
                     const struct limits *limits, size_t *bad_at, struct err *err)
{
    struct payload payload = payload_of(packet, bad_at, err);
    if (payload_check_least(&payload, PACKET_AT_CALL_target) < 0 ||
        payload_check_zeros(&payload, PACKET_AT_CALL_reserved, 2) < 0 ||
        payload_check_zeros(&payload, PACKET_AT_CALL_reserved2, 4) < 0)
        return err->code;
    const unsigned method = get_u16(payload.bytes + PACKET_AT_CALL_method);
    const uint32_t target_bytes = get_u32(payload.bytes + PACKET_AT_CALL_target_bytes);
    const uint32_t body_bytes = get_u32(payload.bytes + PACKET_AT_CALL_body_bytes);
    const char *target = payload.bytes + PACKET_AT_CALL_target;
    if (payload_check_size(&payload, (uint64_t)PACKET_AT_CALL_target + target_bytes + body_bytes) < 0)
        return err->code;
    if (method > 1 || (method == 0 && body_bytes > 0))
        return err_set(err, ERR_BAD_PARAMETER, "call: 'method' is %u; it must be 0, without a body, or 1", method);
    if (target_bytes > limits->value[LIMIT_URL_BYTES])
        return err_set(err, ERR_URI_TOO_LONG, "call: the target has %u bytes, the limit is %llu", target_bytes,
                       (unsigned long long)limits->value[LIMIT_URL_BYTES]);
    bool is_target = target_bytes > 0 && target[0] == '/';
    for (uint32_t i = 0; i < target_bytes; i++)
        is_target = is_target && target[i] > 0x20 && target[i] < 0x7f && target[i] != '#';
    if (!is_target)
        return err_set(err, ERR_BAD_REQUEST, "call: the target is not a path and a query as HTTP has them");
    const struct request_head head = {
        .method = method == 0 ? "GET" : "POST",
        .target = target,
        .target_bytes = target_bytes,
        .body = target + target_bytes,
        .body_bytes = body_bytes,
        .model = model == NULL ? NULL : model->path,
        .hash = model == NULL ? NULL : model->hash,
    };
    return request_parse(request, &head, limits, err);
}

static enum op op_of(const struct packet *packet, unsigned kind)
{
    switch (kind) {
    case PACKET_OPEN:
        return OP_OPEN;
    case PACKET_FIND:
        return OP_FIND;
    case PACKET_INFO:
        return OP_MODEL;
    case PACKET_PALETTE:
        return OP_PALETTE;
    case PACKET_POSE:
        return OP_POSE;
    case PACKET_MESH:
        return OP_MESH;
    case PACKET_RENDER:
        return OP_RENDER;
    case PACKET_SUBSCRIBE:
        kind = packet->payload_bytes < PACKET_AT_SUBSCRIBE_indices
                   ? 0
                   : get_u16(packet->payload + PACKET_AT_SUBSCRIBE_kind);
        return kind == PACKET_PALETTE || kind == PACKET_POSE || kind == PACKET_MESH ? op_of(packet, kind) : OP_COUNT;
    default:
        return OP_COUNT;
    }
}

static size_t fixed_bytes_of(unsigned kind)
{
    return kind == PACKET_RENDER      ? PACKET_AT_RENDER_times
           : kind == PACKET_SUBSCRIBE ? PACKET_AT_SUBSCRIBE_indices
                                      : PACKET_AT_QUERY_times;
}

static int read_fields(struct reading *reading)
{
    const struct packet_model *model = reading->model;
    const unsigned kind = reading->packet->kind;
    struct request *request = reading->request;
    if (kind == PACKET_INFO && payload_check_size(&reading->payload, 0) < 0)
        return reading->err->code;
    if (kind == PACKET_OPEN)
        return read_open(reading);
    if (request_take_model(request, model->path, model->hash, &reading->seen, reading->err) < 0)
        return reading->err->code;
    if (kind == PACKET_FIND)
        return read_find(reading);
    if ((kind != PACKET_INFO && read_query(reading) < 0) || (kind == PACKET_RENDER && read_picture(reading) < 0))
        return reading->err->code;
    return request_complete(request, &reading->seen, NULL, reading->limits, reading->err);
}

int packet_read_request(struct request *request, const struct packet *packet, const struct packet_model *model,
                        const struct limits *limits, size_t *bad_at, struct err *err)
{
    struct reading reading = {
        .payload = payload_of(packet, bad_at, err),
        .request = request,
        .packet = packet,
        .model = model,
        .limits = limits,
        .fixed_bytes = fixed_bytes_of(packet->kind),
        .err = err,
    };
    request_fini(request);
    if (packet->kind == PACKET_CALL)
        return read_call(request, packet, model, limits, bad_at, err);
    if (packet->kind == PACKET_SUBSCRIBE && payload_check_least(&reading.payload, PACKET_AT_SUBSCRIBE_indices) < 0)
        return err->code;
    request->op = op_of(packet, packet->kind);
    if (request->op == OP_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "%s: 'kind' must be 5, 6 or 7", packet_name(packet->kind));
    if (packet->kind != PACKET_OPEN && model == NULL)
        return err_set(err, ERR_MODEL_NOT_FOUND, "%s: the header names no model", packet_name(packet->kind));
    const size_t model_bytes = model == NULL ? 0 : strlen(model->path) + 1 + REQUEST_HASH_BYTES;
    const bool has_text = packet->kind == PACKET_OPEN || packet->kind == PACKET_FIND;
    if (request_reserve(request, model_bytes + TEXTS_BYTES + (has_text ? packet->payload_bytes : 0), err) < 0)
        return err->code;
    return read_fields(&reading);
}
