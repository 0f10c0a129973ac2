#include "conn.h"

#include "../base/mem.h"
#include "../wire/http.h"
#include "address.h"
#include "log.h"
#include "out.h"

#include <inttypes.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum {
    UNREAD_MAX = 16384, /* waiting bytes from which on a client is left in its socket */
    ID_SIZE = 65,
    STATUS_ABANDONED = 499, /* in the log only: nobody was there for the answer */
    OVERLOAD_RETRY_S = 1,
};

struct conn {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct conn_shared *shared;
    struct conn *prev, *next;
    struct timeout timeout;
    size_t write_mark; /* unread_by_client() when the write timeout began: less now is progress */
    struct http_parser parser;
    struct call call;
    struct out out;
    const char *in; /* bytes not yet parsed: in shared->read_bytes during a read event, in `unread` between */
    size_t in_bytes;
    struct buf unread;
    uint64_t start_ns; /* when the request under way was whole */
    char id[ID_SIZE];  /* its id */
    char remote[ADDRESS_SIZE];
    bool is_calling; /* the service has the call */
    bool is_running; /* run() is on the stack */
    bool is_reading;
    bool is_last; /* nothing is answered after what is in `out` */
    bool is_eof;  /* the client has shut down its sending side */
    bool is_lingering;
    bool is_closing, is_closed;
    bool has_answered; /* at least once */
};

static void run(struct conn *conn);

static void free_when_done(struct conn *conn)
{
    if (!conn->is_closed || conn->is_calling)
        return;
    http_fini(&conn->parser);
    out_fini(&conn->out);
    buf_fini(&conn->unread);
    free(conn);
}

static void on_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    struct conn_shared *shared = conn->shared;
    conn->is_closed = true;
    *(conn->prev == NULL ? &shared->first : &conn->prev->next) = conn->next;
    if (conn->next != NULL)
        conn->next->prev = conn->prev;
    shared->open_count--;
    free_when_done(conn);
    shared->closed(shared);
}

static void close_now(struct conn *conn)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;
    conn->call.is_abandoned = conn->is_calling;
    timeout_disarm(&conn->timeout);
    uv_close((uv_handle_t *)&conn->tcp, on_closed);
}

/* --------- answers --------- */

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

/* Queues the answer to parser.request; takes *reply. */
static void answer(struct conn *conn, struct reply *reply)
{
    const struct http_request *request = &conn->parser.request;
    log_answer(conn, reply, request->is_head);
    conn->has_answered = true;
    if (!request->is_keep_alive || conn->shared->is_draining)
        conn->is_last = true;
    out_put_answer(&conn->out, reply,
                   &(struct http_response){
                       .date = date_now(),
                       .request_id = conn->id,
                       .is_head = request->is_head,
                       .is_http_1_0 = request->is_http_1_0,
                       .is_keep_alive = !conn->is_last,
                   });
    reply_fini(reply);
}

static void answer_error(struct conn *conn, const struct err *err)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    if (err->code == ERR_METHOD_NOT_ALLOWED)
        reply.allow = "GET, HEAD";
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
    request_fini(&call->request);
    if (conn->is_closing) {
        log_answer(conn, reply, false);
        reply_fini(reply);
        free_when_done(conn);
        return;
    }
    answer(conn, reply);
    run(conn);
}

static void begin_call(struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    struct call *call = &conn->call;
    struct err err;
    begin_request(conn);
    *call = (struct call){.done = on_call_done};
    request_init(&call->request);
    const struct request_head head = {
        .method = http->method,
        .target = http->target,
        .target_bytes = http->target_bytes,
        .accept = http->accept,
        .if_none_match = http->if_none_match,
    };
    if (request_parse(&call->request, &head, &conn->shared->config->limits, &err) < 0) {
        request_fini(&call->request);
        answer_error(conn, &err);
        return;
    }
    conn->is_calling = true;
    service_handle(conn->shared->service, call);
}

/* Answers a request that did not arrive as it should; the connection cannot go on. */
static void refuse(struct conn *conn, const struct err *err)
{
    begin_request(conn);
    conn->is_last = true;
    answer_error(conn, err);
}

/* --------- the flow of bytes --------- */

static bool can_parse(const struct conn *conn)
{
    const uint64_t queue_max = conn->shared->config->limits.value[LIMIT_WRITE_QUEUE_BYTES];
    return !conn->is_closing && !conn->is_calling && !conn->is_last && conn->in_bytes > 0 &&
           conn->out.unsent_bytes < queue_max;
}

static void parse_one(struct conn *conn)
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
    } else if (conn->parser.wants_continue) {
        out_put(&conn->out, HTTP_CONTINUE, sizeof HTTP_CONTINUE - 1);
        conn->parser.wants_continue = false;
    }
}

static void on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;
    out_written(&conn->out);
    if (status < 0) {
        close_now(conn);
        return;
    }
    timeout_disarm(&conn->timeout); /* progress */
    run(conn);
}

static void flush(struct conn *conn)
{
    if (!conn->is_closing && out_flush(&conn->out, (uv_stream_t *)&conn->tcp, &conn->write, on_written) < 0)
        close_now(conn);
}

/* Bytes that were not parsed move out of the shared read buffer. */
static void keep_unread(struct conn *conn)
{
    if (conn->is_last)
        conn->in_bytes = 0;
    if (conn->in_bytes == 0) {
        buf_fini(&conn->unread);
        conn->in = NULL;
    } else if (conn->unread.size_bytes == 0) {
        buf_put(&conn->unread, conn->in, conn->in_bytes);
        conn->in = conn->unread.data;
    }
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    struct conn *conn = shutdown->data;
    if (status < 0 || conn->is_eof)
        close_now(conn);
}

static void linger(struct conn *conn)
{
    if (conn->is_lingering)
        return;
    conn->is_lingering = true;
    conn->shutdown.data = conn;
    if (conn->is_eof || uv_shutdown(&conn->shutdown, (uv_stream_t *)&conn->tcp, on_shutdown) < 0)
        close_now(conn);
}

static enum timeout_kind wanted_timeout(const struct conn *conn)
{
    if (conn->is_lingering)
        return TIMEOUT_LINGER;
    if (conn->out.unsent_bytes > 0)
        return TIMEOUT_WRITE;
    if (conn->is_calling)
        return TIMEOUT_NONE;
    switch (conn->parser.phase) {
    case HTTP_PHASE_HEAD:
        return TIMEOUT_HEADER;
    case HTTP_PHASE_BODY:
        return TIMEOUT_BODY;
    case HTTP_PHASE_IDLE:
    case HTTP_PHASE_FAILED:
        break;
    }
    return conn->has_answered ? TIMEOUT_IDLE : TIMEOUT_FIRST;
}

/* Bytes of answers that the client's system has not acknowledged, in libuv's queue or in the kernel's: that one takes
 * megabytes in, and says nothing for long when they leave slowly. */
static size_t unread_by_client(const struct conn *conn)
{
    int kernel_bytes = 0;
    uv_os_fd_t fd;
    if (uv_fileno((const uv_handle_t *)&conn->tcp, &fd) == 0)
        (void)ioctl(fd, SIOCOUTQ, &kernel_bytes); /* man 7 tcp */
    return uv_stream_get_write_queue_size((const uv_stream_t *)&conn->tcp) + (size_t)kernel_bytes;
}

static void arm(struct conn *conn)
{
    const enum timeout_kind kind = wanted_timeout(conn);
    if (kind == conn->timeout.kind)
        return;
    if (kind == TIMEOUT_WRITE)
        conn->write_mark = unread_by_client(conn);
    timeout_arm(&conn->shared->timeouts, &conn->timeout, kind, uv_now(conn->shared->loop));
}

static void alloc_read(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    (void)suggested;
    struct conn *conn = handle->data;
    *out = uv_buf_init(conn->shared->read_bytes, sizeof conn->shared->read_bytes);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf);

/* Brings reading, closing and the timeout in line with where the connection stands. */
static void settle(struct conn *conn)
{
    const bool has_no_more = conn->is_last || (conn->is_eof && !conn->is_calling && conn->in_bytes == 0);
    if (has_no_more && conn->out.unsent_bytes == 0)
        linger(conn);
    if (conn->is_closing)
        return;
    const bool wants_read = !conn->is_eof && conn->in_bytes < UNREAD_MAX;
    if (wants_read && !conn->is_reading && uv_read_start((uv_stream_t *)&conn->tcp, alloc_read, on_read) < 0) {
        close_now(conn);
        return;
    }
    if (!wants_read && conn->is_reading)
        uv_read_stop((uv_stream_t *)&conn->tcp);
    conn->is_reading = wants_read;
    arm(conn);
}

/* Parses, answers and sends as far as it goes. Answers of one read are gathered and leave in one write, unless they
 * fill the queue: then what was sent makes room for the next requests. */
static void run(struct conn *conn)
{
    if (conn->is_running || conn->is_closing)
        return;
    conn->is_running = true;
    do {
        while (can_parse(conn))
            parse_one(conn);
        flush(conn);
    } while (can_parse(conn));
    conn->is_running = false;
    if (conn->is_closing)
        return;
    keep_unread(conn);
    settle(conn);
}

static void take_bytes(struct conn *conn, const char *bytes, size_t size_bytes)
{
    if (conn->is_last)
        return; /* read and dropped */
    if (conn->timeout.kind == TIMEOUT_BODY)
        timeout_disarm(&conn->timeout); /* progress */
    if (conn->in_bytes == 0) {
        conn->in = bytes;
        conn->in_bytes = size_bytes;
        return;
    }
    memmove(conn->unread.data, conn->in, conn->in_bytes);
    conn->unread.size_bytes = conn->in_bytes;
    buf_put(&conn->unread, bytes, size_bytes);
    conn->in = conn->unread.data;
    conn->in_bytes = conn->unread.size_bytes;
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    struct conn *conn = stream->data;
    if (size == 0)
        return;
    if (size < 0 && size != UV_EOF) {
        close_now(conn);
        return;
    }
    if (size == UV_EOF) {
        conn->is_eof = true;
        uv_read_stop(stream);
        conn->is_reading = false;
        if (conn->is_lingering) {
            close_now(conn);
            return;
        }
    } else {
        take_bytes(conn, buf->base, (size_t)size);
    }
    run(conn);
}

/* --------- for the listener --------- */

void conn_accept(struct conn_shared *shared, uv_stream_t *server, bool is_refused)
{
    struct conn *conn = mem_zalloc(1, sizeof *conn);
    conn->shared = shared;
    timeout_init(&conn->timeout);
    http_init(&conn->parser, &shared->config->limits);
    out_init(&conn->out);
    buf_init(&conn->unread, 0);
    conn->tcp.data = conn->write.data = conn;
    uv_tcp_init(shared->loop, &conn->tcp);
    conn->next = shared->first;
    if (shared->first != NULL)
        shared->first->prev = conn;
    shared->first = conn;
    shared->open_count++;
    if (uv_accept(server, (uv_stream_t *)&conn->tcp) < 0) {
        close_now(conn);
        return;
    }
    uv_tcp_nodelay(&conn->tcp, 1);
    struct sockaddr_storage peer = {0};
    int peer_bytes = sizeof peer;
    uv_tcp_getpeername(&conn->tcp, (struct sockaddr *)&peer, &peer_bytes);
    address_format((const struct sockaddr *)&peer, conn->remote);
    if (is_refused) {
        struct err err;
        err_set(&err, ERR_OVERLOADED, "too many connections are open, at most %llu",
                (unsigned long long)shared->config->limits.value[LIMIT_CONNECTIONS]);
        refuse(conn, &err);
    }
    run(conn);
}

static void expire(struct conn *conn, enum timeout_kind kind)
{
    const bool is_late = kind == TIMEOUT_HEADER || kind == TIMEOUT_BODY;
    const bool is_moving =
        kind == TIMEOUT_WRITE && uv_stream_get_write_queue_size((uv_stream_t *)&conn->tcp) < conn->write_mark;
    if (is_moving) {
        arm(conn);
    } else if (is_late) {
        struct err err;
        err_set(&err, ERR_REQUEST_TIMEOUT, "the request's %s did not arrive in time",
                kind == TIMEOUT_HEADER ? "headers" : "body");
        refuse(conn, &err);
        run(conn);
    } else {
        close_now(conn);
    }
}

void conn_expire(struct conn_shared *shared)
{
    enum timeout_kind kind;
    struct timeout *timeout;
    while ((timeout = timeouts_expired(&shared->timeouts, uv_now(shared->loop), &kind)) != NULL)
        expire((struct conn *)((char *)timeout - offsetof(struct conn, timeout)), kind);
}

static bool is_idle(const struct conn *conn)
{
    return !conn->is_calling && conn->in_bytes == 0 && conn->out.unsent_bytes == 0 &&
           conn->parser.phase == HTTP_PHASE_IDLE && !conn->is_lingering;
}

void conn_drain(struct conn_shared *shared)
{
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next)
        if (is_idle(conn))
            close_now(conn);
}

void conn_close_all(struct conn_shared *shared)
{
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next)
        close_now(conn);
}
