#include "daemon/conn/conn_state.h"

#include "daemon/packets/packets.h"
#include "daemon/packets/model_watches.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    LINGER_MAX_MS = 30000,  /* for who goes on sending after the last answer */
    UNREAD_MAX = 16384,     /* waiting bytes from which on a client is left in its socket */
    QUICK_ROW = 8,          /* quick answers after which the clock is looked at */
    GATHERED_BYTES = 65536, /* an answer that is as large leaves at once */
};

/* A read holds a thousand requests: after so long the other connections have their turn. */
static const uint64_t SHARE_NS = 2000000;

/* Answers wait at most about so long for those of the other connections that were read in the same turn. */
static const uint64_t GATHER_NS = 250000;

void conn_free_when_done(struct conn *conn)
{
    if (!conn->is_closed || conn->is_calling || conn->side_count > 0)
        return;
    budget_count(conn->shared->budget, &conn->counted_bytes, 0);
    if (conn->language != NULL)
        conn->language->fini(conn);
    send_queue_fini(&conn->out);
    buf_fini(&conn->unread);
    free(conn);
}

static void on_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    struct conn_group *shared = conn->shared;
    conn->is_closed = true;
    conn_unlink(conn);
    conn_free_when_done(conn);
    shared->closed(shared);
}

void conn_clear_probe(struct conn *conn)
{
    conn->shared->probed_count -= conn->is_probed;
    conn->is_probed = false;
}

static void dont_gather(struct conn *conn)
{
    if (conn->is_gathered)
        DL_DELETE2(conn->shared->gathered, conn, gathered_prev, gathered_next);
    conn->is_gathered = false;
}

bool conn_is_upload_full(const struct conn *conn) { return conn->upload != NULL && upload_is_full(conn->upload); }

void conn_close(struct conn *conn)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;
    dont_gather(conn);
    conn_clear_probe(conn);
    if (conn->language != NULL)
        conn->language->close(conn);
    if (conn->is_calling)
        dispatcher_cancel(conn->shared->dispatcher, &conn->call);
    conn_body_stop(conn);
    timeout_disarm(&conn->timeout);
    uv_close(&conn->socket.handle, on_closed); /* the descriptor, at once */
    atomic_fetch_sub_explicit(conn->shared->all_open_count, 1, memory_order_relaxed);
}

static bool can_parse(const struct conn *conn)
{
    const bool is_used_up = budget_is_used_up(conn->shared->budget);
    const uint64_t queue_max = is_used_up ? 1 : conn->shared->config->limits.value[LIMIT_WRITE_QUEUE_BYTES];
    return !conn->is_closing && !conn->is_calling && conn->body == NULL && !conn->is_moving && !conn->is_last &&
           conn->in_bytes > 0 && conn->out.unsent_bytes < queue_max && !conn_is_upload_full(conn);
}

/* No method of HTTP begins with the first byte of the packets' magic. */
static void choose_language(struct conn *conn)
{
    conn->language = conn->in[0] == PACKET_MAGIC[0] ? &PROTOCOL_PACKETS : &PROTOCOL_HTTP;
    if (conn->language == &PROTOCOL_PACKETS)
        packets_start(conn);
    else
        http_parser_init(&conn->parser, &conn->shared->config->limits);
}

void conn_refuse_over_limit(struct conn *conn)
{
    struct err err;
    err_set(&err, ERR_OVERLOADED, "as many connections as %s are open",
            LIMIT_TEXT(&conn->shared->config->limits, LIMIT_CONNECTIONS));
    conn->language->refuse(conn, &err);
}

static void parse_one(struct conn *conn)
{
    if (conn->language == NULL)
        choose_language(conn);
    if (conn->is_refused)
        conn_refuse_over_limit(conn);
    else
        conn->language->feed(conn);
}

static void on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;
    send_queue_written(&conn->out);
    if (status < 0) {
        conn_close(conn);
        return;
    }
    timeout_disarm(&conn->timeout); /* progress */
    conn_run(conn);
}

static void flush(struct conn *conn)
{
    if (!conn->is_closing && send_queue_flush(&conn->out, &conn->socket.stream, &conn->write, on_written) < 0)
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
    budget_count(conn->shared->budget, &conn->counted_bytes,
                 send_queue_held_bytes(&conn->out) + conn->unread.capacity_bytes + conn_body_held_bytes(conn) +
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
        conn_close(conn);
}

static void linger(struct conn *conn)
{
    if (conn->is_lingering)
        return;
    conn->is_lingering = true;
    conn->linger_end_ms = uv_now(conn->shared->loop) + LINGER_MAX_MS;
    conn->shutdown.data = conn;
    if (conn->is_eof || uv_shutdown(&conn->shutdown, &conn->socket.stream, on_shutdown) < 0)
        conn_close(conn);
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
    if (has_no_more && conn->out.unsent_bytes == 0 && conn->body == NULL)
        linger(conn);
    if (conn->is_closing)
        return;
    const bool wants_read = !conn->is_eof && conn->in_bytes < UNREAD_MAX;
    if (wants_read && !conn->is_reading && uv_read_start(&conn->socket.stream, alloc_read, on_read) < 0) {
        conn_close(conn);
        return;
    }
    if (!wants_read && conn->is_reading)
        uv_read_stop(&conn->socket.stream);
    conn->is_reading = wants_read;
    conn_arm_timeout(conn);
}

/* Goes on with the connections that had their share in the last turn of the loop. */
static void on_next_turn(uv_idle_t *idle)
{
    struct conn_group *shared = idle->data;
    uv_idle_stop(idle);
    model_watches_turn(shared->watches);
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next)
        if (conn->is_resting)
            conn_run(conn);
}

void conn_group_wake(struct conn_group *shared)
{
    if (!uv_is_closing((uv_handle_t *)&shared->next_turn))
        uv_idle_start(&shared->next_turn, on_next_turn);
}

/* What follows when answers were sent, or there were none. */
static void go_on(struct conn *conn)
{
    if (!conn->is_closing && conn->out.unsent_bytes == 0 && conn->body == NULL && conn->language != NULL &&
        !conn->is_last)
        conn->language->sent(conn);
    if (conn->is_closing)
        return;
    conn_body_resume(conn);
    keep_unread(conn);
    count_memory(conn);
    if (conn->is_moving && conn->out.unsent_bytes == 0) {
        conn_move(conn);
        return;
    }
    conn->is_resting = can_parse(conn);
    if (conn->is_resting)
        conn_group_wake(conn->shared);
    settle(conn);
}

void conn_group_flush_corked(struct conn_group *shared)
{
    const uint64_t time = shared->gathered_times++; /* what comes meanwhile is for the next */
    for (struct conn *conn; (conn = shared->gathered) != NULL && conn->gathered_time <= time;) {
        dont_gather(conn); /* first: what follows may end any other of the list */
        flush(conn);
        go_on(conn);
    }
}

/* Lets the answers leave together with those of other connections: a client that hears of them one by one is woken
 * again and again, and so are we by what it asks next. */
static void gather(struct conn *conn, uint64_t now_ns)
{
    struct conn_group *shared = conn->shared;
    if (shared->gathered == NULL)
        shared->gathered_ns = now_ns;
    if (!conn->is_gathered)
        DL_APPEND2(shared->gathered, conn, gathered_prev, gathered_next);
    conn->is_gathered = true;
    conn->gathered_time = shared->gathered_times;
    if (now_ns - shared->gathered_ns > GATHER_NS)
        conn_group_flush_corked(shared);
}

/* At most a millisecond ago: asking for it takes as long as half a small request. */
static uint64_t time_about_now(const struct conn_group *shared)
{
    const uint64_t turn_ns = uv_now(shared->loop) * 1000000;
    return shared->now_ns > turn_ns ? shared->now_ns : turn_ns;
}

/* Parses and answers as far as it goes in its share of the turn. Answers of one read leave in one write, unless they
 * fill the queue: then what is sent makes room for the next requests. That write waits for the end of the turn only
 * when it follows a read event, which the loop has before it waits: conn_group_flush_corked() is called then. */
static void run(struct conn *conn, bool is_read)
{
    if (conn->is_running || conn->is_closing)
        return;
    uint64_t now_ns = time_about_now(conn->shared);
    const uint64_t end_ns = now_ns + SHARE_NS;
    bool is_waiting = false;
    conn->is_running = true;
    do {
        for (uint32_t count = 1; can_parse(conn) && now_ns < end_ns; count++) {
            conn->is_quick = false;
            parse_one(conn);
            if (!conn->is_quick || count % QUICK_ROW == 0)
                now_ns = uv_hrtime();
        }
        if (conn->is_eof && conn->is_calling && !conn->is_probed)
            conn->language->probe(conn);
        is_waiting =
            is_read && conn->in_bytes == 0 && conn->out.unsent_bytes > 0 && conn->out.unsent_bytes < GATHERED_BYTES;
        if (!is_waiting)
            flush(conn);
    } while (can_parse(conn) && now_ns < end_ns);
    conn->is_running = false;
    conn->shared->now_ns = now_ns;
    if (is_waiting && !conn->is_closing) {
        gather(conn, now_ns);
        return;
    }
    dont_gather(conn);
    go_on(conn);
}

void conn_run(struct conn *conn) { run(conn, false); }

static void take_bytes(struct conn *conn, const char *bytes, size_t size_bytes)
{
    if (conn->is_lingering && uv_now(conn->shared->loop) < conn->linger_end_ms)
        timeout_disarm(&conn->timeout); /* it has not come to reading the answer yet, and would lose it by a reset */
    if (conn->is_last)
        return; /* read and dropped */
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
    dispatcher_begin_read(conn->shared->dispatcher);
    if (size == 0)
        return;
    if (size < 0 && size != UV_EOF) {
        conn_close(conn);
        return;
    }
    if (size == UV_EOF) {
        conn->is_eof = true;
        if (conn->language != NULL && conn->language->left != NULL)
            conn->language->left(conn);
        uv_read_stop(stream);
        conn->is_reading = false;
        if (conn->is_lingering) {
            conn_close(conn);
            return;
        }
    } else {
        const char *bytes = buf->base;
        size_t size_bytes = (size_t)size;
        if (conn->language != NULL && conn->language->unwrap != NULL && !conn->is_last)
            conn->language->unwrap(conn, &bytes, &size_bytes);
        take_bytes(conn, bytes, size_bytes);
    }
    run(conn, true);
}
