/* conn_log.c - what the statistics and the request log hear of each reply, over any protocol. */
#include "daemon/conn/conn.h"

#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#define NS_PER_MS 1e6

void conn_count_reply(const struct reply *reply)
{
    stats_add(STAT_REQUESTS_ANSWERED, 1);
    stats_add(STAT_REQUESTS_NOT_MODIFIED, reply->status == 304);
    if (reply->code != 0)
        stats_count_error(STAT_ERRORS_REQUESTS, reply->code);
}

void conn_log_reply(const struct conn *conn, const struct conn_log_names *names, const struct reply *reply, int status,
                    uint64_t body_bytes)
{
    static const char *const ORIGINS[] = {
        [MODEL_IN_MEMORY] = "memory", [MODEL_LOADED] = "disk", [MODEL_IMPORTED] = "import"};
    if (!log_has_requests())
        return;
    const struct request *request = conn->request;
    const struct call *call = &conn->call;
    const bool is_error = reply != NULL && reply->code != 0;
    const uint64_t elapsed_ns = uv_hrtime() - conn->start_ns;
    const uint64_t queue_ns = call->queue_ns < elapsed_ns ? call->queue_ns : elapsed_ns;
    log_request(&(struct log_request){
        .method = names->method,
        .path = names->path,
        .status = status,
        .body_bytes = body_bytes,
        .elapsed_ms = (double)elapsed_ns / NS_PER_MS,
        .id = names->id,
        .remote = conn->remote,
        .code = is_error ? err_name(reply->code) : NULL,
        .operation = request != NULL ? request_op_name(request->op) : names->operation,
        .model = request != NULL ? request->model : names->model,
        .origin = ORIGINS[call->origin],
        .queue_ms = (double)queue_ns / NS_PER_MS,
        .work_ms = (double)(reply != NULL ? elapsed_ns - queue_ns : conn_body_work_ns(conn)) / NS_PER_MS,
        .message = is_error ? reply->message.data : NULL,
        .message_bytes = is_error ? reply->message.size_bytes : 0,
    });
}
