/* packets_reply.c - sends replies and errors of a packet connection, including the last one. */
#include "daemon/packets/packets.h"

#include "daemon/support/log.h"
#include "daemon/support/metrics.h"
#include "wire/http/websocket.h"

#include <stdio.h>

enum { STATUS_OK = 200, STATUS_ABANDONED = 499 /* as over HTTP */ };

static const char ZEROS[PACKET_ALIGNMENT];

static size_t size_of(const struct buf *buf) { return buf == NULL ? 0 : buf->size_bytes; }

/* --- a body in pieces: its size is known, and nothing else is sent meanwhile --- */

static void put_piece(struct conn *conn, struct buf *piece, bool is_last)
{
    struct buf *tail = &conn->packets->body_tail;
    send_queue_put_bytes(&conn->out, piece);
    if (is_last)
        send_queue_put(&conn->out, tail->data, tail->size_bytes);
}

static void log_packet(const struct conn *conn, const struct reply *reply, int status, uint64_t body_bytes);

static void on_body_over(struct conn *conn, bool is_whole)
{
    log_packet(conn, NULL, is_whole ? STATUS_OK : STATUS_ABANDONED, conn_body_sent_bytes(conn));
    buf_fini(&conn->packets->body_tail);
    packet_reader_forget(&conn->packets->reader);
    if (is_whole && conn->group->is_draining)
        packets_end_for_shutdown(conn);
}

static const struct conn_body_framing BODY = {.put = put_piece, .over = on_body_over};

void packets_put(struct conn *conn, struct packet *packet, const struct buf *head, struct reply *reply,
                 const struct buf *notes)
{
    const bool has_rest = reply != NULL && reply->rest != NULL;
    const uint64_t body_bytes = reply == NULL ? 0 : reply_body_bytes(reply) + (has_rest ? reply->rest_bytes : 0);
    if (conn->packets->is_over)
        return;
    struct buf *tail = send_queue_tail(&conn->out);
    const size_t before = tail->size_bytes;
    packet->payload_bytes = (uint32_t)(size_of(head) + body_bytes + size_of(notes));
    packet->note_bytes = (uint32_t)size_of(notes);
    if (conn->packets->websocket != NULL)
        websocket_put_head(tail, PACKET_HEADER_BYTES + (uint64_t)packet->payload_bytes +
                                     packet_padding(packet->payload_bytes));
    packet_put_header(tail, packet);
    if (head != NULL)
        buf_put(tail, head->data, head->size_bytes);
    send_queue_count_tail(&conn->out, before);
    if (has_rest) {
        struct buf *end = &conn->packets->body_tail;
        if (notes != NULL)
            buf_put(end, notes->data, notes->size_bytes);
        buf_put(end, ZEROS, packet_padding(packet->payload_bytes));
        conn_body_start(conn, reply, &BODY);
        return;
    }
    if (body_bytes > 0)
        send_queue_put_body(&conn->out, reply);
    if (size_of(notes) > 0)
        send_queue_put(&conn->out, notes->data, notes->size_bytes);
    if (packet_padding(packet->payload_bytes) > 0)
        send_queue_put(&conn->out, ZEROS, packet_padding(packet->payload_bytes));
}

void packets_set_model(struct conn *conn, struct packet *packet, uint32_t model, const struct reply *reply)
{
    struct model_handle *handle = model_handles_find(&conn->packets->handles, model);
    packet->flags |= reply->stale_s > 0 ? PACKET_HEADER_STALE : 0;
    if (handle == NULL)
        return;
    const bool is_other = reply->has_content && model_handle_update(handle, reply->content_hash);
    packet->model = model;
    packet->generation = reply->has_content ? handle->generation : 0;
    packet->flags |= is_other ? PACKET_HEADER_CHANGED : 0;
}

/* The packet's kind and the model of its handle name the request. */
static void log_packet(const struct conn *conn, const struct reply *reply, int status, uint64_t body_bytes)
{
    const struct packet *asked = &conn->packets->asked;
    char path[256], id[16];
    conn_count_end(conn, METRIC_OP_PACKET, status, body_bytes);
    if (!log_has_requests())
        return;
    const struct model_handle *handle = model_handles_find(&conn->packets->handles, asked->model);
    const char *kind = asked->kind == 0 ? "-" : packet_name(asked->kind), *model = handle == NULL ? NULL : handle->path;
    snprintf(path, sizeof path, "%s%s%s", kind, model == NULL ? "" : " ", model == NULL ? "" : model);
    snprintf(id, sizeof id, "%u", asked->id);
    const struct conn_log_names names = {.method = "PACKET", .path = path, .id = id, .operation = kind, .model = model};
    conn_log_reply(conn, &names, reply, status, body_bytes);
}

static void count_and_log(const struct conn *conn, const struct reply *reply)
{
    if (conn->packets->asked.kind == 0 && reply->code == ERR_SHUTTING_DOWN)
        return; /* not an answer to a request */
    conn_count_reply(reply);
    if (reply->rest == NULL)
        log_packet(conn, reply, reply->status, reply_body_bytes(reply));
}

void packets_send_reply(struct conn *conn, struct reply *reply, uint64_t bad_offset)
{
    const struct packet *asked = &conn->packets->asked;
    struct packet_envelope frame;
    if (reply_body_bytes(reply) + (reply->rest == NULL ? 0 : reply->rest_bytes) >
        UINT32_MAX - PACKET_HEADER_BYTES * PACKET_ALIGNMENT) {
        struct err err;
        err_set(&err, ERR_TOO_MANY_FRAMES, "the answer does not fit a packet");
        reply_error(reply, &err, NULL, 0);
    }
    count_and_log(conn, reply);
    conn->has_answered = true;
    packet_envelope_wrap(&frame, reply, asked->id, bad_offset);
    packets_set_model(conn, &frame.packet, asked->model, reply);
    if (conn->is_last)
        frame.packet.flags |= PACKET_HEADER_CLOSING;
    packets_put(conn, &frame.packet, &frame.front, frame.has_body ? reply : NULL, &frame.notes);
    packet_envelope_fini(&frame);
    conn_end_reply(conn, reply);
    if (conn->state != CONN_STREAMING)
        packet_reader_forget(&conn->packets->reader);
}

void packets_send_error(struct conn *conn, const struct err *err, uint64_t bad_offset)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    packets_send_reply(conn, &reply, bad_offset);
}

void packets_reply_to_call(struct conn *conn, struct reply *reply)
{
    struct packets *packets = conn->packets;
    if (conn->call.is_abandoned) {
        log_packet(conn, reply, STATUS_ABANDONED, 0);
        reply_fini(reply);
        return;
    }
    if (conn->is_revoked) {
        struct err err;
        reply_fini(reply);
        err_set(&err, ERR_UNAUTHORIZED, "the token is not one of this server's");
        packets_end_with_error(conn, &err, PACKET_NO_OFFSET);
        return;
    }
    if (packets->asked.kind == PACKET_OPEN && reply->code == 0) /* opening a model returns a handle */
        packets->asked.model = model_handles_add(&packets->handles, conn->call.request.model, reply->content_hash);
    packets_send_reply(conn, reply, PACKET_NO_OFFSET);
    if (conn->state != CONN_STREAMING && conn->group->is_draining)
        packets_end_for_shutdown(conn);
}

void packets_send_done(struct conn *conn)
{
    const struct packet *asked = &conn->packets->asked;
    const struct model_handle *handle = model_handles_find(&conn->packets->handles, asked->model);
    struct reply reply;
    struct packet done = {.kind = PACKET_DONE,
                          .id = asked->id,
                          .model = handle == NULL ? 0 : asked->model,
                          .generation = handle == NULL ? 0 : handle->generation};
    reply_init(&reply);
    count_and_log(conn, &reply);
    conn->has_answered = true;
    packets_put(conn, &done, NULL, NULL, NULL);
}

/* Nothing follows this. */
static void close_websocket(struct conn *conn, unsigned status)
{
    struct buf out;
    buf_init(&out, 0);
    websocket_put_close(&out, status);
    send_queue_put(&conn->out, out.data, out.size_bytes);
    buf_fini(&out);
    conn->packets->is_over = true;
}

void packets_end_with_error(struct conn *conn, const struct err *err, uint64_t bad_offset)
{
    streams_end_all(conn, 0);
    model_watches_remove(conn, 0);
    conn->is_last = true;
    conn_begin_request(conn);
    packets_send_error(conn, err, bad_offset);
    if (conn->packets->websocket != NULL)
        close_websocket(conn, bad_offset != PACKET_NO_OFFSET   ? WEBSOCKET_PROTOCOL_ERROR
                              : err->code == ERR_SHUTTING_DOWN ? WEBSOCKET_GOING_AWAY
                                                               : WEBSOCKET_POLICY);
}

void packets_refuse(struct conn *conn, const struct err *err)
{
    conn->packets->asked = (struct packet){0};
    packets_end_with_error(conn, err, PACKET_NO_OFFSET);
}

void packets_end_for_shutdown(struct conn *conn)
{
    struct err err;
    err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping");
    packets_refuse(conn, &err);
}

int packets_check_place(const struct conn *conn, const char *things, uint32_t count, enum limit limit, struct err *err)
{
    const uint64_t most = conn->group->config->limits.value[limit];
    if (count >= most)
        return err_set(err, ERR_OVERLOADED, "the connection has %llu %s, which is all it may have",
                       (unsigned long long)most, things);
    if (!budget_has_capacity(conn->group->budget, 0))
        return err_set(err, ERR_OVERLOADED, "the memory for clients is used up; try again later");
    return 0;
}
