/* conn_io.c - moves the bytes of a connection: from its socket to a protocol, and queued replies to the socket. */
#include "daemon/conn/conn.h"
#include "wire/proxy/proxy_header.h"

#include "daemon/support/stats.h"

#include <string.h>
#include <utlist.h>

enum {
    LINGER_MAX_MS = 30000, /* for a client that keeps sending after the last reply */
    UNREAD_MAX = 16384,    /* waiting bytes from which on a client's bytes stay in its socket */
    QUICK_ROW = 8,         /* quick replies after which the clock is read */
    CORKED_BYTES = 65536,  /* a reply as large as this leaves at once */
    FULL_READS = 8,        /* reads of a full buffer in a row, of which libuv does 32, after which reading rests */
};

/* One read can hold a thousand requests: after this time the other connections have their turn. All together have a
 * bound, too: conn_group_turn_is_over(). */
static const uint64_t SHARE_NS = 2000000;

/* The longest time for which replies wait for replies of other connections in the same tick. */
static const uint64_t CORK_NS = 250000;

static void leave_received(struct conn *conn)
{
    if (conn->received_prev != NULL)
        DL_DELETE2(conn->group->received, conn, received_prev, received_next);
    conn->received_prev = NULL;
}

static void uncork(struct conn *conn)
{
    if (conn->corked_prev != NULL)
        DL_DELETE2(conn->group->corked, conn, corked_prev, corked_next);
    conn->corked_prev = NULL;
}

void conn_unqueue(struct conn *conn)
{
    leave_received(conn);
    uncork(conn);
}

/* Whether another reply may be queued behind the unsent ones. */
static bool has_queue_room(const struct conn *conn)
{
    if (conn->out.unsent_bytes == 0)
        return true;
    return !budget_is_used_up(conn->group->budget) &&
           conn->out.unsent_bytes < conn->group->config->limits.value[LIMIT_WRITE_QUEUE_BYTES];
}

bool conn_can_parse(const struct conn *conn)
{
    return conn->state <= CONN_READING && !conn->is_last && conn->in_bytes > 0 && !conn->needs_more &&
           has_queue_room(conn) && !conn_is_upload_full(conn);
}

void conn_refuse_over_limit(struct conn *conn)
{
    struct err err;
    if (conn->count == COUNT_EXCEEDED)
        err_set(&err, ERR_OVERLOADED, "as many connections of your address as %s are open",
                LIMIT_TEXT(&conn->group->config->limits, LIMIT_ADDRESS_CONNECTIONS));
    else
        err_set(&err, ERR_OVERLOADED, "as many connections as %s are open",
                LIMIT_TEXT(&conn->group->config->limits, LIMIT_CONNECTIONS));
    conn->protocol->refuse(conn, &err);
}

/* Reads an optional PROXY header of a trusted proxy, after which the connection belongs to the proxy's client. False:
 * there are no further bytes to parse yet. */
static bool take_proxy_header(struct conn *conn)
{
    const struct conn_group *group = conn->group;
    struct proxy_header header;
    struct err err;
    size_t used;
    const int rc = proxy_header_read(conn->in, conn->in_bytes, &header, &used, &err);
    conn->needs_more = rc == PROXY_HEADER_NEED_MORE;
    if (conn->needs_more)
        return false;
    conn->may_be_proxied = false;
    conn->in += used;
    conn->in_bytes -= used;
    if (rc < 0) {
        if (conn->protocol == NULL)
            group->http->start(conn, NULL);
        conn->protocol = group->http;
        conn->protocol->refuse(conn, &err);
        return false;
    }
    if (header.source.kind != PEER_NONE) {
        peer_address_format(&header.source, conn->remote);
        conn->is_trusted = trusted_proxies_have(&group->proxies->trusted, &header.source);
    }
    return conn->in_bytes > 0;
}

static void parse_one(struct conn *conn)
{
    const struct conn_group *group = conn->group;
    if (conn->may_be_proxied && !take_proxy_header(conn))
        return;
    if (conn->protocol == NULL) { /* no method of HTTP begins with the first byte of the packets' magic */
        conn->protocol = conn->in[0] == PACKET_MAGIC[0] ? group->packets : group->http;
        conn->protocol->start(conn, NULL);
    }
    if (conn->state == CONN_REFUSED)
        conn_refuse_over_limit(conn);
    else
        conn->protocol->feed(conn);
}

static void on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;
    const size_t unsent_bytes = conn->out.unsent_bytes;
    if (status < 0) { /* its bytes stay in the queue, which a work thread frees */
        conn_close(conn);
        return;
    }
    send_queue_written(&conn->out);
    stats_add(STAT_CONNECTIONS_SENT_BYTES, unsent_bytes - conn->out.unsent_bytes);
    timeout_disarm(&conn->timeout); /* progress */
    if (send_queue_is_paused(&conn->out) && conn_group_turn_is_over(conn->group, uv_hrtime())) {
        conn->is_resting = true;
        conn_group_wake(conn->group);
    } else {
        conn_run(conn);
    }
}

static void flush(struct conn *conn)
{
    if (!conn_is_gone(conn) && send_queue_flush(&conn->out, &conn->socket.stream, &conn->write, on_written) < 0)
        conn_close(conn);
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
    const size_t unsent_bytes = conn->out.part_count == 0 ? 0 : send_queue_held_bytes(&conn->out);
    const size_t held_bytes = unsent_bytes + conn->unread.capacity_bytes + conn->parsed_bytes +
                              (conn->body == NULL ? 0 : conn_body_held_bytes(conn)) +
                              (conn->protocol == NULL ? 0 : conn->protocol->held_bytes(conn));
    if (held_bytes != conn->counted_bytes)
        budget_count(conn->group->budget, &conn->counted_bytes, held_bytes);
    if (conn->out.unsent_bytes == 0)
        conn->unsent_ms = 0;
    else if (conn->unsent_ms == 0)
        conn->unsent_ms = uv_now(conn->group->loop);
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    struct conn *conn = shutdown->data;
    if (status < 0 || conn->input != INPUT_OPEN)
        conn_close(conn);
}

static void linger(struct conn *conn)
{
    const bool is_calling = conn->state == CONN_CALLING;
    if (conn->state == CONN_LINGERING)
        return;
    conn_enter(conn, CONN_LINGERING);
    if (is_calling)
        dispatcher_cancel(conn->group->dispatcher, &conn->call);
    conn->linger_end_ms = uv_now(conn->group->loop) + LINGER_MAX_MS;
    conn->shutdown.data = conn;
    if (conn->input != INPUT_OPEN || uv_shutdown(&conn->shutdown, &conn->socket.stream, on_shutdown) < 0)
        conn_close(conn);
}

static void alloc_read(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    (void)suggested;
    struct conn *conn = handle->data;
    *out = uv_buf_init(conn->group->read_bytes + conn->group->received_bytes, CONN_READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf);

/* Brings reading, closing and the timeout in line with the state. */
static void update_io(struct conn *conn)
{
    const bool has_no_more = conn->is_last || (conn->input != INPUT_OPEN && !conn_is_busy(conn) && conn->in_bytes == 0);
    if (has_no_more && conn->out.unsent_bytes == 0 && conn->state != CONN_STREAMING && conn->state != CONN_PARSING)
        linger(conn);
    if (conn_is_gone(conn))
        return;
    const bool wants_read = conn->input == INPUT_OPEN && conn->in_bytes < UNREAD_MAX && !conn->has_read_much;
    if (wants_read && !conn->is_reading && uv_read_start(&conn->socket.stream, alloc_read, on_read) < 0) {
        conn_close(conn);
        return;
    }
    if (!wants_read && conn->is_reading)
        uv_read_stop(&conn->socket.stream);
    conn->is_reading = wants_read;
    conn_arm_timeout(conn);
}

/* Continues after replies were sent, or if there were none. */
static void go_on(struct conn *conn)
{
    const bool has_sent_all = conn->out.unsent_bytes == 0;
    if (has_sent_all && conn->state <= CONN_CALLING && conn->protocol != NULL && conn->protocol->sent != NULL &&
        !conn->is_last)
        conn->protocol->sent(conn);
    if (conn_is_gone(conn))
        return;
    if (conn->body != NULL)
        conn_body_resume(conn);
    keep_unread(conn);
    count_memory(conn);
    if (conn->state == CONN_MOVING && has_sent_all) {
        conn_move(conn);
        return;
    }
    conn->is_resting =
        conn->has_read_much || conn_can_parse(conn) || (!has_sent_all && send_queue_is_paused(&conn->out));
    if (conn->is_resting)
        conn_group_wake(conn->group);
    update_io(conn);
}

void conn_group_flush_corked(struct conn_group *group)
{
    const uint64_t count = group->cork_count++; /* bytes that arrive meanwhile have to wait */
    for (struct conn *conn; (conn = group->corked) != NULL && conn->cork_count <= count;) {
        uncork(conn); /* first, because the following may close any other connection of the list */
        flush(conn);
        go_on(conn);
    }
}

/* Lets the replies leave together with replies of other connections. Sent one by one, they would wake the client again
 * and again, and its next requests would wake the server as often. */
static void cork(struct conn *conn, uint64_t now_ns)
{
    struct conn_group *group = conn->group;
    if (group->corked == NULL)
        group->corked_ns = now_ns;
    if (conn->corked_prev == NULL)
        DL_APPEND2(group->corked, conn, corked_prev, corked_next);
    conn->cork_count = group->cork_count;
    if (now_ns - group->corked_ns > CORK_NS)
        conn_group_flush_corked(group);
}

/* At most a millisecond old: reading the clock takes as long as half a small request. */
static uint64_t time_about_now(const struct conn_group *group)
{
    const uint64_t tick_ns = uv_now(group->loop) * 1000000;
    return group->now_ns > tick_ns ? group->now_ns : tick_ns;
}

/* Parses and answers as much as fits into the connection's share of the tick. Replies to one read leave in one write,
 * unless they fill the queue: then sending them makes room for the next requests. That write waits for the end of the
 * tick only after a read event, because these come before the loop waits, when conn_group_flush_corked() is called. */
static void run(struct conn *conn, bool is_read)
{
    struct conn_group *group = conn->group;
    leave_received(conn);
    if (conn->is_running || conn_is_gone(conn))
        return;
    uint64_t now_ns = time_about_now(group);
    const uint64_t end_ns = now_ns + SHARE_NS;
    bool is_waiting = false;
    conn->is_running = true;
    do {
        for (uint32_t count = 1; conn_can_parse(conn) && now_ns < end_ns && !conn_group_turn_is_over(group, now_ns);
             count++) {
            conn->is_quick = false;
            parse_one(conn);
            if (!conn->is_quick || count % QUICK_ROW == 0)
                now_ns = uv_hrtime();
        }
        if (conn->input == INPUT_ENDED && conn->state == CONN_CALLING)
            conn->protocol->probe(conn);
        is_waiting =
            is_read && conn->in_bytes == 0 && conn->out.unsent_bytes > 0 && conn->out.unsent_bytes < CORKED_BYTES;
        if (!is_waiting)
            flush(conn);
    } while (conn_can_parse(conn) && now_ns < end_ns && !conn_group_turn_is_over(group, now_ns));
    conn->is_running = false;
    group->now_ns = now_ns;
    if (is_waiting && !conn_is_gone(conn)) {
        cork(conn, now_ns);
        return;
    }
    uncork(conn);
    go_on(conn);
}

void conn_run(struct conn *conn)
{
    conn->has_read_much = false;
    run(conn, false);
}

void conn_group_run_received(struct conn_group *group)
{
    while (group->received != NULL)
        run(group->received, true);
    group->received_bytes = 0;
}

/* Lets the connection run with the others that receive bytes in this tick. */
static void run_later(struct conn *conn, size_t size_bytes)
{
    struct conn_group *group = conn->group;
    DL_APPEND2(group->received, conn, received_prev, received_next);
    group->received_bytes += size_bytes;
    if (group->received_bytes > CONN_RECEIVED_BYTES)
        conn_group_run_received(group);
}

static void take_bytes(struct conn *conn, const char *bytes, size_t size_bytes)
{
    const bool may_linger = uv_now(conn->group->loop) < conn->linger_end_ms && !conn->group->is_draining;
    if (conn->state == CONN_LINGERING && may_linger)
        timeout_disarm(&conn->timeout); /* the client has not read the reply yet, and a reset would lose it */
    if (conn->is_last)
        return; /* read and dropped */
    conn->needs_more = false;
    conn->body_mark += size_bytes;
    if (conn->timeout.kind == TIMEOUT_BODY && conn->body_mark >= conn_progress_bytes(conn))
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
    dispatcher_begin_read(conn->group->dispatcher);
    if (size == 0)
        return;
    conn->full_reads = size == CONN_READ_BYTES ? conn->full_reads + 1 : 0;
    if (conn->full_reads == FULL_READS) {
        conn->has_read_much = true;
        conn->full_reads = 0;
    }
    if (conn->received_prev != NULL)
        run(conn, true); /* what came before */
    if (conn_is_gone(conn))
        return;
    if (size < 0 && size != UV_EOF) {
        conn_close(conn);
        return;
    }
    if (size == UV_EOF) {
        conn->input = INPUT_ENDED;
        if (conn->needs_more) /* which will not come */
            conn->in_bytes = 0;
        if (conn->protocol != NULL && conn->protocol->left != NULL)
            conn->protocol->left(conn);
        uv_read_stop(stream);
        conn->is_reading = false;
        if (conn->state == CONN_LINGERING) {
            conn_close(conn);
            return;
        }
    } else {
        const char *bytes = buf->base;
        size_t size_bytes = (size_t)size;
        stats_add(STAT_CONNECTIONS_RECEIVED_BYTES, size_bytes);
        if (conn->protocol != NULL && conn->protocol->unwrap != NULL && !conn->is_last)
            conn->protocol->unwrap(conn, &bytes, &size_bytes);
        take_bytes(conn, bytes, size_bytes);
        if (bytes == buf->base && conn->in_bytes < UNREAD_MAX) {
            run_later(conn, size_bytes);
            return;
        }
    }
    run(conn, true);
}
