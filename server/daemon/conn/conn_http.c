/* conn_http.c - HTTP on a connection: bytes to requests, a request to its answer. */
#include "daemon/conn/conn_http.h"

#include "base/container_of.h"
#include "base/hex.h"
#include "wire/request/accept.h"
#include "wire/http/websocket.h"
#include "daemon/support/log.h"
#include "daemon/packets/packets.h"
#include "daemon/service/prepared_queries.h"
#include "daemon/support/stats.h"

#include <stddef.h>
#include <stdio.h>

enum { STATUS_PREFLIGHT = 204, STATUS_SWITCHING = 101, MADE_ID_DIGITS = 16 };

/* Notes when the request was there and by which id it goes. */
static void begin_request(struct conn *conn)
{
    const char *given = conn->parser.request.request_id;
    if (log_has_requests())
        conn->start_ns = uv_hrtime();
    conn->coding = conn->shared->config->compress == COMPRESS_OFF ? CODING_NONE
                                                                  : accept_coding(conn->parser.request.accept_encoding);
    if (given != NULL) {
        snprintf(conn->id, sizeof conn->id, "%s", given);
        return;
    }
    hex_put_number(conn->id, conn->shared->next_id++, MADE_ID_DIGITS);
    conn->id[MADE_ID_DIGITS] = '\0';
}

static void on_call_done(struct call *call, struct reply *reply)
{
    struct conn *conn = container_of(call, struct conn, call);
    conn->is_calling = false;
    conn_clear_probe(conn);
    if (conn->is_closing) {
        stats_add(STAT_REQUESTS_ABANDONED, 1);
        http_log_reply(conn, reply, false);
        reply_fini(reply);
        request_fini(&call->request);
        conn_free_when_done(conn);
        return;
    }
    http_send_reply(conn, reply); /* which may name a file as the request does */
    if (conn->body == NULL)
        request_fini(&call->request);
    conn_run(conn);
}

/* Answers what needs no service: the refused, and the question of a browser before it sends a page's request. */
static bool answer_at_the_door(struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    struct err err;
    if (access_check(conn->shared->access, http, &err) < 0) {
        http_send_error(conn, &err, NULL);
        return true;
    }
    if (!access_is_preflight(conn->shared->access, http))
        return false;
    struct reply reply;
    reply_init(&reply);
    reply.status = STATUS_PREFLIGHT;
    http_send_reply(conn, &reply);
    return true;
}

static int parse_request(const struct conn *conn, struct request *request, struct err *err)
{
    const struct http_request *http = &conn->parser.request;
    const struct request_head head = {
        .method = http->method,
        .target = http->target,
        .target_bytes = http->target_bytes,
        .accept = http->accept,
        .if_none_match = http_plain_tags(conn),
        .content_type = http->content_type,
        .body = http->body,
        .body_bytes = http->body_bytes,
    };
    request_init(request);
    const int rc = request_parse(request, &head, &conn->shared->config->limits, err);
    if (rc < 0 || request->op != OP_FILE || http->reservation == NULL)
        return rc;
    return err_set(err, ERR_BAD_REQUEST,
                   "%s: uploads and deletes are of a whole model as it is, and take no such header", http->reservation);
}

static void drop_upload(struct conn *conn)
{
    if (conn->upload != NULL)
        upload_abandon(conn->upload);
    conn->upload = NULL;
}

/* From now on the connection speaks packets. */
static void open_websocket(struct conn *conn)
{
    struct buf head;
    struct err err;
    struct reply reply;
    buf_init(&head, 0);
    reply_init(&reply);
    reply.status = STATUS_SWITCHING;
    int rc = conn->shared->is_draining ? err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping")
                                       : websocket_put_handshake(&head, &conn->parser.request, &err);
    if (rc < 0) {
        http_send_error(conn, &err, NULL);
    } else {
        conn_count_reply(&reply);
        http_log_reply(conn, &reply, false);
        send_queue_put(&conn->out, head.data, head.size_bytes);
        packets_start_websocket(conn);
    }
    buf_fini(&head);
}

/* A query that was asked before, but for its time. */
static bool answer_again(struct conn *conn, struct query_key *key)
{
    struct reply reply;
    if (!conn_answer_prepared(conn, key, &reply))
        return false;
    http_send_reply(conn, &reply);
    return true;
}

/* The request is good: the next of its kind may be answered again. */
static void remember(struct conn *conn, const struct query_key *key)
{
    struct prepared_query *query = prepared_queries_add(conn->shared->memo, key);
    struct err err;
    if (query != NULL)
        parse_request(conn, &query->request, &err);
}

static void begin_call(struct conn *conn)
{
    struct call *call = &conn->call;
    struct query_key key;
    struct err err;
    begin_request(conn);
    *call = (struct call){
        .done = on_call_done,
        .upload = conn->upload,
        .pieces = conn->parser.request.is_http_1_0 ? REPLY_SIZED : REPLY_CHUNKED,
    };
    conn->upload = NULL;
    if (call->upload == NULL && answer_at_the_door(conn))
        return;
    const bool may_come_again = call->upload == NULL && query_key_of_http(&conn->parser.request, &key);
    if (may_come_again)
        key.if_none_match = http_plain_tags(conn);
    if (may_come_again && answer_again(conn, &key))
        return;
    if (parse_request(conn, &call->request, &err) < 0) {
        const char *allow = request_methods(call->request.op);
        if (call->upload != NULL)
            upload_abandon(call->upload);
        request_fini(&call->request);
        http_send_error(conn, &err, allow);
        return;
    }
    if (may_come_again)
        remember(conn, &key);
    if (call->request.op == OP_STREAM && websocket_is_wanted(&conn->parser.request)) {
        request_fini(&call->request);
        open_websocket(conn);
        return;
    }
    conn->is_calling = true;
    dispatcher_handle(conn->shared->dispatcher, call);
}

static void on_upload_room(void *user) { conn_run(user); }

/* Uploads are the service's own. */
static void begin_upload(struct conn *conn)
{
    struct service *service = dispatcher_service(conn->shared->dispatcher);
    struct request request = {0};
    struct err err;
    if (service == NULL) {
        conn->is_moving = true; /* and begins there */
        return;
    }
    begin_request(conn);
    int rc = access_check(conn->shared->access, &conn->parser.request, &err);
    if (rc == 0)
        rc = parse_request(conn, &request, &err);
    if (rc == 0)
        rc = service_upload_begin(service, &request, on_upload_room, conn, &conn->upload, &err);
    if (rc == 0)
        rc = http_parser_set_sink(&conn->parser, upload_sink(conn->upload), &err);
    if (rc < 0) {
        drop_upload(conn);
        conn->is_last = true; /* the body is not read */
        http_send_error(conn, &err, request_methods(request.op));
    }
    request_fini(&request);
}

static void say_continue(struct conn *conn)
{
    if (!conn->parser.wants_continue || conn->is_last || conn->is_moving)
        return;
    send_queue_put(&conn->out, HTTP_CONTINUE, sizeof HTTP_CONTINUE - 1);
    conn->parser.wants_continue = false;
}

static void moved(struct conn *conn)
{
    begin_upload(conn);
    say_continue(conn);
}

static void refuse(struct conn *conn, const struct err *err)
{
    drop_upload(conn);
    begin_request(conn);
    conn->is_last = true;
    http_send_error(conn, err, NULL);
}

static void feed(struct conn *conn)
{
    struct err err;
    size_t used = 0;
    const int rc = http_parser_feed(&conn->parser, conn->in, conn->in_bytes, &used, &err);
    conn->in += used;
    conn->in_bytes -= used;
    if (rc == HTTP_COMPLETE) {
        timeout_disarm(&conn->timeout); /* the next request's time starts anew */
        begin_call(conn);
    } else if (rc < 0) {
        refuse(conn, &err);
    } else if (rc == HTTP_HEAD_DONE) {
        begin_upload(conn);
    }
    if (conn->language != &PROTOCOL_HTTP)
        return; /* there is no parser any more */
    if (rc >= 0 && rc != HTTP_COMPLETE)
        say_continue(conn);
    const size_t body_bytes = http_parser_held_bytes(&conn->parser);
    if (rc == HTTP_NEED_MORE && body_bytes > BUDGET_SMALL_BYTES && !budget_has_room(conn->shared->budget, 0)) {
        stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
        err_set(&err, ERR_OVERLOADED, "too many large requests are being received; try again later");
        refuse(conn, &err);
    }
}

static enum conn_phase phase(const struct conn *conn)
{
    switch (conn->parser.phase) {
    case HTTP_PHASE_HEAD:
        return CONN_PHASE_HEAD;
    case HTTP_PHASE_BODY:
        return CONN_PHASE_BODY;
    case HTTP_PHASE_IDLE:
    case HTTP_PHASE_FAILED:
        break;
    }
    return CONN_PHASE_IDLE;
}

static size_t held_bytes(const struct conn *conn) { return http_parser_held_bytes(&conn->parser); }

/* Who closes a connection looks like who only shuts down the sending side, until something is sent: then the system of
 * one that is gone resets it. An interim answer may be sent at any time before the answer, but not to HTTP/1.0
 * (RFC 9110, 15.2). */
static void probe(struct conn *conn)
{
    if (conn->parser.request.is_http_1_0)
        return;
    conn->is_probed = true;
    conn->shared->probed_count++;
    send_queue_put(&conn->out, HTTP_CONTINUE, sizeof HTTP_CONTINUE - 1);
}

static void sent(struct conn *conn) { (void)conn; }

static bool drain(struct conn *conn) { return conn->parser.phase == HTTP_PHASE_IDLE; }

static void fini(struct conn *conn) { http_parser_fini(&conn->parser); }

const struct conn_protocol PROTOCOL_HTTP = {
    .feed = feed,
    .phase = phase,
    .held_bytes = held_bytes,
    .refuse = refuse,
    .probe = probe,
    .sent = sent,
    .drain = drain,
    .moved = moved,
    .close = drop_upload,
    .fini = fini,
};
