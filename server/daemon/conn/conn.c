/* conn.c - one connection: its state, its calls, its end, and the statistics and log of its replies. */
#include "daemon/conn/conn.h"
#include "daemon/conn/large_request.h"

#include "base/container_of.h"
#include "daemon/support/log.h"
#include "daemon/support/metrics.h"
#include "daemon/support/stats.h"
#include "daemon/threads/work.h"
#include "wire/http/url.h"

#include <assert.h>
#include <stdlib.h>

#define NS_PER_MS 1e6

enum {
    SPARE_BODY_MAX_BYTES = 65536,
    LARGE_UNREAD_BYTES = 65536, /* freeing more takes a good part of a millisecond for each megabyte */
};

/* --- state --- */

#define TO(state) (1u << CONN_##state)

void conn_enter(struct conn *conn, enum conn_state state)
{
    static const unsigned NEXT[CONN_STATE_COUNT] = {
        [CONN_REFUSED] = TO(LINGERING) | TO(CLOSING),
        [CONN_READING] = TO(PARSING) | TO(CALLING) | TO(STREAMING) | TO(MOVING) | TO(LINGERING) | TO(CLOSING),
        [CONN_PARSING] = TO(READING) | TO(CLOSING),
        [CONN_CALLING] = TO(READING) | TO(LINGERING) | TO(CLOSING),
        [CONN_STREAMING] = TO(READING) | TO(CLOSING),
        [CONN_MOVING] = TO(READING) | TO(AWAY) | TO(CLOSING),
        [CONN_LINGERING] = TO(CLOSING),
        [CONN_AWAY] = TO(READING),
        [CONN_CLOSING] = TO(CLOSED),
    };
    assert((NEXT[conn->state] >> state & 1) != 0);
    conn->state = state;
}

static void free_replies(void *out)
{
    send_queue_fini(out);
    send_queue_thread_end();
}

/* Many clients may leave at once: a work thread frees what takes long. */
static void free_queue(struct conn *conn)
{
    if (conn->out.unsent_bytes <= LARGE_UNREAD_BYTES && send_queue_held_bytes(&conn->out) <= LARGE_UNREAD_BYTES)
        send_queue_fini(&conn->out);
    else
        work_free(conn->group->loop, &conn->out, sizeof conn->out, free_replies);
}

static void free_when_done(struct conn *conn)
{
    if (conn->state != CONN_CLOSED || conn->pending_count > 0)
        return;
    budget_count(conn->group->budget, &conn->counted_bytes, 0);
    if (conn->protocol != NULL)
        conn->protocol->fini(conn);
    free_queue(conn);
    buf_fini(&conn->unread);
    buf_fini(&conn->reuse.head.bytes);
    free(conn);
}

void conn_release(struct conn *conn)
{
    conn->pending_count--;
    free_when_done(conn);
}

static void on_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    struct conn_group *group = conn->group;
    conn_enter(conn, CONN_CLOSED);
    conn_unlink(conn);
    free_when_done(conn);
    group->closed(group);
}

static void clear_probe(struct conn *conn)
{
    if (conn->input != INPUT_PROBED)
        return;
    conn->group->probed_count--;
    conn->input = INPUT_ENDED;
}

void conn_close(struct conn *conn)
{
    const bool is_calling = conn->state == CONN_CALLING;
    if (conn_is_gone(conn))
        return;
    conn_enter(conn, CONN_CLOSING);
    conn_unqueue(conn);
    clear_probe(conn);
    if (conn->protocol != NULL)
        conn->protocol->close(conn);
    if (is_calling)
        dispatcher_cancel(conn->group->dispatcher, &conn->call);
    conn_body_stop(conn);
    timeout_disarm(&conn->timeout);
    uv_close(&conn->socket.handle, on_closed); /* the descriptor, at once */
    if (conn->count != COUNT_NONE)
        address_counts_remove(conn->group->addresses, &conn->address);
    conn->group->admin_count -= conn->is_admin;
    if (!conn->is_admin)
        atomic_fetch_sub_explicit(conn->group->all_open_count, 1, memory_order_relaxed);
}

/* --- calls --- */

static void on_call_done(struct call *call, struct reply *reply)
{
    struct conn *conn = container_of(call, struct conn, call);
    const bool is_abandoned = conn->state != CONN_CALLING;
    const bool is_large = conn->parsed_bytes > LARGE_REQUEST_BYTES;
    if (conn->waiting_bytes > 0)
        budget_request_ends(conn->group->budget, conn->waiting_bytes);
    conn->waiting_bytes = conn->parsed_bytes = 0;
    if (!is_abandoned)
        conn_enter(conn, CONN_READING);
    clear_probe(conn);
    stats_add(STAT_REQUESTS_ABANDONED, is_abandoned);
    conn->protocol->reply(conn, reply); /* which may name a file as the request does */
    if (conn->state != CONN_STREAMING && is_large)
        large_request_free(conn->group->loop, &call->request);
    else if (conn->state != CONN_STREAMING)
        prepared_queries_fill(&conn->place, &call->request);
    conn->pending_count--;
    if (is_abandoned)
        free_when_done(conn);
    else
        conn_run(conn);
}

void conn_begin_request(struct conn *conn)
{
    conn->request = NULL;
    conn->place = (struct query_hint){0};
    conn->call.origin = MODEL_UNKNOWN;
    conn->call.queue_ns = 0;
    conn->start_ns = log_has_requests() ? uv_hrtime() : 0;
}

int conn_check_capacity(struct conn *conn, size_t held_bytes, struct err *err)
{
    if (held_bytes <= BUDGET_SMALL_BYTES || budget_has_capacity(conn->group->budget, 0))
        return 0;
    stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
    return err_set(err, ERR_OVERLOADED, "too many large requests are being received; try again later");
}

/* A request of many parts has to find room for them. */
static int count_large(struct conn *conn, struct err *err)
{
    struct budget *budget = conn->group->budget;
    if (conn->parsed_bytes <= LARGE_REQUEST_BYTES)
        return 0;
    if (!budget_request_begins(budget, conn->parsed_bytes)) {
        stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
        return err_set(err, ERR_OVERLOADED, "requests without an answer yet fill half of --client-memory %llu",
                       (unsigned long long)budget->max_bytes);
    }
    conn->waiting_bytes = conn->parsed_bytes;
    return 0;
}

void conn_start_call(struct conn *conn)
{
    struct err err;
    conn->call.done = on_call_done;
    if (conn->start_ns == 0)
        conn->start_ns = uv_hrtime();
    conn->parsed_bytes = request_parts_bytes(&conn->call.request);
    conn->pending_count++;
    conn_enter(conn, CONN_CALLING);
    if (count_large(conn, &err) == 0) {
        dispatcher_handle(conn->group->dispatcher, &conn->call);
        return;
    }
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, &err, NULL, 0);
    on_call_done(&conn->call, &reply);
}

/* query: NULL if there is none. */
static bool answer_query(struct conn *conn, struct prepared_query *query, const struct query_key *key,
                         struct reply *reply)
{
    struct conn_group *group = conn->group;
    if (query == NULL)
        return false;
    reply_init(reply);
    reply->body = group->spare_body;
    buf_init(&group->spare_body, 0);
    if (!query->is_quick && conn->start_ns == 0)
        conn->start_ns = uv_hrtime();
    if (dispatcher_answer_query(group->dispatcher, query, key, reply)) {
        stats_add(STAT_REQUESTS_REPEATED, 1);
        conn->is_quick = query->is_quick;
        conn->request = &query->request;
        conn->call.origin = MODEL_IN_MEMORY;
        return true;
    }
    conn_end_reply(conn, reply);
    return false;
}

bool conn_answer_prepared(struct conn *conn, struct query_key *key, struct reply *reply)
{
    return answer_query(conn, prepared_queries_find(conn->group->queries, key, &conn->hint), key, reply);
}

bool conn_answer_again(struct conn *conn, const struct query_key *key, struct reply *reply)
{
    return answer_query(conn, prepared_queries_hinted(conn->group->queries, &conn->hint), key, reply);
}

void conn_end_reply(struct conn *conn, struct reply *reply)
{
    struct conn_group *group = conn->group;
    if (reply->body.data != NULL && group->spare_body.data == NULL &&
        reply->body.capacity_bytes <= SPARE_BODY_MAX_BYTES) {
        group->spare_body = reply->body;
        buf_clear(&group->spare_body);
        buf_init(&reply->body, 0);
    }
    reply_fini(reply);
}

/* --- statistics and request log of each reply --- */

void conn_count_reply(const struct reply *reply)
{
    stats_add(STAT_REQUESTS_ANSWERED, 1);
    stats_add(STAT_REQUESTS_NOT_MODIFIED, reply->status == 304);
    if (reply->code != 0)
        stats_count_error(STAT_ERRORS_REQUESTS, reply->code);
}

/* True for requests that balancers and monitoring send every few seconds. */
static bool is_probe(const char *path)
{
    static const char *const PATHS[] = {"/healthz", "/livez", "/readyz", "/metrics"};
    const size_t bytes = path == NULL ? 0 : strcspn(path, "?");
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++)
        if (url_is_word(path, bytes, PATHS[i]))
            return true;
    return false;
}

/* Without a log, a reply without a call takes about a microsecond, and reading the clock would be a good part of
 * that. */
void conn_count_end(const struct conn *conn, int operation, int status, uint64_t body_bytes)
{
    struct conn_group *group = conn->group;
    group->ended_ns = conn->start_ns != 0 ? uv_hrtime() : 0;
    metrics_count_request(conn->request != NULL ? (int)conn->request->op : operation, status,
                          group->ended_ns - conn->start_ns, body_bytes);
}

void conn_log_reply(const struct conn *conn, const struct conn_log_names *names, const struct reply *reply, int status,
                    uint64_t body_bytes)
{
    static const char *const ORIGINS[] = {
        [MODEL_IN_MEMORY] = "memory", [MODEL_LOADED] = "disk", [MODEL_IMPORTED] = "import"};
    const struct request *request = conn->request;
    const bool may_be_probe = status < 400 && (request == NULL || request->model == NULL);
    if (!log_has_requests() || (may_be_probe && !conn->group->config->logs_probes && is_probe(names->path)))
        return;
    char trace[TRACE_ID_SIZE] = "";
    if (conn->traceparent[0] != '\0')
        trace_context_id(conn->traceparent, trace);
    const struct call *call = &conn->call;
    const bool is_error = reply != NULL && reply->code != 0;
    const uint64_t elapsed_ns = conn->group->ended_ns - conn->start_ns;
    const uint64_t queue_ns = call->queue_ns < elapsed_ns ? call->queue_ns : elapsed_ns;
    log_request(&(struct log_request){
        .method = names->method,
        .path = names->path,
        .status = status,
        .body_bytes = body_bytes,
        .elapsed_ms = (double)elapsed_ns / NS_PER_MS,
        .id = names->id,
        .remote = conn->client[0] != '\0' ? conn->client : conn->remote,
        .trace = trace,
        .code = is_error ? err_name(reply->code) : NULL,
        .operation = request != NULL ? OP_INFO[request->op].name : names->operation,
        .model = request != NULL ? request->model : names->model,
        .origin = ORIGINS[call->origin],
        .queue_ms = (double)queue_ns / NS_PER_MS,
        .work_ms = (double)(reply != NULL ? elapsed_ns - queue_ns : conn_body_work_ns(conn)) / NS_PER_MS,
        .message = is_error ? reply->message.data : NULL,
        .message_bytes = is_error ? reply->message.size_bytes : 0,
    });
}
