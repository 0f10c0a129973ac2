/* port_accept.c - accepts a few connections of listening sockets at a time, refuses them, or leaves them waiting. */
#include "daemon/listen/port.h"

#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    WARN_EVERY_MS = 10000,
    ACCEPTS_PER_TICK = 16, /* at a port; then the connections accepted before have their turn */
    PAUSE_MS = 100,        /* of a port that cannot accept anything */
};

static void on_pause_over(uv_timer_t *pause)
{
    struct ports *ports = pause->data;
    for (uint32_t i = 0; i < ports->count; i++) {
        struct port *port = &ports->list[i];
        if (port->fd < 0 || uv_is_active((uv_handle_t *)&port->poll))
            continue;
        port->waited_ms = uv_now(pause->loop);
        uv_poll_start(&port->poll, UV_READABLE, port_accept);
    }
}

static void pause_port(struct port *port)
{
    uv_timer_t *pause = &port->ports->pause;
    uv_poll_stop(&port->poll);
    if (!uv_is_active((uv_handle_t *)pause))
        uv_timer_start(pause, on_pause_over, PAUSE_MS, 0);
}

/* The connection stays in the kernel's queue, which would wake the loop again at once: first the system has to find a
 * descriptor, or memory. The log does not hear of each time: the same failure comes back after every pause. */
static void pause_for_shortage(struct port *port, int error)
{
    struct ports *ports = port->ports;
    const uint64_t now_ms = uv_now(ports->group->loop);
    stats_add(STAT_CONNECTIONS_NOT_ACCEPTED, 1);
    pause_port(port);
    if (ports->accept_warned_ms != 0 && now_ms - ports->accept_warned_ms < WARN_EVERY_MS)
        return;
    ports->accept_warned_ms = now_ms;
    log_warn("a connection could not be accepted: %s", strerror(error));
}

/* Whether an errno of accept() is about that one connection, which is gone then (man 2 accept). */
static bool is_about_one(int error)
{
    static const int ERRORS[] = {ECONNABORTED, EHOSTDOWN,   EHOSTUNREACH, EINTR, ENETDOWN, ENETUNREACH,
                                 ENONET,       ENOPROTOOPT, EOPNOTSUPP,   EPERM, EPROTO,   ETIMEDOUT};
    for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
        if (ERRORS[i] == error)
            return true;
    return false;
}

/* No descriptor is left to tell more clients that there are too many. */
static bool is_crowded(const struct conn_group *group, uint64_t open_count)
{
    return open_count >= group->config->limits.value[LIMIT_CONNECTIONS] + group->config->refused_max;
}

/* These have places of their own, so that a server with as many connections as it may have can still be watched.
 * Clients that hold them all without asking anything make way: a probe gets in. */
static void take_admin(struct conn_group *group, int fd)
{
    stats_add(STAT_CONNECTIONS_ACCEPTED, 1);
    if (group->admin_count < CONFIG_ADMIN_CONNECTIONS_MAX || conn_group_end_oldest(group))
        conn_group_accept(group, &(struct conn_arrival){.fd = fd, .is_admin = true});
    else
        close(fd);
}

static void take(const struct port *port, int fd)
{
    struct conn_group *group = port->ports->group;
    const uint64_t open_count = atomic_fetch_add_explicit(group->all_open_count, 1, memory_order_relaxed);
    const bool is_refused = open_count >= group->config->limits.value[LIMIT_CONNECTIONS];
    stats_add(STAT_CONNECTIONS_ACCEPTED, 1);
    stats_add(STAT_CONNECTIONS_REFUSED, is_refused);
    if (!is_crowded(group, open_count)) {
        conn_group_accept(group, &(struct conn_arrival){.fd = fd,
                                                        .is_unix = port->kind == PORT_UNIX,
                                                        .has_packets = port->kind != PORT_HTTP,
                                                        .is_refused = is_refused});
        return;
    }
    atomic_fetch_sub_explicit(group->all_open_count, 1, memory_order_relaxed);
    close(fd);
}

/* A pause of the port has just ended, so the connections in its queue have waited. */
static bool has_waited(const struct port *port)
{
    return port->waited_ms != 0 && uv_now(port->ports->group->loop) - port->waited_ms < PAUSE_MS;
}

/* If there are far too many, connections in the queue wait a moment before they are closed without an answer, because
 * other clients may have left without a loop having noticed yet. */
static void accept_some(struct port *port, int most)
{
    const struct conn_group *group = port->ports->group;
    for (int i = 0; i < most; i++) {
        if (!port_is_admin(port) && !has_waited(port) &&
            is_crowded(group, atomic_load_explicit(group->all_open_count, memory_order_relaxed))) {
            pause_port(port);
            return;
        }
        const int fd = accept4(port->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        const int error = errno;
        if (fd >= 0 && port_is_admin(port)) {
            take_admin(port->ports->group, fd);
        } else if (fd >= 0) {
            take(port, fd);
        } else if (error == EAGAIN) {
            port->waited_ms = 0;
            return;
        } else if (!is_about_one(error)) {
            pause_for_shortage(port, error);
            return;
        }
    }
}

/* Accepts a bounded number at a time: a client that opens one connection after another must neither hide the ends of
 * others nor take their time. */
void port_accept(uv_poll_t *poll, int status __attribute__((unused)), int events __attribute__((unused)))
{
    accept_some(poll->data, ACCEPTS_PER_TICK);
}

void ports_accept_queued(struct ports *ports)
{
    for (uint32_t i = 0; i < ports->count; i++)
        if (ports->list[i].fd >= 0 && ports->list[i].passed == NULL)
            accept_some(&ports->list[i], PORTS_BACKLOG);
}
