/* ports.h - the listening sockets of one loop: HTTP, TCP and a Unix socket, or --admin. They accept a bounded number of
 * connections. Once the loop runs, its thread only.
 *
 * Several loops listen at the same addresses. On TCP each has its own socket, and the kernel distributes the
 * connections (SO_REUSEPORT, man 7 socket). This does not work for Unix sockets and passed sockets: the loops share
 * one, and the first free loop takes the next connection. */
#pragma once

#include "daemon/conn/conn.h"

struct ports;

/* Makes the ports, all closed. `group` is borrowed and has loop, config and all_open_count. */
struct ports *ports_new(struct conn_group *group);

/* Listens at config->passed or, if that is NULL, at http, tcp and unix_path. Connections wait until the loop runs. It
 * leaves out the default TCP port if that is taken. ERR_BAD_PARAMETER with a sentence for stderr ("--http: cannot
 * listen on 127.0.0.1:7878: address already in use"). */
int ports_bind(struct ports *ports, struct err *err);
/* Listens at the passed sockets for --admin or, if there are none, at config->admin. Errors likewise. */
int ports_bind_admin(struct ports *ports, struct err *err);
/* True if the configuration has such a port. */
bool ports_want_admin(const struct config *config);
/* Listens at the same addresses as the ports of another loop. Errors likewise. */
int ports_join(struct ports *ports, const struct ports *first, struct err *err);

/* " http=127.0.0.1:7878 tcp=127.0.0.1:7879 unix=/run/posed.sock admin=127.0.0.1:9878": appends the open ports, with the
 * real port numbers. */
void ports_put_addresses(const struct ports *ports, struct buf *out);

/* Accepts the connections that wait in the kernel's queues, before ports_close(): the kernel resets those that are
 * left. Queues of passed sockets stay for the next server. */
void ports_accept_queued(struct ports *ports);

/* Stops accepting; the sockets close while the loop runs. May be called again. */
void ports_close(struct ports *ports);
/* Frees the ports after ports_close(). */
void ports_free(struct ports *ports);
