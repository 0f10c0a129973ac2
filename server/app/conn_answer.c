/* conn_answer.c - from a whole request to its answer in the queue and its line in the log. */
#include "conn_state.h"

#include "log.h"
#include "stats.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

enum {
    STATUS_ABANDONED = 499, /* in the log only: nobody was there for the answer */
    STATUS_PREFLIGHT = 204,
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
        .body_bytes = is_sent && http_response_has_body(reply, is_head) ? reply->body.size_bytes : 0,
        .elapsed_ms = (double)(uv_hrtime() - conn->start_ns) / 1e6,
        .id = conn->id,
        .remote = conn->remote,
    });
}

static void count_answer(const struct reply *reply)
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
    count_answer(reply);
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

void conn_begin_call(struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    struct call *call = &conn->call;
    struct err err;
    begin_request(conn);
    if (answer_at_the_door(conn))
        return;
    *call = (struct call){.done = on_call_done};
    request_init(&call->request);
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
    if (request_parse(&call->request, &head, &conn->shared->config->limits, &err) < 0) {
        const char *allow = request_methods(call->request.op);
        request_fini(&call->request);
        answer_error(conn, &err, allow);
        return;
    }
    conn->is_calling = true;
    service_handle(conn->shared->service, call);
}

void conn_refuse(struct conn *conn, const struct err *err)
{
    begin_request(conn);
    conn->is_last = true;
    answer_error(conn, err, NULL);
}
