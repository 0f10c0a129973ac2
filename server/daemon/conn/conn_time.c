/* conn_time.c - the timeouts of a connection: starts them, recognizes progress, and acts when they expire. */
#include "daemon/conn/conn.h"

#include "base/container_of.h"
#include "daemon/support/stats.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

static enum timeout_kind wanted_timeout(const struct conn *conn)
{
    if (conn->state == CONN_LINGERING)
        return TIMEOUT_LINGER;
    if (conn->out.unsent_bytes > 0)
        return send_queue_is_paused(&conn->out) ? TIMEOUT_NONE : TIMEOUT_WRITE;
    if (conn_is_busy(conn) || conn->state == CONN_STREAMING || conn->is_resting || conn_is_upload_full(conn))
        return TIMEOUT_NONE;
    const enum timeout_kind kind = conn->protocol == NULL ? TIMEOUT_IDLE : conn->protocol->timeout(conn);
    return kind == TIMEOUT_IDLE && !conn->has_answered ? TIMEOUT_FIRST : kind;
}

size_t conn_unacked_bytes(const struct conn *conn)
{
    int kernel_bytes = 0;
    uv_os_fd_t fd;
    if (uv_fileno(&conn->socket.handle, &fd) == 0)
        (void)ioctl(fd, SIOCOUTQ, &kernel_bytes); /* man 7 tcp */
    return uv_stream_get_write_queue_size(&conn->socket.stream) + (size_t)kernel_bytes;
}

void conn_arm_timeout(struct conn *conn)
{
    const enum timeout_kind kind = wanted_timeout(conn);
    if (kind == conn->timeout.kind)
        return;
    if (kind == TIMEOUT_WRITE)
        conn->write_mark = conn_unacked_bytes(conn);
    if (kind == TIMEOUT_BODY)
        conn->body_mark = 0;
    timeout_arm(&conn->group->timeouts, &conn->timeout, kind, uv_now(conn->group->loop));
}

uint64_t conn_progress_bytes(const struct conn *conn) { return conn->group->config->limits.value[LIMIT_PART_BYTES]; }

/* --- expired timeouts --- */

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
        conn->protocol->refuse(conn, &err);
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

/* A socket that is not read does not report its reset by itself. */
static void close_reset(struct conn_group *group)
{
    for (struct conn *conn = group->first; conn != NULL && group->probed_count > 0; conn = conn->next)
        if (conn->input == INPUT_PROBED && !conn_is_gone(conn) && is_reset(conn))
            conn_close(conn);
}

/* Others wait for the memory of replies that have not been read for long. */
static void make_capacity(struct conn_group *group)
{
    const uint64_t patience_ms = group->config->limits.value[LIMIT_WRITE_TIME_MS];
    for (struct conn *conn = group->first; conn != NULL; conn = conn->next) {
        const bool is_late = conn->unsent_ms != 0 && uv_now(group->loop) - conn->unsent_ms >= patience_ms;
        if (conn_is_gone(conn) || !is_late || conn->counted_bytes <= BUDGET_SMALL_BYTES)
            continue;
        stats_add(STAT_CONNECTIONS_TIMED_OUT, 1);
        conn_close(conn);
    }
}

void conn_group_expire(struct conn_group *group)
{
    close_reset(group);
    const uint_fast32_t shortages = atomic_load_explicit(&group->budget->shortages, memory_order_relaxed);
    if (group->shortages_seen != shortages)
        make_capacity(group);
    group->shortages_seen = shortages;
    enum timeout_kind kind;
    struct timeout *timeout;
    while ((timeout = timeouts_expired(&group->timeouts, uv_now(group->loop), &kind)) != NULL)
        expire(container_of(timeout, struct conn, timeout), kind);
}

bool conn_group_end_oldest(struct conn_group *group)
{
    static const enum timeout_kind IDLE[] = {TIMEOUT_FIRST, TIMEOUT_HEADER, TIMEOUT_IDLE, TIMEOUT_LINGER},
                                   SLOW[] = {TIMEOUT_BODY, TIMEOUT_WRITE};
    struct timeout *oldest = timeouts_oldest(&group->timeouts, IDLE, sizeof IDLE / sizeof *IDLE);
    if (oldest == NULL)
        oldest = timeouts_oldest(&group->timeouts, SLOW, sizeof SLOW / sizeof *SLOW);
    if (oldest == NULL)
        return false;
    conn_close(container_of(oldest, struct conn, timeout));
    return true;
}
