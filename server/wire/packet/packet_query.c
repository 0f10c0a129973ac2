/* packet_query.c - reads a packet's query about poses: its fields, times and indices as parameters of a request. */
#include "wire/packet/packet_fields.h"

#include "base/bytes.h"
#include "wire/encode/number.h"

#include <stdio.h>
#include <string.h>

enum { CLIP_FIRST = -2, CLIP_REST = -1 };

/* --- parameters --- */

/* Marks a parameter as given, if the operation accepts it. */
static int note(struct packet_parse *parse, int param)
{
    if ((REQUEST_PARAMS[param].ops & OP_BIT(parse->request->op)) == 0)
        return request_find_param(parse->request, REQUEST_PARAMS[param].name, parse->err) < 0
                   ? parse->err->code
                   : err_set(parse->err, ERR_UNKNOWN_PARAMETER, "'%s' means something else here",
                             REQUEST_PARAMS[param].name);
    parse->seen.has[param] = true;
    return 0;
}

/* Takes a text like a parameter of a query. The text is copied. */
static int take_text(struct packet_parse *parse, int param, const char *text, size_t size_bytes)
{
    struct buf *memory = &parse->request->pose.memory;
    char *copy = memory->data + memory->size_bytes;
    if (note(parse, param) < 0)
        return parse->err->code;
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    buf_advance(memory, size_bytes + 1);
    return request_take_text(parse->request, param, copy, size_bytes, parse->limits, parse->err);
}

static int take_number(struct packet_parse *parse, int param, size_t at)
{
    char text[NUMBER_SIZE];
    double number;
    if (payload_number(&parse->payload, at, REQUEST_PARAMS[param].name, &number) < 0)
        return parse->err->code;
    return take_text(parse, param, text, number_put_double(text, number));
}

static int take_uint(struct packet_parse *parse, int param, uint32_t number)
{
    char text[NUMBER_SIZE];
    return take_text(parse, param, text, (size_t)snprintf(text, sizeof text, "%u", number));
}

/* Takes a byte that is the index of one of the parameter's words; 0, the first word, is the default. */
static int take_word(struct packet_parse *parse, int param, size_t at)
{
    const unsigned word = (unsigned char)parse->payload.bytes[at];
    const char *text = REQUEST_PARAMS[param].values;
    unsigned count = 0;
    for (const char *c = text; *c != '\0' && count < word; c++)
        if (*c == '|') {
            text = c + 1;
            count++;
        }
    if (count == word)
        return word == 0 ? 0 : take_text(parse, param, text, strcspn(text, "|"));
    return err_set(parse->err, ERR_BAD_PARAMETER, "parameter '%s' is %u; it must be below %u",
                   REQUEST_PARAMS[param].name, word, count + 1);
}

/* --- the fields of a pose --- */

static uint32_t flags_of(const struct packet_parse *parse)
{
    return get_u32(parse->payload.bytes + PACKET_AT_QUERY_flags);
}

static int take_clip(struct packet_parse *parse)
{
    const int32_t clip = (int32_t)get_u32(parse->payload.bytes + PACKET_AT_QUERY_clip);
    if (clip < CLIP_FIRST)
        return err_set(parse->err, ERR_BAD_PARAMETER, "parameter 'clip' is %d; it must be an index, -1 or -2", clip);
    if (clip == CLIP_FIRST)
        return 0;
    parse->request->pose.clip = (struct selector){.kind = clip == CLIP_REST ? SELECT_REST : SELECT_INDEX,
                                                  .index = clip == CLIP_REST ? 0 : (uint32_t)clip};
    return note(parse, PARAM_CLIP);
}

/* Takes an index; -1 omits it. */
static int take_index(struct packet_parse *parse, int param, size_t at, struct selector *out)
{
    const int32_t index = (int32_t)get_u32(parse->payload.bytes + at);
    if (index < -1)
        return err_set(parse->err, ERR_BAD_PARAMETER, "parameter '%s' is %d; it must be an index or -1",
                       REQUEST_PARAMS[param].name, index);
    if (index == -1)
        return 0;
    *out = (struct selector){.kind = SELECT_INDEX, .index = (uint32_t)index};
    return note(parse, param);
}

static int take_words(struct packet_parse *parse)
{
    static const char *const WHATS[] = {"", "local", "scene", "local,scene"};
    const unsigned what = (unsigned char)parse->payload.bytes[PACKET_AT_QUERY_what];
    if (take_word(parse, PARAM_WRAP, PACKET_AT_QUERY_wrap) < 0 ||
        take_word(parse, PARAM_LAYOUT, PACKET_AT_QUERY_layout) < 0 ||
        take_word(parse, PARAM_SPACE, PACKET_AT_QUERY_space) < 0)
        return parse->err->code;
    if (what > 3)
        return err_set(parse->err, ERR_BAD_PARAMETER, "parameter 'what' is %u; it must be below 4", what);
    return what == 0 ? 0 : take_text(parse, PARAM_WHAT, WHATS[what], strlen(WHATS[what]));
}

/* Takes the numbers of the part of the clip; a number without its flag must be 0. */
static int take_span(struct packet_parse *parse)
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
        const bool is_given = (flags_of(parse) & NUMBERS[i].flag) != 0;
        const int rc = is_given ? take_number(parse, NUMBERS[i].param, NUMBERS[i].at)
                                : payload_check_zeros(&parse->payload, NUMBERS[i].at, sizeof(double));
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int take_flags(struct packet_parse *parse)
{
    const bool is_picture = op_has(parse->request->op, OP_PICTURE);
    const struct {
        unsigned flag;
        int param;
        const char *value;
    } flags[] = {{PACKET_QUERY_ROOT_MOTION, PARAM_ROOT_MOTION, "extract"},
                 {PACKET_QUERY_TURN, is_picture ? PARAM_ROOT_YAW : PARAM_TURN, "1"},
                 {PACKET_QUERY_INDICES, PARAM_INDICES, "1"},
                 {PACKET_QUERY_NORMALS, PARAM_NORMALS, "1"},
                 {PACKET_QUERY_REST, PARAM_REST, "1"},
                 {PACKET_QUERY_NO_TEXTURES, PARAM_TEXTURES, "none"},
                 {PACKET_QUERY_WEIGHTS, PARAM_WEIGHTS, "1"}};
    static const unsigned OTHERS = PACKET_QUERY_FROM | PACKET_QUERY_TO | PACKET_QUERY_SPEED | PACKET_QUERY_PHASE |
                                   PACKET_QUERY_RANGE | PACKET_QUERY_JSON | PACKET_QUERY_GLB;
    unsigned known = OTHERS | (parse->packet->kind == PACKET_SUBSCRIBE ? PACKET_QUERY_MORE : 0);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        known |= flags[i].flag;
        if ((flags_of(parse) & flags[i].flag) != 0 &&
            take_text(parse, flags[i].param, flags[i].value, strlen(flags[i].value)) < 0)
            return parse->err->code;
    }
    if ((flags_of(parse) & ~known) != 0)
        return err_set(parse->err, ERR_UNKNOWN_PARAMETER, "there is no flag %u", flags_of(parse) & ~known);
    return 0;
}

/* Sets binary format unless a flag says otherwise; a picture has its own format. */
static int take_format(struct packet_parse *parse)
{
    const unsigned wanted = flags_of(parse) & (PACKET_QUERY_JSON | PACKET_QUERY_GLB);
    const char *format = wanted == 0 ? "bin" : wanted == PACKET_QUERY_JSON ? "json" : "glb";
    if (wanted == (PACKET_QUERY_JSON | PACKET_QUERY_GLB))
        return err_set(parse->err, ERR_BAD_PARAMETER, "the flags 'json' and 'glb' do not go together");
    if (!op_has(parse->request->op, OP_PICTURE))
        return take_text(parse, request_format_param(parse->request->op), format, strlen(format));
    return wanted == 0 ? 0 : err_set(parse->err, ERR_BAD_PARAMETER, "a picture is neither 'json' nor 'glb'");
}

/* --- times and indices --- */

static int take_times(struct packet_parse *parse, uint32_t count)
{
    struct param_value value = {.request = parse->request, .limits = parse->limits, .name = "t", .err = parse->err};
    const bool is_range = (flags_of(parse) & PACKET_QUERY_RANGE) != 0;
    double range[3];
    if (count == 0 && !is_range)
        return 0;
    if (is_range && count != 3)
        return err_set(parse->err, ERR_BAD_PARAMETER, "parameter 't': a range is 3 numbers, not %u", count);
    if (note(parse, PARAM_T) < 0)
        return parse->err->code;
    for (uint32_t i = 0; i < count; i++) {
        double time_s;
        const size_t at = parse->fixed_bytes + (size_t)i * sizeof time_s;
        if (payload_number(&parse->payload, at, "t", &time_s) < 0)
            return parse->err->code;
        if (is_range)
            range[i] = time_s;
        else if (param_add_time(&value, time_s) < 0)
            return parse->err->code;
    }
    return is_range ? param_add_range(&value, range[0], range[1], range[2]) : 0;
}

static int take_indices(struct packet_parse *parse, uint32_t count, size_t at)
{
    const int param = (REQUEST_PARAMS[PARAM_JOINTS].ops & OP_BIT(parse->request->op)) != 0 ? PARAM_JOINTS : PARAM_SKIN;
    struct request *request = parse->request;
    struct buf *list = param == PARAM_JOINTS ? &request->pose.lists.joints : &request->lists.skins;
    const uint64_t most = parse->limits->value[LIMIT_BODY_VALUES];
    if (count == 0)
        return 0;
    if (count > most)
        return err_set(parse->err, ERR_BODY_TOO_LARGE, "the packet names %u indices, at most %llu", count,
                       (unsigned long long)most);
    if (note(parse, param) < 0)
        return parse->err->code;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = get_u32(parse->payload.bytes + at + (size_t)i * sizeof index);
        if (index > INT32_MAX)
            return err_set(parse->err, ERR_BAD_PARAMETER, "the index %u is too large", index);
        const struct selector selector = {.kind = SELECT_INDEX, .index = index};
        buf_put(list, &selector, sizeof selector);
    }
    return 0;
}

/* Returns the size of the fields with times and indices. */
static uint64_t lists_end(const struct packet_parse *parse)
{
    return parse->fixed_bytes + (uint64_t)get_u32(parse->payload.bytes + PACKET_AT_QUERY_time_count) * sizeof(double) +
           (uint64_t)get_u32(parse->payload.bytes + PACKET_AT_QUERY_index_count) * sizeof(uint32_t);
}

static int take_lists(struct packet_parse *parse)
{
    const uint32_t times = get_u32(parse->payload.bytes + PACKET_AT_QUERY_time_count);
    const uint32_t indices = get_u32(parse->payload.bytes + PACKET_AT_QUERY_index_count);
    const uint64_t times_bytes = (uint64_t)times * sizeof(double);
    if (parse->more == NULL && payload_check_size(&parse->payload, lists_end(parse)) < 0)
        return parse->err->code;
    if (parse->packet->kind == PACKET_SUBSCRIBE && (times > 0 || (flags_of(parse) & PACKET_QUERY_RANGE) != 0))
        return err_set(parse->err, ERR_BAD_PARAMETER, "subscribe: the times are the stream's, not the request's");
    if (take_times(parse, times) < 0)
        return parse->err->code;
    return take_indices(parse, indices, parse->fixed_bytes + (size_t)times_bytes);
}

/* --- all of them --- */

int packet_take_query(struct packet_parse *parse)
{
    struct request *request = parse->request;
    if (payload_check_least(&parse->payload, (uint32_t)parse->fixed_bytes) < 0 ||
        payload_check_zeros(&parse->payload, PACKET_AT_QUERY_reserved, 4) < 0 || take_lists(parse) < 0 ||
        take_clip(parse) < 0 || take_words(parse) < 0 ||
        take_index(parse, PARAM_MESH, PACKET_AT_QUERY_mesh, &request->mesh) < 0 ||
        take_index(parse, PARAM_ROOT, PACKET_AT_QUERY_root, &request->motion.root) < 0 || take_flags(parse) < 0 ||
        take_span(parse) < 0)
        return parse->err->code;
    return take_format(parse);
}

int packet_open_more(struct packet_parse *parse)
{
    if (parse->packet->kind != PACKET_SUBSCRIBE || (flags_of(parse) & PACKET_QUERY_MORE) == 0)
        return 0;
    const uint64_t at = lists_end(parse);
    if (at >= parse->payload.size_bytes)
        return payload_check_size(&parse->payload, at + 2) < 0 ? parse->err->code : 0;
    const struct request_head head = {.body = parse->payload.bytes + at,
                                      .body_bytes = (size_t)(parse->payload.size_bytes - at)};
    return request_open_body(&head, parse->limits, &parse->more, parse->err);
}

int packet_take_more(struct packet_parse *parse)
{
    static const int OF_STREAM[] = {PARAM_T, PARAM_ESTIMATE, PARAM_END};
    if (parse->more == NULL)
        return 0;
    if (request_take_body(parse->request, parse->more, &parse->seen, parse->limits, parse->err) < 0)
        return parse->err->code;
    const char *given = param_given(&parse->seen, OF_STREAM);
    return given == NULL
               ? 0
               : err_set(parse->err, ERR_BAD_PARAMETER,
                         "subscribe: parameter '%s' does not go with a stream, whose times are its own", given);
}

int packet_take_picture(struct packet_parse *parse)
{
    const char *bytes = parse->payload.bytes;
    const unsigned char *rgba = (const unsigned char *)bytes + PACKET_AT_RENDER_background;
    const uint32_t width = get_u32(bytes + PACKET_AT_RENDER_width), height = get_u32(bytes + PACKET_AT_RENDER_height);
    char background[9];
    snprintf(background, sizeof background, "%02x%02x%02x%02x", rgba[0], rgba[1], rgba[2], rgba[3]);
    if (payload_check_zeros(&parse->payload, PACKET_AT_RENDER_reserved, 4) < 0 ||
        (width > 0 && take_uint(parse, PARAM_WIDTH, width) < 0) ||
        (height > 0 && take_uint(parse, PARAM_HEIGHT, height) < 0) ||
        (get_u32(rgba) != 0 && take_text(parse, PARAM_BACKGROUND, background, 8) < 0) ||
        take_number(parse, PARAM_YAW, PACKET_AT_RENDER_yaw_deg) < 0)
        return parse->err->code;
    return take_number(parse, PARAM_PITCH, PACKET_AT_RENDER_pitch_deg);
}
