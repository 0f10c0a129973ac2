/* conn_http.c - HTTP on a connection: from bytes to requests, from each reply to its response. */
#include "daemon/conn/http_begin.h"
#include "daemon/conn/http_send.h"
#include "daemon/conn/http_take.h"

#include "base/mem.h"
#include "wire/http/websocket.h"

#include <stdlib.h>
#include <string.h>

enum { STATUS_PREFLIGHT = 204, STATUS_SWITCHING = 101 };

/* Answers requests that need no service: requests without permission, and a browser's preflight. */
static bool answer_without_service(struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    struct err err;
    if (http_check_access(conn, &err) < 0) {
        http_send_error(conn, &err, NULL);
        return true;
    }
    if (conn->is_admin || !access_is_preflight(conn->group->access, http))
        return false;
    struct reply reply;
    reply_init(&reply);
    reply.status = STATUS_PREFLIGHT;
    http_send_reply(conn, &reply);
    return true;
}

static void drop_upload(struct conn *conn)
{
    if (conn->upload != NULL)
        upload_abandon(conn->upload);
    conn->upload = NULL;
}

/* The connection speaks packets from now on. */
static void open_websocket(struct conn *conn)
{
    const struct conn_protocol *packets = conn->group->packets;
    const char *bytes = conn->in; /* bytes after the opening */
    size_t size_bytes = conn->in_bytes;
    struct buf head;
    struct err err;
    buf_init(&head, 0);
    const int rc = conn->group->is_draining
                       ? err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping")
                       : websocket_put_handshake(&head, &conn->parser.request, conn->traceparent, &err);
    if (rc < 0) {
        http_send_error(conn, &err, NULL);
    } else {
        struct reply reply;
        reply_init(&reply);
        reply.status = STATUS_SWITCHING;
        conn_count_reply(&reply);
        http_log_reply(conn, &reply, false);
        send_queue_put(&conn->out, head.data, head.size_bytes);
        packets->start(conn, &conn->parser.request);
        http_parser_fini(&conn->parser);
        conn->protocol = packets;
        conn->has_answered = false;
        packets->unwrap(conn, &bytes, &size_bytes);
        buf_fini(&conn->unread);
        conn->in = bytes;
        conn->in_bytes = size_bytes;
    }
    buf_fini(&head);
}

/* conn->call.request is parsed, or *err says why it is not. */
static void take_request(struct conn *conn, int rc, const struct err *err)
{
    struct call *call = &conn->call;
    conn->request = rc != ERR_NOT_FOUND ? &call->request : NULL; /* whose operation is unknown */
    if (rc < 0) {
        if (call->upload != NULL)
            upload_abandon(call->upload);
        http_send_error(conn, err, op_methods(call->request.op));
        request_fini(&call->request);
        return;
    }
    if (op_has(call->request.op, OP_WEBSOCKET) && websocket_is_wanted(&conn->parser.request)) {
        open_websocket(conn);
        request_fini(&call->request);
        return;
    }
    conn_start_call(conn);
}

/* The input of a thread is the head; its strings stay in the parser, except for the tags. */
static int parse_large(void *input, const struct limits *limits, struct request *request, struct err *err)
{
    return request_parse(request, input, limits, err);
}

/* In the meantime the token may have been revoked. */
static void take_large(struct conn *conn, void *input, int rc, const struct err *err)
{
    struct err late;
    int late_rc = http_check_access(conn, &late);
    (void)input;
    if (late_rc == 0 && rc == 0)
        late_rc = http_check_reservation(conn, &conn->call.request, &late);
    take_request(conn, late_rc < 0 ? late_rc : rc, late_rc < 0 ? &late : err);
}

static void free_head(void *input)
{
    struct request_head *head = input;
    free((char *)(uintptr_t)head->if_none_match);
    free(head);
}

static void start_parsing(struct conn *conn)
{
    static const struct conn_parse_work WORK = {.parse = parse_large, .parsed = take_large, .free = free_head};
    struct request_head *head = mem_zalloc(1, sizeof *head);
    *head = http_request_head(conn);
    head->if_none_match = head->if_none_match == NULL ? NULL : mem_strdup(head->if_none_match);
    conn_parse_start(conn, &WORK, head, 0);
}

static void begin_call(struct conn *conn)
{
    struct call *call = &conn->call;
    struct upload *upload = conn->upload;
    struct query_key key;
    struct err err;
    if (upload == NULL && http_answer_repeat(conn))
        return;
    http_note_unrepeatable(conn);
    http_begin_request(conn);
    conn->upload = NULL;
    if (upload == NULL && answer_without_service(conn))
        return;
    const bool is_preparable = upload == NULL && query_key_of_http(&conn->parser.request, &key);
    if (is_preparable && key.if_none_match != NULL)
        key.if_none_match = http_plain_tags(conn);
    struct reply reply;
    if (is_preparable && conn_answer_prepared(conn, &key, &reply)) {
        http_note_repeatable(conn, &key);
        http_send_reply(conn, &reply);
        return;
    }
    *call = (struct call){.upload = upload, .pieces = conn->parser.request.is_http_1_0 ? REPLY_SIZED : REPLY_CHUNKED};
    if (upload == NULL && conn_parse_is_long(conn->parser.request.body, conn->parser.request.body_bytes)) {
        start_parsing(conn);
        return;
    }
    const int rc = http_parse_request(conn, &call->request, &err);
    if (rc == 0 && is_preparable)
        prepared_queries_add(conn->group->queries, &key, &conn->place);
    take_request(conn, rc, &err);
}

static void on_upload_capacity(void *user) { conn_run(user); }

/* The head of an upload has arrived: its body goes to the service, which only the main loop has. */
static void begin_upload(struct conn *conn)
{
    struct service *service = dispatcher_service(conn->group->dispatcher);
    struct request request = {0};
    struct err err;
    if (service == NULL) {
        conn_enter(conn, CONN_MOVING); /* moved() begins it there */
        return;
    }
    http_begin_request(conn);
    int rc = http_check_access(conn, &err);
    if (rc == 0) {
        rc = http_parse_request(conn, &request, &err);
        conn->request = &request;
    }
    if (rc == 0)
        rc = service_upload_begin(service, &request, on_upload_capacity, conn, &conn->upload, &err);
    if (rc == 0)
        rc = http_parser_set_sink(&conn->parser, upload_sink(conn->upload), &err);
    if (rc < 0) {
        drop_upload(conn);
        conn->is_last = true; /* the body is not read */
        http_send_error(conn, &err, op_methods(request.op));
    }
    conn->request = NULL;
    request_fini(&request);
}

static void say_continue(struct conn *conn)
{
    if (!conn->parser.wants_continue || conn->is_last || conn->state == CONN_MOVING)
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
    http_begin_request(conn);
    conn->is_last = true;
    http_send_error(conn, err, NULL);
}

static void start(struct conn *conn, const struct http_request *opening)
{
    (void)opening;
    http_parser_init(&conn->parser, &conn->group->config->limits);
}

static void reply_to_call(struct conn *conn, struct reply *reply)
{
    struct err err;
    if (conn->call.is_abandoned) {
        http_log_reply(conn, reply, false);
        reply_fini(reply);
    } else if (conn->is_revoked && access_check(conn->group->access, &conn->parser.request, &err) < 0) {
        reply_fini(reply);
        conn->is_last = true;
        http_send_error(conn, &err, NULL);
    } else {
        http_send_reply(conn, reply);
    }
}

static void feed(struct conn *conn)
{
    struct err err;
    size_t used = 0;
    const int rc = http_parser_feed(&conn->parser, conn->in, conn->in_bytes, &used, &err);
    conn->in += used;
    conn->in_bytes -= used;
    if (rc == HTTP_COMPLETE) {
        timeout_disarm(&conn->timeout); /* restart the timeout for the next request */
        begin_call(conn);
    } else if (rc < 0) {
        refuse(conn, &err);
    } else if (rc == HTTP_HEAD_DONE) {
        begin_upload(conn);
    }
    if (conn->protocol != &PROTOCOL_HTTP)
        return; /* the parser is gone */
    if (rc >= 0 && rc != HTTP_COMPLETE)
        say_continue(conn);
    if (rc == HTTP_NEED_MORE && conn_check_capacity(conn, http_parser_held_bytes(&conn->parser), &err) < 0)
        refuse(conn, &err);
}

static enum timeout_kind timeout(const struct conn *conn)
{
    static const enum timeout_kind TIMEOUTS[] = {[HTTP_PHASE_IDLE] = TIMEOUT_IDLE,
                                                 [HTTP_PHASE_HEAD] = TIMEOUT_HEADER,
                                                 [HTTP_PHASE_BODY] = TIMEOUT_BODY,
                                                 [HTTP_PHASE_FAILED] = TIMEOUT_IDLE};
    return TIMEOUTS[conn->parser.phase];
}

static size_t held_bytes(const struct conn *conn) { return http_parser_held_bytes(&conn->parser); }

/* A client that closes a connection looks like one that only shuts down its sending side, until the server sends
 * something: the system of a disconnected client then resets the connection. So the server sends the start of every
 * response in advance. An interim response would not do, because a client that did not ask for one may take it for the
 * final response. */
static void probe(struct conn *conn)
{
    conn->input = INPUT_PROBED;
    conn->has_begun = true;
    conn->group->probed_count++;
    send_queue_put(&conn->out, HTTP_BEGINNING, sizeof HTTP_BEGINNING - 1);
}

/* A response that was queued before the server was told to stop promises more requests, which do not come any more. */
static bool drain(struct conn *conn)
{
    const bool is_idle = conn->parser.phase == HTTP_PHASE_IDLE;
    if (is_idle && conn->state == CONN_READING && conn->in_bytes == 0 && conn->out.unsent_bytes > 0)
        conn->is_last = true;
    return is_idle;
}

/* A complete upload is stored even if its token is revoked. In the middle of a body there is no way to report an
 * error. */
static bool end_if_revoked(struct conn *conn)
{
    const bool is_uploading = conn->upload != NULL,
               is_calling = conn->state == CONN_CALLING && !op_has(conn->call.request.op, OP_STORES);
    struct err err;
    if (!is_uploading && !is_calling && conn->state != CONN_STREAMING)
        return false;
    const char *token = access_bearer_token(conn->parser.request.authorization);
    if (token == NULL || !access_is_revoked(conn->group->access, token) ||
        access_check(conn->group->access, &conn->parser.request, &err) != ERR_UNAUTHORIZED)
        return false;
    if (conn->state == CONN_STREAMING)
        conn_close(conn);
    else if (is_calling)
        conn->is_revoked = true;
    else
        refuse(conn, &err);
    return true;
}

static void fini(struct conn *conn) { http_parser_fini(&conn->parser); }

const struct conn_protocol PROTOCOL_HTTP = {
    .start = start,
    .feed = feed,
    .timeout = timeout,
    .reply = reply_to_call,
    .held_bytes = held_bytes,
    .refuse = refuse,
    .probe = probe,
    .drain = drain,
    .revoke = end_if_revoked,
    .moved = moved,
    .close = drop_upload,
    .fini = fini,
};
