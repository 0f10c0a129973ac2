/* conn_move.c - a connection that goes on on the main loop, with all it has: what its client wants only that loop does.
 */
#include "daemon/conn/conn_state.h"

#include "base/container_of.h"

#include "daemon/dispatch/hub.h"

#include <fcntl.h>
#include <unistd.h>

/* On the main loop. */
static void on_arrived(struct message *message)
{
    struct conn *conn = container_of(message, struct conn, arrival);
    conn->is_closing = conn->is_reading = conn->is_moving = false;
    conn_link(conn);
    if (conn_open_socket(conn, conn->moved_fd, conn->is_unix) < 0) {
        conn_close(conn);
        return;
    }
    conn->language->moved(conn);
    conn_run(conn);
}

static void on_left(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    struct conn_group *shared = conn->shared;
    struct hub *hub = dispatcher_hub(shared->dispatcher);
    conn_unlink(conn);
    conn->shared = hub_connections(hub);
    conn->arrival.take = on_arrived;
    hub_post(hub, &conn->arrival);
    shared->closed(shared);
}

void conn_move(struct conn *conn)
{
    uv_os_fd_t fd;
    conn->is_unix = conn->socket.handle.type != UV_TCP;
    conn->moved_fd = uv_fileno(&conn->socket.handle, &fd) < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (conn->moved_fd < 0) {
        struct err err;
        err_set(&err, ERR_OVERLOADED, "no file descriptor is free for the request; try again later");
        conn->is_moving = false;
        conn->language->refuse(conn, &err);
        conn_run(conn);
        return;
    }
    conn->is_closing = true; /* for this loop */
    timeout_disarm(&conn->timeout);
    uv_close(&conn->socket.handle, on_left);
}
