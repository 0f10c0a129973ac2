/* http_send.c - sends HTTP responses: heads, and bodies whole, in pieces and compressed. */
#include "daemon/conn/http_send.h"

#include "daemon/support/metrics.h"
#include "wire/http/reply_compress.h"
#include "wire/http/websocket.h"

#include <string.h>
#include <time.h>

enum {
    STATUS_OK = 200,
    STATUS_PREFLIGHT = 204,
    STATUS_ABANDONED = 499, /* in the log only: the client left before its response */
};

/* RFC 9110, 5.6.7. */
static const char *date_now(struct conn_group *group)
{
    const time_t now_s = time(NULL);
    struct tm utc;
    if (now_s != group->date_s && gmtime_r(&now_s, &utc) != NULL) {
        strftime(group->date, sizeof group->date, "%a, %d %b %Y %H:%M:%S GMT", &utc);
        group->date_s = now_s;
    }
    return group->date;
}

static void log_reply(const struct conn *conn, const struct reply *reply, int status, uint64_t body_bytes)
{
    const struct http_request *request = &conn->parser.request;
    const struct conn_log_names names = {.method = request->method, .path = request->target, .id = conn->id};
    conn_count_end(conn, METRIC_OP_NONE, status, body_bytes);
    conn_log_reply(conn, &names, reply, status, body_bytes);
}

void http_log_reply(const struct conn *conn, const struct reply *reply, bool has_body)
{
    if (conn->call.is_abandoned)
        log_reply(conn, reply, STATUS_ABANDONED, 0);
    else
        log_reply(conn, reply, reply->status, has_body ? reply_body_bytes(reply) : 0);
}

/* --- responses in pieces --- */

static void put_piece(struct conn *conn, struct buf *piece, bool is_last)
{
    (void)is_last;
    send_queue_put_bytes(&conn->out, piece);
}

static void put_chunk(struct conn *conn, struct buf *piece, bool is_last)
{
    char head[HTTP_CHUNK_HEAD_SIZE];
    if (piece->size_bytes > 0) {
        send_queue_put(&conn->out, head, http_chunk_head(head, piece->size_bytes));
        send_queue_put_bytes(&conn->out, piece);
        send_queue_put(&conn->out, HTTP_CHUNK_END, sizeof HTTP_CHUNK_END - 1);
    }
    if (is_last)
        send_queue_put(&conn->out, HTTP_LAST_CHUNK, sizeof HTTP_LAST_CHUNK - 1);
}

static void on_body_over(struct conn *conn, bool is_whole)
{
    log_reply(conn, NULL, is_whole ? STATUS_OK : STATUS_ABANDONED, conn_body_sent_bytes(conn));
    if (conn->group->is_draining)
        conn->is_last = true;
    http_parser_forget(&conn->parser);
}

static const struct conn_body_framing SIZED = {.put = put_piece, .over = on_body_over},
                                      CHUNKED = {.put = put_chunk, .over = on_body_over};

/* --- content codings --- */

const char *http_plain_tags(const struct conn *conn)
{
    struct buf *plain = &conn->group->plain_tags;
    const char *tags = conn->parser.request.if_none_match;
    return tags != NULL && coding_strip_etags(tags, conn->coding, plain) ? plain->data : tags;
}

static void compress(const struct conn *conn, struct reply *reply)
{
    const struct config *config = conn->group->config;
    const struct http_request *request = &conn->parser.request;
    if (config->compress == COMPRESS_OFF)
        return;
    const bool is_compressible = reply_is_compressible(reply, config->limits.value[LIMIT_COMPRESS_BYTES]);
    reply->is_vary_encoding = is_compressible || reply->is_json; /* a 304 does not know how large it would be */
    if (reply->status != 304) {
        if (is_compressible)
            reply_compress(reply, conn->coding, !request->is_http_1_0);
        return;
    }
    char plain[sizeof reply->etag];
    memcpy(plain, reply->etag, sizeof plain);
    reply_compress_etag(reply, conn->coding);
    if (!http_etag_matches(request->if_none_match, reply->etag))
        memcpy(reply->etag, plain, sizeof plain); /* the client's copy is the plain one */
}

/* --- responses --- */

static void describe(const struct conn *conn, const struct reply *reply, struct http_response *response)
{
    const struct http_request *request = &conn->parser.request;
    const struct access *access = conn->group->access;
    response->traceparent = conn->traceparent;
    response->cors_origin = conn->is_admin ? NULL : access_cors_origin(access, request->origin);
    response->is_preflight = reply->status == STATUS_PREFLIGHT;
    response->is_vary_origin = access_is_vary(access);
    response->is_head = request->is_head;
    response->is_http_1_0 = request->is_http_1_0;
}

/* The head of the answer to a repeat is mostly that of the previous one. Returns whether a body follows. */
static bool put_head(struct conn *conn, struct reply *reply)
{
    struct buf *out = send_queue_tail(&conn->out);
    const size_t before_bytes = out->size_bytes;
    const bool is_again = conn->parser.request.is_repeat && conn->reuse.is_allowed;
    struct http_response response = {.date = date_now(conn->group),
                                     .request_id = conn->id,
                                     .is_keep_alive = !conn->is_last,
                                     .has_begun = conn->has_begun};
    bool has_body = true;
    if (!is_again || !http_put_kept_head(&conn->reuse.head, reply, &response, out)) {
        compress(conn, reply);
        has_body = http_response_has_body(reply, conn->parser.request.is_head);
        describe(conn, reply, &response);
        http_response_head(reply, &response, out);
        if (is_again)
            http_keep_head(&conn->reuse.head, reply, &response, out->data + before_bytes,
                           out->size_bytes - before_bytes);
    }
    send_queue_count_tail(&conn->out, before_bytes);
    return has_body;
}

static void put_response(struct conn *conn, struct reply *reply)
{
    const bool has_body = put_head(conn, reply);
    if (reply->rest != NULL && !conn->parser.request.is_head) {
        conn_body_start(conn, reply, http_response_is_chunked(reply) ? &CHUNKED : &SIZED);
        return;
    }
    http_log_reply(conn, reply, has_body);
    if (has_body)
        send_queue_put_body(&conn->out, reply);
    http_parser_forget(&conn->parser);
}

void http_send_reply(struct conn *conn, struct reply *reply)
{
    const struct http_request *request = &conn->parser.request;
    const struct cache_policy *cache = &conn->group->proxies->cache;
    if (reply->cache_control == REPLY_KEEP_PLAIN)
        reply->cache_control = cache->plain;
    else if (reply->cache_control == REPLY_KEEP_IMMUTABLE)
        reply->cache_control = cache->immutable;
    conn_count_reply(reply);
    conn->has_answered = true;
    const bool is_goodbye = !request->is_repeat && (!request->is_keep_alive || websocket_is_named(request));
    if (is_goodbye || conn->group->is_draining)
        conn->is_last = true;
    put_response(conn, reply);
    conn->has_begun = false;
    conn_end_reply(conn, reply);
}

void http_send_error(struct conn *conn, const struct err *err, const char *allow)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    if (err->code == ERR_METHOD_NOT_ALLOWED && allow != NULL)
        reply.allow = allow;
    http_send_reply(conn, &reply);
}
