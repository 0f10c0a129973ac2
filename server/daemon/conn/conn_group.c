/* conn_group.c - the connections of one loop: accepts them, moves them to another loop and ends them with the
 * server. */
#include "daemon/conn/conn.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/dispatch/hub.h"
#include "daemon/support/stats.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

enum {
    KERNEL_UNSENT_BYTES = 131072, /* bytes of replies that the kernel buffers beyond the ones in flight */
    LINGER_MS = 2000,
    ADDRESS_REFUSED_MAX = 16, /* connections above the limit of an address that still get a 503 */
    KEEPALIVE_S = 60,         /* of silence before the system asks whether the client is still there */
};

/* --- the group --- */

/* The connections' share, twice in each turn of a loop. A client with many connections gets no more of a turn than one
 * with few. */
static const uint64_t TURN_NS = 4000000;

bool conn_group_turn_is_over(struct conn_group *group, uint64_t now_ns)
{
    if (group->turn_end_ns == 0)
        group->turn_end_ns = now_ns + TURN_NS;
    return now_ns >= group->turn_end_ns;
}

static void before_wait(uv_prepare_t *prepare)
{
    struct conn_group *group = prepare->data;
    conn_group_flush_corked(group);
    group->turn_end_ns = 0; /* connections that could not be read before get their time */
}

static void after_wait(uv_check_t *check)
{
    struct conn_group *group = check->data;
    conn_group_run_received(group);
    conn_group_flush_corked(group);
    group->turn_end_ns = 0;
}

static void set_timeouts(struct timeouts *timeouts, const struct limits *limits)
{
    timeouts_init(timeouts, (const uint64_t[TIMEOUT_COUNT]){
                                [TIMEOUT_FIRST] = limits->value[LIMIT_HEADER_TIME_MS],
                                [TIMEOUT_HEADER] = limits->value[LIMIT_HEADER_TIME_MS],
                                [TIMEOUT_BODY] = limits->value[LIMIT_BODY_TIME_MS],
                                [TIMEOUT_IDLE] = limits->value[LIMIT_IDLE_TIME_MS],
                                [TIMEOUT_WRITE] = limits->value[LIMIT_WRITE_TIME_MS],
                                [TIMEOUT_LINGER] = LINGER_MS,
                            });
}

void conn_group_start(struct conn_group *group)
{
    uv_prepare_init(group->loop, &group->before_wait);
    uv_check_init(group->loop, &group->after_wait);
    group->before_wait.data = group->after_wait.data = group;
    uv_prepare_start(&group->before_wait, before_wait);
    uv_check_start(&group->after_wait, after_wait);
    uv_unref((uv_handle_t *)&group->before_wait);
    uv_unref((uv_handle_t *)&group->after_wait);
    uv_idle_init(group->loop, &group->next_tick);
    group->next_tick.data = group;
    buf_init(&group->spare_body, 0);
    buf_init(&group->plain_tags, 0);
    buf_init(&group->unwrapped, 0);
    set_timeouts(&group->timeouts, &group->config->limits);
    group->queries = prepared_queries_new();
}

void conn_group_stop(struct conn_group *group)
{
    if (uv_is_closing((uv_handle_t *)&group->next_tick))
        return;
    uv_close((uv_handle_t *)&group->next_tick, NULL);
    uv_close((uv_handle_t *)&group->before_wait, NULL);
    uv_close((uv_handle_t *)&group->after_wait, NULL);
}

void conn_group_fini(struct conn_group *group)
{
    prepared_queries_free(group->queries);
    buf_fini(&group->spare_body);
    buf_fini(&group->plain_tags);
    buf_fini(&group->unwrapped);
    send_queue_thread_end();
}

/* Runs the resting connections, one after the other around the list, until the turn is over; the next tick continues
 * there. */
static void resume_resting(struct conn_group *group)
{
    struct conn *conn = group->next_resting != NULL ? group->next_resting : group->first;
    for (uint32_t i = 0, count = group->open_count; i < count && conn != NULL; i++) {
        if (conn->is_resting && conn_group_turn_is_over(group, uv_hrtime())) {
            group->next_resting = conn;
            conn_group_wake(group);
            return;
        }
        group->next_resting = conn->next; /* conn_unlink() keeps it good */
        if (conn->is_resting)
            conn_run(conn);
        conn = group->next_resting != NULL ? group->next_resting : group->first;
    }
}

static void on_next_tick(uv_idle_t *idle)
{
    struct conn_group *group = idle->data;
    uv_idle_stop(idle);
    if (group->packets_tick != NULL)
        group->packets_tick(group);
    resume_resting(group);
}

void conn_group_wake(struct conn_group *group)
{
    if (!uv_is_closing((uv_handle_t *)&group->next_tick))
        uv_idle_start(&group->next_tick, on_next_tick);
}

/* --- new connections --- */

static void prepare_tcp(struct conn *conn)
{
    const int unsent_bytes = KERNEL_UNSENT_BYTES;
    struct sockaddr_storage peer = {0};
    int peer_bytes = sizeof peer;
    uv_os_fd_t fd;
    uv_tcp_nodelay(&conn->socket.tcp, 1);
    uv_tcp_keepalive(&conn->socket.tcp, 1, KEEPALIVE_S);
    /* unread bytes should stay in our memory, which is counted, and not by the megabyte in the kernel's (man 7 tcp) */
    if (uv_fileno(&conn->socket.handle, &fd) == 0)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes, sizeof unsent_bytes);
    uv_tcp_getpeername(&conn->socket.tcp, (struct sockaddr *)&peer, &peer_bytes);
    address_format((const struct sockaddr *)&peer, conn->remote);
    const struct peer_address address = address_peer((const struct sockaddr *)&peer);
    conn->address = address_key_of(&address);
    conn->is_trusted = trusted_proxies_have(&conn->group->proxies->trusted, &address);
}

static void prepare_unix(struct conn *conn)
{
    const struct peer_address address = peer_address_unix();
    peer_address_format(&address, conn->remote);
    conn->is_trusted = trusted_proxies_have(&conn->group->proxies->trusted, &address);
}

static void add(struct conn *conn)
{
    DL_PREPEND(conn->group->first, conn);
    stats_set(STAT_CONNECTIONS_OPEN, ++conn->group->open_count);
}

void conn_unlink(struct conn *conn)
{
    if (conn->group->next_resting == conn)
        conn->group->next_resting = conn->next;
    DL_DELETE(conn->group->first, conn);
    stats_set(STAT_CONNECTIONS_OPEN, --conn->group->open_count);
}

/* Opens a handle on the loop of the connection's group for the descriptor, which it takes. Returns 0, or libuv's
 * negative code: it has then closed the descriptor, but not the handle. */
static int open_socket(struct conn *conn, int fd, bool is_unix)
{
    uv_loop_t *loop = conn->group->loop;
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

/* Counts a connection over TCP. False: its address has far too many, and it is closed without an answer; otherwise
 * *is_refused says whether it gets a 503. */
static bool count_address(struct conn *conn, bool *is_refused)
{
    struct conn_group *group = conn->group;
    const uint64_t most = group->config->limits.value[LIMIT_ADDRESS_CONNECTIONS];
    if (conn->is_trusted || conn->is_admin || group->addresses == NULL)
        return true;
    const uint64_t count = address_counts_add(group->addresses, &conn->address);
    const bool is_exceeded = count > most && !*is_refused;
    conn->count = is_exceeded ? COUNT_EXCEEDED : COUNT_TAKEN;
    stats_add(STAT_CONNECTIONS_REFUSED, is_exceeded);
    *is_refused = *is_refused || is_exceeded;
    return count <= most + ADDRESS_REFUSED_MAX;
}

void conn_group_accept(struct conn_group *group, const struct conn_arrival *arrival)
{
    struct conn *conn = mem_zalloc(1, sizeof *conn);
    conn->group = group;
    buf_init(&conn->unread, 0);
    conn->write.data = conn;
    conn->is_admin = arrival->is_admin;
    group->admin_count += arrival->is_admin;
    add(conn);
    if (open_socket(conn, arrival->fd, arrival->is_unix) < 0) {
        conn_close(conn);
        return;
    }
    if (arrival->is_unix)
        prepare_unix(conn);
    else
        prepare_tcp(conn);
    conn->may_be_proxied = conn->is_trusted && !conn->is_admin;
    bool is_refused = arrival->is_refused;
    if (!arrival->is_unix && !count_address(conn, &is_refused)) {
        conn_close(conn);
        return;
    }
    conn->state = is_refused ? CONN_REFUSED : CONN_READING;
    if (!arrival->has_packets) {
        conn->protocol = group->http;
        conn->protocol->start(conn, NULL);
    }
    if (is_refused && conn->protocol != NULL)
        conn_refuse_over_limit(conn);
    conn_run(conn);
}

/* --- moving to the main loop --- */

/* On the main loop. */
static void on_arrived(struct message *message)
{
    struct conn *conn = container_of(message, struct conn, arrival);
    const bool is_unix = conn->socket.handle.type != UV_TCP;
    conn_enter(conn, CONN_READING);
    conn->is_reading = false;
    add(conn);
    if (open_socket(conn, conn->moved_fd, is_unix) < 0) {
        conn_close(conn);
        return;
    }
    conn->protocol->moved(conn);
    conn_run(conn);
}

static void on_left(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    struct conn_group *group = conn->group;
    struct hub *hub = dispatcher_hub(group->dispatcher);
    conn_unlink(conn);
    conn->group = hub_connections(hub);
    conn->arrival.take = on_arrived;
    hub_post(hub, &conn->arrival);
    group->closed(group);
}

void conn_move(struct conn *conn)
{
    uv_os_fd_t fd;
    conn->moved_fd = uv_fileno(&conn->socket.handle, &fd) < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (conn->moved_fd < 0) {
        struct err err;
        err_set(&err, ERR_OVERLOADED, "no file descriptor is free for the request; try again later");
        conn_enter(conn, CONN_READING);
        conn->protocol->refuse(conn, &err);
        conn_run(conn);
        return;
    }
    conn_enter(conn, CONN_AWAY);
    conn_unqueue(conn);
    timeout_disarm(&conn->timeout);
    uv_close(&conn->socket.handle, on_left);
}

/* --- closing --- */

/* Whether the client has sent bytes that the loop has yet to read: closing the connection would reset it. */
static bool has_sent_more(const struct conn *conn)
{
    int count = 0;
    uv_os_fd_t fd;
    return conn->input == INPUT_OPEN && uv_fileno(&conn->socket.handle, &fd) == 0 && ioctl(fd, FIONREAD, &count) == 0 &&
           count > 0;
}

void conn_group_drain(struct conn_group *group)
{
    for (struct conn *conn = group->first, *next; conn != NULL; conn = next) {
        next = conn->next;
        const bool has_nothing = (conn->in_bytes == 0 || conn->needs_more) && !has_sent_more(conn);
        const bool is_quiet = conn->state <= CONN_READING && has_nothing && conn->out.unsent_bytes == 0;
        if (conn->protocol == NULL ? !is_quiet : !conn->protocol->drain(conn) || !is_quiet) {
            conn_run(conn);
        } else if (conn_unacked_bytes(conn) == 0) {
            conn_close(conn);
        } else { /* bytes from the client to a closed socket make the kernel drop the unsent reply */
            conn->is_last = true;
            conn_run(conn);
        }
    }
}

uint32_t conn_group_use_access(struct conn_group *group, const struct access *access)
{
    uint32_t count = 0;
    group->access = access;
    group->access_number++;
    if (group->access->revoked.size_bytes == 0)
        return 0;
    for (struct conn *conn = group->first, *next; conn != NULL; conn = next) {
        next = conn->next;
        /* a streamed body may be the last reply as well */
        const bool goes_on = conn->state == CONN_STREAMING || !conn->is_last;
        const bool is_open = conn->state > CONN_REFUSED && conn->state < CONN_LINGERING && goes_on;
        if (!is_open || conn->protocol == NULL || conn->protocol->revoke == NULL || !conn->protocol->revoke(conn))
            continue;
        count++;
        conn_run(conn);
    }
    return count;
}

void conn_group_close_all(struct conn_group *group)
{
    for (struct conn *conn = group->first; conn != NULL; conn = conn->next)
        conn_close(conn);
}
