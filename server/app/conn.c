#include "conn_state.h"

#include "../base/mem.h"
#include "packets.h"
#include "stats.h"
#include "watches.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
    UNREAD_MAX = 16384,           /* waiting bytes from which on a client is left in its socket */
    KERNEL_UNSENT_BYTES = 131072, /* of answers that the kernel takes in beyond what it sends at once */
    KEEPALIVE_S = 60,             /* of silence, then the system asks whether the client is still there */
};

/* A read holds a thousand requests: after so long the other connections have their turn. */
static const uint64_t SHARE_NS = 2000000;

void conn_free_when_done(struct conn *conn)
{
    if (!conn->is_closed || conn->is_calling || conn->side_count > 0)
        return;
    budget_count(conn->shared->budget, &conn->counted_bytes, 0);
    if (conn->language != NULL)
        conn->language->fini(conn);
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

void conn_forget_probe(struct conn *conn)
{
    conn->shared->probed_count -= conn->is_probed;
    conn->is_probed = false;
}

static bool is_upload_full(const struct conn *conn) { return conn->upload != NULL && upload_is_full(conn->upload); }

void conn_close_now(struct conn *conn)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;
    conn_forget_probe(conn);
    if (conn->language != NULL)
        conn->language->close(conn);
    if (conn->is_calling)
        service_cancel(conn->shared->service, &conn->call);
    timeout_disarm(&conn->timeout);
    uv_close(&conn->socket.handle, on_closed);
}

static bool can_parse(const struct conn *conn)
{
    const struct budget *budget = conn->shared->budget;
    const bool is_used_up = budget->used_bytes >= budget->max_bytes;
    const uint64_t queue_max = is_used_up ? 1 : conn->shared->config->limits.value[LIMIT_WRITE_QUEUE_BYTES];
    return !conn->is_closing && !conn->is_calling && !conn->is_last && conn->in_bytes > 0 &&
           conn->out.unsent_bytes < queue_max && !is_upload_full(conn);
}

/* No method of HTTP begins with the first byte of the packets' magic. */
static void choose_language(struct conn *conn)
{
    conn->language = conn->in[0] == PACKET_MAGIC[0] ? &CONN_PACKETS : &CONN_HTTP;
    if (conn->language == &CONN_PACKETS)
        packets_start(conn);
    else
        http_init(&conn->parser, &conn->shared->config->limits);
}

static void refuse_one_too_many(struct conn *conn)
{
    struct err err;
    err_set(&err, ERR_OVERLOADED, "too many connections are open, at most %llu",
            (unsigned long long)conn->shared->config->limits.value[LIMIT_CONNECTIONS]);
    conn->language->refuse(conn, &err);
}

static void parse_one(struct conn *conn)
{
    if (conn->language == NULL)
        choose_language(conn);
    if (conn->is_refused)
        refuse_one_too_many(conn);
    else
        conn->language->feed(conn);
}

static void on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;
    out_written(&conn->out);
    if (status < 0) {
        conn_close_now(conn);
        return;
    }
    timeout_disarm(&conn->timeout); /* progress */
    conn_run(conn);
}

static void flush(struct conn *conn)
{
    if (!conn->is_closing && out_flush(&conn->out, &conn->socket.stream, &conn->write, on_written) < 0)
        conn_close_now(conn);
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

static void count_memory(struct conn *conn)
{
    budget_count(conn->shared->budget, &conn->counted_bytes,
                 out_held_bytes(&conn->out) + conn->unread.capacity_bytes +
                     (conn->language == NULL ? 0 : conn->language->held_bytes(conn)));
    if (conn->out.unsent_bytes == 0)
        conn->unsent_ms = 0;
    else if (conn->unsent_ms == 0)
        conn->unsent_ms = uv_now(conn->shared->loop);
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    struct conn *conn = shutdown->data;
    if (status < 0 || conn->is_eof)
        conn_close_now(conn);
}

static void linger(struct conn *conn)
{
    if (conn->is_lingering)
        return;
    conn->is_lingering = true;
    conn->shutdown.data = conn;
    if (conn->is_eof || uv_shutdown(&conn->shutdown, &conn->socket.stream, on_shutdown) < 0)
        conn_close_now(conn);
}

static enum timeout_kind wanted_timeout(const struct conn *conn)
{
    if (conn->is_lingering)
        return TIMEOUT_LINGER;
    if (conn->out.unsent_bytes > 0)
        return TIMEOUT_WRITE;
    if (conn->is_calling || conn->is_resting || is_upload_full(conn))
        return TIMEOUT_NONE;
    switch (conn->language == NULL ? CONN_PHASE_IDLE : conn->language->phase(conn)) {
    case CONN_PHASE_HEAD:
        return TIMEOUT_HEADER;
    case CONN_PHASE_BODY:
        return TIMEOUT_BODY;
    case CONN_PHASE_REST:
        return TIMEOUT_NONE;
    case CONN_PHASE_IDLE:
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
    if (uv_fileno(&conn->socket.handle, &fd) == 0)
        (void)ioctl(fd, SIOCOUTQ, &kernel_bytes); /* man 7 tcp */
    return uv_stream_get_write_queue_size(&conn->socket.stream) + (size_t)kernel_bytes;
}

static void arm(struct conn *conn)
{
    const enum timeout_kind kind = wanted_timeout(conn);
    if (kind == conn->timeout.kind)
        return;
    if (kind == TIMEOUT_WRITE)
        conn->write_mark = unread_by_client(conn);
    if (kind == TIMEOUT_BODY)
        conn->body_mark = 0;
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
    if (wants_read && !conn->is_reading && uv_read_start(&conn->socket.stream, alloc_read, on_read) < 0) {
        conn_close_now(conn);
        return;
    }
    if (!wants_read && conn->is_reading)
        uv_read_stop(&conn->socket.stream);
    conn->is_reading = wants_read;
    arm(conn);
}

/* Goes on with the connections that had their share in the last turn of the loop. */
static void on_next_turn(uv_idle_t *idle)
{
    struct conn_shared *shared = idle->data;
    uv_idle_stop(idle);
    watches_turn(shared->watches);
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next)
        if (conn->is_resting)
            conn_run(conn);
}

void conn_wake(struct conn_shared *shared)
{
    if (!uv_is_closing((uv_handle_t *)&shared->next_turn))
        uv_idle_start(&shared->next_turn, on_next_turn);
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
        if (conn->is_eof && conn->is_calling && !conn->is_probed)
            conn->language->probe(conn);
        flush(conn);
    } while (can_parse(conn) && is_in_time);
    conn->is_running = false;
    if (!conn->is_closing && conn->out.unsent_bytes == 0 && conn->language != NULL && !conn->is_last)
        conn->language->sent(conn);
    if (conn->is_closing)
        return;
    keep_unread(conn);
    count_memory(conn);
    conn->is_resting = can_parse(conn);
    if (conn->is_resting)
        conn_wake(conn->shared);
    settle(conn);
}

/* So much in the time of a timeout is progress: less is a client that holds a connection rather than uses it. */
static uint64_t part_bytes(const struct conn *conn) { return conn->shared->config->limits.value[LIMIT_PART_BYTES]; }

static void take_bytes(struct conn *conn, const char *bytes, size_t size_bytes)
{
    if (conn->is_last)
        return; /* read and dropped */
    conn->body_mark += size_bytes;
    if (conn->timeout.kind == TIMEOUT_BODY && conn->body_mark >= part_bytes(conn))
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
        conn_close_now(conn);
        return;
    }
    if (size == UV_EOF) {
        conn->is_eof = true;
        if (conn->language != NULL && conn->language->left != NULL)
            conn->language->left(conn);
        uv_read_stop(stream);
        conn->is_reading = false;
        if (conn->is_lingering) {
            conn_close_now(conn);
            return;
        }
    } else {
        const char *bytes = buf->base;
        size_t size_bytes = (size_t)size;
        if (conn->language != NULL && conn->language->unwrap != NULL && !conn->is_last)
            conn->language->unwrap(conn, &bytes, &size_bytes);
        take_bytes(conn, bytes, size_bytes);
    }
    conn_run(conn);
}

/* --------- for the listener --------- */

void conn_shared_start(struct conn_shared *shared)
{
    uv_idle_init(shared->loop, &shared->next_turn);
    shared->next_turn.data = shared;
    buf_init(&shared->unwrapped, 0);
    shared->watches = watches_new(shared);
}

void conn_shared_stop(struct conn_shared *shared)
{
    if (!uv_is_closing((uv_handle_t *)&shared->next_turn))
        uv_close((uv_handle_t *)&shared->next_turn, NULL);
}

/* What a client does not read should lie in our memory, which is counted, and not by the megabyte in the kernel's:
 * so it takes in little more than it can send (man 7 tcp). */
static void keep_answers_here(struct conn *conn)
{
    const int unsent_bytes = KERNEL_UNSENT_BYTES;
    uv_os_fd_t fd;
    if (uv_fileno(&conn->socket.handle, &fd) == 0)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes, sizeof unsent_bytes);
}

static void prepare_tcp(struct conn *conn)
{
    uv_tcp_nodelay(&conn->socket.tcp, 1);
    uv_tcp_keepalive(&conn->socket.tcp, 1, KEEPALIVE_S);
    keep_answers_here(conn);
    struct sockaddr_storage peer = {0};
    int peer_bytes = sizeof peer;
    uv_tcp_getpeername(&conn->socket.tcp, (struct sockaddr *)&peer, &peer_bytes);
    address_format((const struct sockaddr *)&peer, conn->remote);
}

void conn_accept(struct conn_shared *shared, uv_stream_t *server, bool has_packets, bool is_refused)
{
    struct conn *conn = mem_zalloc(1, sizeof *conn);
    conn->shared = shared;
    timeout_init(&conn->timeout);
    out_init(&conn->out);
    buf_init(&conn->unread, 0);
    conn->write.data = conn;
    if (server->type == UV_TCP)
        uv_tcp_init(shared->loop, &conn->socket.tcp);
    else
        uv_pipe_init(shared->loop, &conn->socket.pipe, 0);
    conn->socket.handle.data = conn;
    conn->next = shared->first;
    if (shared->first != NULL)
        shared->first->prev = conn;
    shared->first = conn;
    stats_set(STAT_CONNECTIONS_OPEN, ++shared->open_count);
    if (uv_accept(server, &conn->socket.stream) < 0) {
        conn_close_now(conn);
        return;
    }
    if (server->type == UV_TCP)
        prepare_tcp(conn);
    else
        snprintf(conn->remote, sizeof conn->remote, "unix");
    conn->is_refused = is_refused;
    if (!has_packets) {
        conn->language = &CONN_HTTP;
        http_init(&conn->parser, &shared->config->limits);
    }
    if (is_refused && conn->language != NULL)
        refuse_one_too_many(conn);
    conn_run(conn);
}

static void expire(struct conn *conn, enum timeout_kind kind)
{
    const bool is_late = kind == TIMEOUT_HEADER || kind == TIMEOUT_BODY;
    if (kind == TIMEOUT_WRITE && unread_by_client(conn) + part_bytes(conn) <= conn->write_mark) {
        arm(conn);
        return;
    }
    stats_add(STAT_CONNECTIONS_TIMED_OUT, kind != TIMEOUT_LINGER);
    if (is_late) {
        struct err err;
        err_set(&err, ERR_REQUEST_TIMEOUT, "the request's %s did not arrive in time",
                kind == TIMEOUT_HEADER ? "headers" : "body");
        conn->language->refuse(conn, &err);
        conn_run(conn);
    } else {
        conn_close_now(conn);
    }
}

static bool is_reset(const struct conn *conn)
{
    uv_os_fd_t fd;
    struct pollfd socket = {.fd = -1};
    if (uv_fileno(&conn->socket.handle, &fd) == 0)
        socket.fd = fd;
    return poll(&socket, 1, 0) > 0 && (socket.revents & (POLLERR | POLLHUP)) != 0;
}

/* A socket that is not read tells nothing of its reset by itself. */
static void close_reset(struct conn_shared *shared)
{
    for (struct conn *conn = shared->first; conn != NULL && shared->probed_count > 0; conn = conn->next)
        if (conn->is_probed && !conn->is_closing && is_reset(conn))
            conn_close_now(conn);
}

/* Others wait for the room that answers take which have been there for long. */
static void make_room(struct conn_shared *shared)
{
    const uint64_t patience_ms = shared->config->limits.value[LIMIT_WRITE_TIME_MS];
    for (struct conn *conn = shared->first; conn != NULL && shared->budget->is_short; conn = conn->next) {
        const bool is_late = conn->unsent_ms != 0 && uv_now(shared->loop) - conn->unsent_ms >= patience_ms;
        if (conn->is_closing || !is_late || conn->counted_bytes <= BUDGET_SMALL_BYTES)
            continue;
        stats_add(STAT_CONNECTIONS_TIMED_OUT, 1);
        conn_close_now(conn);
    }
    shared->budget->is_short = false;
}

void conn_expire(struct conn_shared *shared)
{
    close_reset(shared);
    watches_tick(shared->watches);
    if (shared->budget->is_short)
        make_room(shared);
    enum timeout_kind kind;
    struct timeout *timeout;
    while ((timeout = timeouts_expired(&shared->timeouts, uv_now(shared->loop), &kind)) != NULL)
        expire((struct conn *)((char *)timeout - offsetof(struct conn, timeout)), kind);
}

void conn_drain(struct conn_shared *shared)
{
    for (struct conn *conn = shared->first, *next; conn != NULL; conn = next) {
        next = conn->next;
        const bool is_quiet = !conn->is_calling && conn->in_bytes == 0 && conn->out.unsent_bytes == 0 &&
                              !conn->is_lingering && !conn->is_closing;
        if (conn->language == NULL ? is_quiet : conn->language->drain(conn) && is_quiet)
            conn_close_now(conn);
        else
            conn_run(conn);
    }
}

void conn_close_all(struct conn_shared *shared)
{
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next)
        conn_close_now(conn);
}
