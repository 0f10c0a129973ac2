#include "conn_state.h"

#include "../base/mem.h"
#include "stats.h"

#include <linux/sockios.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { UNREAD_MAX = 16384 }; /* waiting bytes from which on a client is left in its socket */

/* A read holds a thousand requests: after so long the other connections have their turn. */
static const uint64_t SHARE_NS = 2000000;

void conn_free_when_done(struct conn *conn)
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
    stats_set(STAT_CONNECTIONS_OPEN, --shared->open_count);
    conn_free_when_done(conn);
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
        conn_begin_call(conn);
    } else if (rc < 0) {
        conn_refuse(conn, &err);
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
    conn_run(conn);
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
    if (conn->is_calling || conn->is_resting)
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

/* Goes on with the connections that had their share in the last turn of the loop. */
static void on_next_turn(uv_idle_t *idle)
{
    struct conn_shared *shared = idle->data;
    uv_idle_stop(idle);
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next)
        if (conn->is_resting)
            conn_run(conn);
}

/* Parses, answers and sends as far as it goes in its share of the turn. Answers of one read are gathered and leave in
 * one write, unless they fill the queue: then what was sent makes room for the next requests. */
void conn_run(struct conn *conn)
{
    if (conn->is_running || conn->is_closing)
        return;
    const uint64_t end_ns = uv_hrtime() + SHARE_NS;
    bool is_in_time = true;
    conn->is_running = true;
    do {
        for (; can_parse(conn) && is_in_time; is_in_time = uv_hrtime() < end_ns)
            parse_one(conn);
        flush(conn);
    } while (can_parse(conn) && is_in_time);
    conn->is_running = false;
    if (conn->is_closing)
        return;
    keep_unread(conn);
    conn->is_resting = can_parse(conn);
    if (conn->is_resting)
        uv_idle_start(&conn->shared->next_turn, on_next_turn);
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
    conn_run(conn);
}

/* --------- for the listener --------- */

void conn_shared_start(struct conn_shared *shared)
{
    uv_idle_init(shared->loop, &shared->next_turn);
    shared->next_turn.data = shared;
}

void conn_shared_stop(struct conn_shared *shared)
{
    if (!uv_is_closing((uv_handle_t *)&shared->next_turn))
        uv_close((uv_handle_t *)&shared->next_turn, NULL);
}

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
    stats_set(STAT_CONNECTIONS_OPEN, ++shared->open_count);
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
        conn_refuse(conn, &err);
    }
    conn_run(conn);
}

static void expire(struct conn *conn, enum timeout_kind kind)
{
    const bool is_late = kind == TIMEOUT_HEADER || kind == TIMEOUT_BODY;
    if (kind == TIMEOUT_WRITE && unread_by_client(conn) < conn->write_mark) {
        arm(conn);
        return;
    }
    stats_add(STAT_CONNECTIONS_TIMED_OUT, kind != TIMEOUT_LINGER);
    if (is_late) {
        struct err err;
        err_set(&err, ERR_REQUEST_TIMEOUT, "the request's %s did not arrive in time",
                kind == TIMEOUT_HEADER ? "headers" : "body");
        conn_refuse(conn, &err);
        conn_run(conn);
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
