/* conn_move.c - a connection that goes on on the main loop, with all it has: what its client wants only that loop does.
 */
#include "conn_state.h"

#include "desk.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/* On the main loop. */
static void on_arrived(struct message *message)
{
    struct conn *conn = (struct conn *)((char *)message - offsetof(struct conn, arrival));
    struct conn_shared *shared = conn->shared;
    const int fd = conn->moved_fd;
    conn->is_closing = conn->is_reading = conn->is_moving = false;
    if (conn->is_unix)
        uv_pipe_init(shared->loop, &conn->socket.pipe, 0);
    else
        uv_tcp_init(shared->loop, &conn->socket.tcp);
    conn->socket.handle.data = conn;
    conn_link(conn);
    if ((conn->is_unix ? uv_pipe_open(&conn->socket.pipe, fd) : uv_tcp_open(&conn->socket.tcp, fd)) < 0) {
        close(fd);
        conn_close_now(conn);
        return;
    }
    conn->language->moved(conn);
    conn_run(conn);
}

static void on_left(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    struct conn_shared *shared = conn->shared;
    struct desk *desk = front_desk(shared->front);
    conn_unlink(conn);
    conn->shared = desk_connections(desk);
    conn->arrival.take = on_arrived;
    desk_post(desk, &conn->arrival);
    shared->closed(shared);
}

void conn_leave(struct conn *conn)
{
    uv_os_fd_t fd;
    conn->is_unix = conn->socket.handle.type != UV_TCP;
    conn->moved_fd = uv_fileno(&conn->socket.handle, &fd) < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (conn->moved_fd < 0) { /* there are no more */
        conn_close_now(conn);
        return;
    }
    conn->is_closing = true; /* for this loop */
    timeout_disarm(&conn->timeout);
    uv_close(&conn->socket.handle, on_left);
}
