/* conn_http.c - HTTP on a connection: bytes to requests, a request to its answer in the queue and its line in the log.
 */
#include "conn_state.h"

#include "../wire/websocket.h"
#include "log.h"
#include "packets.h"
#include "stats.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

enum {
    STATUS_ABANDONED = 499, /* in the log only: nobody was there for the answer */
    STATUS_PREFLIGHT = 204,
    STATUS_SWITCHING = 101,
    OVERLOAD_RETRY_S = 1,
};

static const char *date_now(void)
{
    static char text[HTTP_DATE_SIZE];
    static time_t written_s = -1;
    const time_t now_s = time(NULL);
    if (now_s != written_s)
        http_date(written_s = now_s, text);
    return text;
}

static void log_answer(const struct conn *conn, const struct reply *reply, bool is_head)
{
    const struct http_request *request = &conn->parser.request;
    const bool is_sent = !conn->call.is_abandoned;
    log_request(&(struct log_request){
        .method = request->method,
        .path = request->target,
        .status = is_sent ? reply->status : STATUS_ABANDONED,
        .body_bytes = is_sent && http_response_has_body(reply, is_head) ? reply_body_bytes(reply) : 0,
        .elapsed_ms = (double)(uv_hrtime() - conn->start_ns) / 1e6,
        .id = conn->id,
        .remote = conn->remote,
    });
}

void conn_count_answer(const struct reply *reply)
{
    stats_add(STAT_REQUESTS_ANSWERED, 1);
    stats_add(STAT_REQUESTS_NOT_MODIFIED, reply->status == 304);
    if (reply->code != 0)
        stats_end(STAT_ENDS_REQUESTS, reply->code);
}

/* Queues the answer to parser.request; takes *reply. */
static void answer(struct conn *conn, struct reply *reply)
{
    const struct http_request *request = &conn->parser.request;
    conn_count_answer(reply);
    log_answer(conn, reply, request->is_head);
    conn->has_answered = true;
    if (!request->is_keep_alive || conn->shared->is_draining)
        conn->is_last = true;
    out_put_answer(&conn->out, reply,
                   &(struct http_response){
                       .date = date_now(),
                       .request_id = conn->id,
                       .cors_origin = access_cors_origin(conn->shared->access, request->origin),
                       .is_preflight = reply->status == STATUS_PREFLIGHT,
                       .is_vary_origin = access_is_vary(conn->shared->access),
                       .is_head = request->is_head,
                       .is_http_1_0 = request->is_http_1_0,
                       .is_keep_alive = !conn->is_last,
                   });
    reply_fini(reply);
    http_forget(&conn->parser);
}

/* allow: the methods that the resource takes, for 405; NULL where no resource is known. */
static void answer_error(struct conn *conn, const struct err *err, const char *allow)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    if (err->code == ERR_METHOD_NOT_ALLOWED && allow != NULL)
        reply.allow = allow;
    if (err->code == ERR_OVERLOADED)
        reply.retry_after_s = OVERLOAD_RETRY_S;
    answer(conn, &reply);
}

/* Notes when the request was there and by which id it goes. */
static void begin_request(struct conn *conn)
{
    const char *given = conn->parser.request.request_id;
    conn->start_ns = uv_hrtime();
    if (given != NULL)
        snprintf(conn->id, sizeof conn->id, "%s", given);
    else
        snprintf(conn->id, sizeof conn->id, "%016" PRIx64, conn->shared->next_id++);
}

static void on_call_done(struct call *call, struct reply *reply)
{
    struct conn *conn = (struct conn *)((char *)call - offsetof(struct conn, call));
    conn->is_calling = false;
    conn_forget_probe(conn);
    if (conn->is_closing) {
        request_fini(&call->request);
        stats_add(STAT_REQUESTS_ABANDONED, 1);
        log_answer(conn, reply, false);
        reply_fini(reply);
        conn_free_when_done(conn);
        return;
    }
    answer(conn, reply); /* which may name a file as the request does */
    request_fini(&call->request);
    conn_run(conn);
}

/* Answers what needs no service: the refused, and the question of a browser before it sends a page's request. */
static bool answer_at_the_door(struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    struct err err;
    if (access_check(conn->shared->access, http, &err) < 0) {
        answer_error(conn, &err, NULL);
        return true;
    }
    if (!access_is_preflight(conn->shared->access, http))
        return false;
    struct reply reply;
    reply_init(&reply);
    reply.status = STATUS_PREFLIGHT;
    answer(conn, &reply);
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
        .if_none_match = http->if_none_match,
        .content_type = http->content_type,
        .body = http->body,
        .body_bytes = http->body_bytes,
    };
    request_init(request);
    return request_parse(request, &head, &conn->shared->config->limits, err);
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
        answer_error(conn, &err, NULL);
    } else {
        conn_count_answer(&reply);
        log_answer(conn, &reply, false);
        out_put(&conn->out, head.data, head.size_bytes);
        packets_start_websocket(conn);
    }
    buf_fini(&head);
}

static void begin_call(struct conn *conn)
{
    struct call *call = &conn->call;
    struct err err;
    begin_request(conn);
    *call = (struct call){.done = on_call_done, .upload = conn->upload};
    conn->upload = NULL;
    if (call->upload == NULL && answer_at_the_door(conn))
        return;
    if (parse_request(conn, &call->request, &err) < 0) {
        const char *allow = request_methods(call->request.op);
        if (call->upload != NULL)
            upload_abandon(call->upload);
        request_fini(&call->request);
        answer_error(conn, &err, allow);
        return;
    }
    if (call->request.op == OP_STREAM && websocket_is_wanted(&conn->parser.request)) {
        request_fini(&call->request);
        open_websocket(conn);
        return;
    }
    conn->is_calling = true;
    service_handle(conn->shared->service, call);
}

static void on_upload_room(void *user) { conn_run(user); }

static void begin_upload(struct conn *conn)
{
    struct request request = {0};
    struct err err;
    begin_request(conn);
    int rc = access_check(conn->shared->access, &conn->parser.request, &err);
    if (rc == 0)
        rc = parse_request(conn, &request, &err);
    if (rc == 0)
        rc = service_upload_begin(conn->shared->service, &request, on_upload_room, conn, &conn->upload, &err);
    if (rc == 0)
        rc = http_set_sink(&conn->parser, upload_sink(conn->upload), &err);
    if (rc < 0) {
        drop_upload(conn);
        conn->is_last = true; /* the body is not read */
        answer_error(conn, &err, request_methods(request.op));
    }
    request_fini(&request);
}

static void refuse(struct conn *conn, const struct err *err)
{
    drop_upload(conn);
    begin_request(conn);
    conn->is_last = true;
    answer_error(conn, err, NULL);
}

static void feed(struct conn *conn)
{
    struct err err;
    size_t used = 0;
    const int rc = http_feed(&conn->parser, conn->in, conn->in_bytes, &used, &err);
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
    if (conn->language != &CONN_HTTP)
        return; /* there is no parser any more */
    if (rc >= 0 && rc != HTTP_COMPLETE && conn->parser.wants_continue && !conn->is_last) {
        out_put(&conn->out, HTTP_CONTINUE, sizeof HTTP_CONTINUE - 1);
        conn->parser.wants_continue = false;
    }
    const size_t body_bytes = http_held_bytes(&conn->parser);
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

static size_t held_bytes(const struct conn *conn) { return http_held_bytes(&conn->parser); }

/* Who closes a connection looks like who only shuts down the sending side, until something is sent: then the system of
 * one that is gone resets it. An interim answer may be sent at any time before the answer, but not to HTTP/1.0
 * (RFC 9110, 15.2). */
static void probe(struct conn *conn)
{
    if (conn->parser.request.is_http_1_0)
        return;
    conn->is_probed = true;
    conn->shared->probed_count++;
    out_put(&conn->out, HTTP_CONTINUE, sizeof HTTP_CONTINUE - 1);
}

static void sent(struct conn *conn) { (void)conn; }

static bool drain(struct conn *conn) { return conn->parser.phase == HTTP_PHASE_IDLE; }

static void fini(struct conn *conn) { http_fini(&conn->parser); }

const struct conn_language CONN_HTTP = {
    .feed = feed,
    .phase = phase,
    .held_bytes = held_bytes,
    .refuse = refuse,
    .probe = probe,
    .sent = sent,
    .drain = drain,
    .close = drop_upload,
    .fini = fini,
};
