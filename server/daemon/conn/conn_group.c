/* conn_shared.c - all connections of a loop: as they come, as time passes, as the server ends. */
#include "daemon/conn/conn_state.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/service/prepared_queries.h"
#include "daemon/support/stats.h"
#include "daemon/packets/model_watches.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    KERNEL_UNSENT_BYTES = 131072, /* of answers that the kernel takes in beyond what it sends at once */
    KEEPALIVE_S = 60,             /* of silence, then the system asks whether the client is still there */
};

static void before_wait(uv_prepare_t *prepare) { conn_group_flush_corked(prepare->data); }
static void after_wait(uv_check_t *check) { conn_group_flush_corked(check->data); }

void conn_group_start(struct conn_group *shared)
{
    uv_prepare_init(shared->loop, &shared->before_wait);
    uv_check_init(shared->loop, &shared->after_wait);
    shared->before_wait.data = shared->after_wait.data = shared;
    uv_prepare_start(&shared->before_wait, before_wait);
    uv_check_start(&shared->after_wait, after_wait);
    uv_unref((uv_handle_t *)&shared->before_wait);
    uv_unref((uv_handle_t *)&shared->after_wait);
    uv_idle_init(shared->loop, &shared->next_turn);
    shared->next_turn.data = shared;
    buf_init(&shared->plain_tags, 0);
    buf_init(&shared->unwrapped, 0);
    shared->watches = model_watches_new(shared);
    shared->memo = prepared_queries_new();
}

void conn_group_stop(struct conn_group *shared)
{
    if (uv_is_closing((uv_handle_t *)&shared->next_turn))
        return;
    uv_close((uv_handle_t *)&shared->next_turn, NULL);
    uv_close((uv_handle_t *)&shared->before_wait, NULL);
    uv_close((uv_handle_t *)&shared->after_wait, NULL);
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

void conn_link(struct conn *conn)
{
    struct conn_group *shared = conn->shared;
    conn->prev = NULL;
    conn->next = shared->first;
    if (shared->first != NULL)
        shared->first->prev = conn;
    shared->first = conn;
    stats_set(STAT_CONNECTIONS_OPEN, ++shared->open_count);
}

void conn_unlink(struct conn *conn)
{
    struct conn_group *shared = conn->shared;
    *(conn->prev == NULL ? &shared->first : &conn->prev->next) = conn->next;
    if (conn->next != NULL)
        conn->next->prev = conn->prev;
    stats_set(STAT_CONNECTIONS_OPEN, --shared->open_count);
}

int conn_open_socket(struct conn *conn, int fd, bool is_unix)
{
    uv_loop_t *loop = conn->shared->loop;
    if (is_unix)
        uv_pipe_init(loop, &conn->socket.pipe, 0);
    else
        uv_tcp_init(loop, &conn->socket.tcp);
    conn->socket.handle.data = conn;
    const int rc = is_unix ? uv_pipe_open(&conn->socket.pipe, fd) : uv_tcp_open(&conn->socket.tcp, fd);
    if (rc < 0)
        close(fd);
    return rc;
}

void conn_group_accept(struct conn_group *shared, int fd, bool is_unix, bool has_packets, bool is_refused)
{
    struct conn *conn = mem_zalloc(1, sizeof *conn);
    conn->shared = shared;
    timeout_init(&conn->timeout);
    send_queue_init(&conn->out);
    buf_init(&conn->unread, 0);
    conn->write.data = conn;
    conn_link(conn);
    if (conn_open_socket(conn, fd, is_unix) < 0) {
        conn_close(conn);
        return;
    }
    if (is_unix)
        snprintf(conn->remote, sizeof conn->remote, "unix");
    else
        prepare_tcp(conn);
    conn->is_refused = is_refused;
    if (!has_packets) {
        conn->language = &PROTOCOL_HTTP;
        http_parser_init(&conn->parser, &shared->config->limits);
    }
    if (is_refused && conn->language != NULL)
        conn_refuse_over_limit(conn);
    conn_run(conn);
}

static void expire(struct conn *conn, enum timeout_kind kind)
{
    const bool is_late = kind == TIMEOUT_HEADER || kind == TIMEOUT_BODY;
    if (kind == TIMEOUT_WRITE && conn_unacked_bytes(conn) + conn_progress_bytes(conn) <= conn->write_mark) {
        conn_arm_timeout(conn);
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
        conn_close(conn);
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
static void close_reset(struct conn_group *shared)
{
    for (struct conn *conn = shared->first; conn != NULL && shared->probed_count > 0; conn = conn->next)
        if (conn->is_probed && !conn->is_closing && is_reset(conn))
            conn_close(conn);
}

/* Others wait for the room that answers take which have been there for long. */
static void make_room(struct conn_group *shared)
{
    const uint64_t patience_ms = shared->config->limits.value[LIMIT_WRITE_TIME_MS];
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next) {
        const bool is_late = conn->unsent_ms != 0 && uv_now(shared->loop) - conn->unsent_ms >= patience_ms;
        if (conn->is_closing || !is_late || conn->counted_bytes <= BUDGET_SMALL_BYTES)
            continue;
        stats_add(STAT_CONNECTIONS_TIMED_OUT, 1);
        conn_close(conn);
    }
}

void conn_group_expire(struct conn_group *shared)
{
    close_reset(shared);
    model_watches_tick(shared->watches);
    const uint_fast32_t shortages = atomic_load_explicit(&shared->budget->shortages, memory_order_relaxed);
    if (shared->shortages_seen != shortages)
        make_room(shared);
    shared->shortages_seen = shortages;
    enum timeout_kind kind;
    struct timeout *timeout;
    while ((timeout = timeouts_expired(&shared->timeouts, uv_now(shared->loop), &kind)) != NULL)
        expire(container_of(timeout, struct conn, timeout), kind);
}

void conn_group_drain(struct conn_group *shared)
{
    for (struct conn *conn = shared->first, *next; conn != NULL; conn = next) {
        next = conn->next;
        const bool is_quiet = !conn->is_calling && conn->body == NULL && conn->in_bytes == 0 &&
                              conn->out.unsent_bytes == 0 && !conn->is_lingering && !conn->is_closing;
        if (conn->language == NULL ? is_quiet : conn->language->drain(conn) && is_quiet)
            conn_close(conn);
        else
            conn_run(conn);
    }
}

void conn_group_close_all(struct conn_group *shared)
{
    for (struct conn *conn = shared->first; conn != NULL; conn = conn->next)
        conn_close(conn);
}

bool conn_answer_prepared(struct conn *conn, struct query_key *key, struct reply *reply)
{
    struct conn_group *shared = conn->shared;
    struct prepared_query *query = prepared_queries_find(shared->memo, key, &conn->hint);
    if (query == NULL)
        return false;
    reply_init(reply);
    prepared_queries_lend_body(shared->memo, &reply->body);
    if (dispatcher_answer_query(shared->dispatcher, query, key, reply)) {
        stats_add(STAT_REQUESTS_REPEATED, 1);
        conn->is_quick = query->is_quick;
        return true;
    }
    prepared_queries_take_body(shared->memo, &reply->body);
    reply_fini(reply);
    return false;
}
