/* conn_time.c - how long a connection may stay where it stands, and what counts as progress. */
#include "daemon/conn/conn_state.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

static enum timeout_kind wanted_timeout(const struct conn *conn)
{
    if (conn->is_lingering)
        return TIMEOUT_LINGER;
    if (conn->out.unsent_bytes > 0)
        return TIMEOUT_WRITE;
    if (conn->is_calling || conn->body != NULL || conn->is_resting || conn_is_upload_full(conn))
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
    timeout_arm(&conn->shared->timeouts, &conn->timeout, kind, uv_now(conn->shared->loop));
}

uint64_t conn_progress_bytes(const struct conn *conn) { return conn->shared->config->limits.value[LIMIT_PART_BYTES]; }
