#include "wire/packet/packet_request.h"

#include "base/ascii.h"
#include "base/bytes.h"
#include "wire/packet/packet_fields.h"

#include <string.h>

enum { TEXTS_BYTES = 1024 }; /* text size of the numbers and words of a packet: fewer than 16 of NUMBER_SIZE */

static int read_find(struct packet_parse *parse)
{
    struct payload *payload = &parse->payload;
    if (payload_check_least(payload, PACKET_AT_FIND_name) < 0 ||
        payload_check_zeros(payload, PACKET_AT_FIND_reserved, 8) < 0)
        return parse->err->code;
    const unsigned what = get_u16(payload->bytes + PACKET_AT_FIND_what),
                   by = get_u16(payload->bytes + PACKET_AT_FIND_by);
    const uint32_t index = get_u32(payload->bytes + PACKET_AT_FIND_index);
    const size_t name_bytes = payload->size_bytes - PACKET_AT_FIND_name;
    if (what < FIND_CLIP || what > FIND_MESH || by > 1)
        return err_set(parse->err, ERR_BAD_PARAMETER, "find: 'what' is %u and 'by' is %u; see the table", what, by);
    if (by == 1 && payload_check_size(payload, PACKET_AT_FIND_name) < 0)
        return parse->err->code;
    if (by == 0 && (payload_check_zeros(payload, PACKET_AT_FIND_index, 4) < 0 ||
                    payload_check_text(payload, PACKET_AT_FIND_name, name_bytes, ERR_BAD_PARAMETER) < 0))
        return parse->err->code;
    struct buf *memory = &parse->request->pose.memory;
    parse->request->find = (enum find_what)what;
    parse->request->found = (struct selector){.kind = by == 1 ? SELECT_INDEX : SELECT_NAME,
                                              .index = index,
                                              .name = memory->data + memory->size_bytes,
                                              .name_bytes = name_bytes};
    buf_put(memory, payload->bytes + PACKET_AT_FIND_name, name_bytes);
    buf_put_char(memory, '\0');
    return 0;
}

static int read_open(struct packet_parse *parse)
{
    const struct payload *payload = &parse->payload;
    if (payload_check_text(&parse->payload, 0, payload->size_bytes, ERR_BAD_PATH) < 0)
        return parse->err->code;
    struct buf *memory = &parse->request->pose.memory;
    parse->request->model = memory->data + memory->size_bytes;
    buf_put(memory, payload->bytes, payload->size_bytes);
    buf_put_char(memory, '\0');
    return request_check_model_path("model", parse->request->model, parse->err);
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
        is_target = is_target && ascii_is_visible(target[i]) && target[i] != '#';
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

/* Returns the operation of a packet; for a subscription that of its frames. */
static enum op op_of(const struct packet *packet)
{
    static const struct {
        unsigned kind;
        enum op op;
        bool is_streamed;
    } OPS[] = {{PACKET_OPEN, OP_OPEN, false},      {PACKET_FIND, OP_FIND, false}, {PACKET_INFO, OP_MODEL, false},
               {PACKET_PALETTE, OP_PALETTE, true}, {PACKET_POSE, OP_POSE, true},  {PACKET_MESH, OP_MESH, true},
               {PACKET_RENDER, OP_RENDER, false}};
    const bool is_stream = packet->kind == PACKET_SUBSCRIBE;
    const unsigned kind = is_stream ? get_u16(packet->payload + PACKET_AT_SUBSCRIBE_kind) : packet->kind;
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++)
        if (OPS[i].kind == kind && (OPS[i].is_streamed || !is_stream))
            return OPS[i].op;
    return OP_ALL_COUNT;
}

static size_t fixed_bytes_of(unsigned kind)
{
    return kind == PACKET_RENDER      ? PACKET_AT_RENDER_times
           : kind == PACKET_SUBSCRIBE ? PACKET_AT_SUBSCRIBE_indices
                                      : PACKET_AT_QUERY_times;
}

static int read_fields(struct packet_parse *parse)
{
    const struct packet_model *model = parse->model;
    const unsigned kind = parse->packet->kind;
    struct request *request = parse->request;
    if (kind == PACKET_INFO && payload_check_size(&parse->payload, 0) < 0)
        return parse->err->code;
    if (kind == PACKET_OPEN)
        return read_open(parse);
    if (request_take_model(request, model->path, model->hash, &parse->seen, parse->err) < 0)
        return parse->err->code;
    if (kind == PACKET_FIND)
        return read_find(parse);
    if ((kind != PACKET_INFO && packet_take_query(parse) < 0) || packet_take_more(parse) < 0 ||
        (kind == PACKET_RENDER && packet_take_picture(parse) < 0))
        return parse->err->code;
    return request_complete(request, &parse->seen, NULL, parse->limits, parse->err);
}

int packet_read_request(struct request *request, const struct packet *packet, const struct packet_model *model,
                        const struct limits *limits, size_t *bad_at, struct err *err)
{
    static const struct packet_model NONE = {.path = "none"};
    const bool lacks_model = packet->kind != PACKET_OPEN && packet->kind != PACKET_CALL && model == NULL;
    struct packet_parse parse = {
        .payload = payload_of(packet, bad_at, err),
        .request = request,
        .packet = packet,
        .model = lacks_model ? &NONE : model,
        .limits = limits,
        .fixed_bytes = fixed_bytes_of(packet->kind),
        .err = err,
    };
    request_fini(request);
    if (packet->kind == PACKET_CALL)
        return read_call(request, packet, model, limits, bad_at, err);
    if (packet->kind == PACKET_SUBSCRIBE && payload_check_least(&parse.payload, PACKET_AT_SUBSCRIBE_indices) < 0)
        return err->code;
    request->op = op_of(packet);
    if (request->op == OP_ALL_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "%s: 'kind' must be 5, 6 or 7", packet_name(packet->kind));
    const size_t model_bytes = parse.model == NULL ? 0 : strlen(parse.model->path) + 1 + REQUEST_HASH_BYTES;
    const bool has_text = packet->kind == PACKET_OPEN || packet->kind == PACKET_FIND;
    if (packet_open_more(&parse) < 0)
        return err->code;
    const size_t more_bytes = parse.more == NULL ? 0 : request_body_text_bytes(parse.more);
    int rc =
        request_reserve(request, model_bytes + TEXTS_BYTES + more_bytes + (has_text ? packet->payload_bytes : 0), err);
    if (rc == 0)
        rc = read_fields(&parse);
    cJSON_Delete(parse.more);
    if (lacks_model && *bad_at == PACKET_NOT_MALFORMED)
        return err_set(err, ERR_MODEL_NOT_FOUND, "%s: the header names no model", packet_name(packet->kind));
    return rc;
}
