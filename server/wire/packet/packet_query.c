/* packet_query.c - what a packet asks of a model's pose: its fields, times and indices as parameters of a request. */
#include "wire/packet/packet_parts.h"

#include "base/bytes.h"
#include "wire/encode/number.h"
#include "wire/request/request_values.h"

#include <stdio.h>
#include <string.h>

enum { CLIP_FIRST = -2, CLIP_REST = -1 };

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
        return take_text(reading, request_format_param(reading->request->op), format, strlen(format));
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

/* --- all of them --- */

int reading_take_query(struct reading *reading)
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

int reading_take_picture(struct reading *reading)
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
