/* packets_requests.c - turns packets into requests to the service. */
#include "daemon/packets/packets.h"
#include "daemon/conn/large_request.h"

#include "base/mem.h"
#include "daemon/evaluation/prepared_queries.h"
#include "wire/request/crowd_request.h"
#include "wire/request/request_raycast.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int packets_find_model(struct conn *conn, const struct packet *packet, struct packet_model *out, struct err *err)
{
    const struct model_handle *handle = model_handles_find(&conn->packets->handles, packet->model);
    *out = (struct packet_model){0};
    if (packet->model == 0 && packet->generation != 0)
        return err_set(err, ERR_BAD_PARAMETER, "%s: a generation, but no model", packet_name(packet->kind));
    if (packet->model == 0)
        return 0;
    if (handle == NULL)
        return err_set(err, ERR_MODEL_NOT_FOUND, "%s: the handle %u is not open", packet_name(packet->kind),
                       packet->model);
    if (packet->generation != 0 && packet->generation != handle->generation)
        return err_set(err, ERR_HASH_MISMATCH, "%s: the model of handle %u is at generation %u, not %u",
                       packet_name(packet->kind), packet->model, handle->generation, packet->generation);
    *out = (struct packet_model){.path = handle->path, .hash = packet->generation == 0 ? NULL : handle->hash};
    return 0;
}

void packets_send_failure(struct conn *conn, size_t bad_at, const struct err *err)
{
    if (bad_at == PACKET_NOT_MALFORMED)
        packets_send_error(conn, err, PACKET_NO_OFFSET);
    else
        packets_end_with_error(conn, err, conn->packets->reader.offset + bad_at);
}

/* conn->call.request is read, or *err says why it is not. */
static void take_request(struct conn *conn, int rc, size_t bad_at, const struct err *err)
{
    if (rc < 0) {
        request_fini(&conn->call.request);
        packets_send_failure(conn, bad_at, err);
        if (conn->group->is_draining && !conn->is_last) /* the drain began while a thread read the request */
            packets_end_for_shutdown(conn);
        return;
    }
    conn->request = &conn->call.request;
    conn_start_call(conn);
}

/* A packet with a long payload, which a thread parses, with copies of its data. */
struct long_call {
    struct packet packet;
    struct packet_model model;
    char *path, *hash; /* of `model`; or NULL */
    size_t bad_at;
    char payload[];
};

static void free_long_call(void *input)
{
    struct long_call *call = input;
    free(call->path);
    free(call->hash);
    free(call);
}

/* model: of the packet's header, or NULL. */
static void start_long_call(struct conn *conn, const struct conn_parse_work *work, const struct packet *packet,
                            const struct packet_model *model)
{
    struct long_call *call = mem_zalloc(1, sizeof *call + packet->payload_bytes);
    call->packet = *packet;
    call->bad_at = PACKET_NOT_MALFORMED;
    call->path = model == NULL ? NULL : mem_strdup(model->path);
    call->hash = model == NULL || model->hash == NULL ? NULL : mem_strdup(model->hash);
    call->model = (struct packet_model){.path = call->path, .hash = call->hash};
    memcpy(call->payload, packet->payload, packet->payload_bytes);
    call->packet.payload = call->payload;
    conn_parse_start(conn, work, call, packet->payload_bytes);
    packet_reader_forget(&conn->packets->reader); /* it is not in memory twice */
}

static int read_long_call(void *input, const struct limits *limits, struct request *request, struct err *err)
{
    struct long_call *call = input;
    return packet_read_request(request, &call->packet, call->path == NULL ? NULL : &call->model, limits, &call->bad_at,
                               err);
}

static void take_long_call(struct conn *conn, void *input, int rc, const struct err *err)
{
    take_request(conn, rc, ((const struct long_call *)input)->bad_at, err);
}

static void begin(struct conn *conn, const struct packet *packet, const struct packet_model *model)
{
    const struct limits *limits = &conn->group->config->limits;
    struct call *call = &conn->call;
    struct query_key key;
    struct err err;
    size_t bad_at = PACKET_NOT_MALFORMED;
    const bool is_preparable = model != NULL && query_key_of_packet(packet, model->path, model->hash, &key);
    struct reply reply;
    if (is_preparable && conn_answer_prepared(conn, &key, &reply)) {
        packets_send_reply(conn, &reply, PACKET_NO_OFFSET);
        packets_answer_row(conn, packet);
        return;
    }
    /* a WebSocket frame starts with its length, and pongs must not wait for its end */
    *call = (struct call){.pieces = conn->packets->websocket == NULL ? REPLY_SIZED : REPLY_WHOLE};
    if (packet->kind == PACKET_CALL && packet->payload_bytes > LARGE_JSON_BYTES) {
        static const struct conn_parse_work WORK = {
            .parse = read_long_call, .parsed = take_long_call, .free = free_long_call};
        start_long_call(conn, &WORK, packet, model);
        return;
    }
    const int rc = packet_read_request(&call->request, packet, model, limits, &bad_at, &err);
    if (rc == 0 && is_preparable)
        prepared_queries_add(conn->group->queries, &key, &conn->place);
    take_request(conn, rc, bad_at, &err);
}

/* Refuses an unknown handle. If the packet is malformed as well, it reports that, because the client may have
 * miscounted its own bytes. */
static void refuse_model(struct conn *conn, const struct packet *packet, const struct err *err)
{
    struct request request = {0};
    struct err form;
    size_t bad_at;
    packet_read_request(&request, packet, NULL, &conn->group->config->limits, &bad_at, &form);
    request_fini(&request);
    packets_send_failure(conn, bad_at, bad_at == PACKET_NOT_MALFORMED ? err : &form);
}

/* Gives the models of a crowd, perhaps one of a raycast, that have handles their paths: copies, in the request's
 * memory. */
static int find_crowd_models(const struct conn *conn, struct request *request, struct err *err)
{
    struct crowd_request *crowd = request->crowd;
    const struct model_handles *handles = &conn->packets->handles;
    size_t path_bytes = 0;
    for (uint32_t i = 0; i < crowd->model_count; i++) {
        const struct model_handle *handle = model_handles_find(handles, crowd->models[i].handle);
        path_bytes += handle == NULL ? 0 : strlen(handle->path) + 1;
    }
    buf_init(&request->pose.memory, path_bytes + 1);
    if (buf_reserve(&request->pose.memory, path_bytes + 1) == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a crowd of %u models", crowd->model_count);
    for (uint32_t i = 0; i < crowd->model_count; i++) {
        struct crowd_model *model = &crowd->models[i];
        const struct model_handle *handle = model_handles_find(handles, model->handle);
        if (model->path != NULL)
            continue;
        if (handle == NULL) {
            err_set(&model->err, ERR_MODEL_NOT_FOUND, "the handle %u is not open", model->handle);
            continue;
        }
        model->path = request->pose.memory.data + request->pose.memory.size_bytes;
        buf_put(&request->pose.memory, handle->path, strlen(handle->path) + 1);
    }
    return op_has(request->op, OP_RAYS) ? request_complete_raycast(request, err) : request_complete_crowd(request, err);
}

static int read_crowd(const struct packet *packet, const struct limits *limits, struct request *request, size_t *bad_at,
                      struct err *err)
{
    return packet->kind == PACKET_RAYCAST ? packet_read_raycast(request, packet, limits, bad_at, err)
                                          : packet_read_crowd(request, packet, limits, bad_at, err);
}

/* conn->call.request is read, all but the paths of handles, which the loop has; or *err says why it is not. */
static void take_crowd(struct conn *conn, int rc, size_t bad_at, const struct err *err)
{
    struct err missing;
    if (rc == 0 && (rc = find_crowd_models(conn, &conn->call.request, &missing)) < 0)
        err = &missing;
    take_request(conn, rc, bad_at, err);
}

static int read_long_crowd(void *input, const struct limits *limits, struct request *request, struct err *err)
{
    struct long_call *call = input;
    return read_crowd(&call->packet, limits, request, &call->bad_at, err);
}

static void take_long_crowd(struct conn *conn, void *input, int rc, const struct err *err)
{
    take_crowd(conn, rc, ((const struct long_call *)input)->bad_at, err);
}

static void start_crowd(struct conn *conn, const struct packet *packet)
{
    struct call *call = &conn->call;
    struct err err;
    size_t bad_at;
    *call = (struct call){.pieces = REPLY_WHOLE};
    if (packet->payload_bytes > LARGE_BINARY_BYTES) {
        static const struct conn_parse_work WORK = {
            .parse = read_long_crowd, .parsed = take_long_crowd, .free = free_long_call};
        start_long_call(conn, &WORK, packet, NULL);
        return;
    }
    const int rc = read_crowd(packet, &conn->group->config->limits, &call->request, &bad_at, &err);
    take_crowd(conn, rc, bad_at, &err);
}

void packets_start_call(struct conn *conn, const struct packet *packet)
{
    struct packet_model model;
    struct err err;
    if (packet->kind == PACKET_CROWD || packet->kind == PACKET_RAYCAST) {
        start_crowd(conn, packet);
        return;
    }
    if (packets_find_model(conn, packet, &model, &err) < 0)
        refuse_model(conn, packet, &err);
    else if (packet->kind == PACKET_OPEN &&
             packets_check_place(conn, "handles", conn->packets->handles.count, LIMIT_HANDLES, &err) < 0)
        packets_send_failure(conn, PACKET_NOT_MALFORMED, &err);
    else
        begin(conn, packet, model.path == NULL ? NULL : &model);
}
