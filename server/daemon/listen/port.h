/* port.h - a listening socket of a loop. Private to ports.c, which opens and closes it, and port_accept.c. */
#pragma once

#include "daemon/config/socket_activation.h"
#include "daemon/config/unix_socket.h"
#include "daemon/listen/ports.h"

enum {
    PORTS_MAX = PASSED_SOCKETS_MAX,
    PORTS_BACKLOG = 511, /* connections that the kernel queues at a port */
};

struct port {
    uv_poll_t poll;
    struct ports *ports;
    int fd; /* listening; -1: the port is closed */
    enum port_kind kind;
    const char *passed; /* address of a passed socket (LISTEN_FDS); NULL: it was not passed */
    uint64_t waited_ms; /* when its last pause ended, or 0 */
};

struct ports {
    struct conn_group *group;
    uint32_t count;
    struct port list[PORTS_MAX];
    struct unix_socket unix_socket;
    uv_timer_t pause; /* of all paused ports */
    uint64_t accept_warned_ms;
};

static inline bool port_is_admin(const struct port *port) { return port->kind == PORT_ADMIN; }

/* Accepts some of the waiting clients; the callback of port->poll. */
void port_accept(uv_poll_t *poll, int status, int events);
