/* packets_requests.c - packets that the service answers: from packet to request. */
#include "daemon/packets/packets.h"

#include "daemon/service/prepared_queries.h"

#include <stddef.h>

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
    if (packet_read_request(&call->request, packet, model, limits, &bad_at, &err) < 0) {
        request_fini(&call->request);
        packets_send_failure(conn, bad_at, &err);
        return;
    }
    conn->request = &call->request;
    if (is_preparable)
        prepared_queries_add(conn->group->queries, &key, &conn->place);
    conn_start_call(conn);
}

/* A client that asks about a handle that is not open may have lost count of its own bytes: if so, says that. */
static void refuse_model(struct conn *conn, const struct packet *packet, const struct err *err)
{
    struct request request = {0};
    struct err form;
    size_t bad_at;
    packet_read_request(&request, packet, NULL, &conn->group->config->limits, &bad_at, &form);
    request_fini(&request);
    packets_send_failure(conn, bad_at, bad_at == PACKET_NOT_MALFORMED ? err : &form);
}

void packets_start_call(struct conn *conn, const struct packet *packet)
{
    struct packet_model model;
    struct err err;
    if (packets_find_model(conn, packet, &model, &err) < 0)
        refuse_model(conn, packet, &err);
    else if (packet->kind == PACKET_OPEN &&
             packets_check_place(conn, "handles", conn->packets->handles.count, LIMIT_HANDLES, &err) < 0)
        packets_send_failure(conn, PACKET_NOT_MALFORMED, &err);
    else
        begin(conn, packet, model.path == NULL ? NULL : &model);
}
