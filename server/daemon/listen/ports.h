/* ports.h - the sockets at which one loop listens: HTTP, TCP and a Unix socket, or --admin. Accepts a bounded number of
 * connections. Once the loop runs, for its thread only.
 *
 * Several loops listen at the same addresses: on TCP each has a socket of its own, and the kernel distributes the
 * connections (SO_REUSEPORT, man 7 socket). Unix sockets have no such option, nor have sockets that were passed: the
 * loops share one, and the first that is free takes the next connection. */
#pragma once

#include "daemon/conn/conn.h"

struct ports;

/* No port is open. `group` is borrowed and has loop, config and all_open_count. */
struct ports *ports_new(struct conn_group *group);

/* Listens at config->passed or, if that is NULL, http, tcp and unix_path. Connections wait until the loop runs. The
 * default TCP port is left out if it is taken. ERR_BAD_PARAMETER with a sentence for stderr ("cannot listen on
 * 127.0.0.1:7878: address already in use"). */
int ports_bind(struct ports *ports, struct err *err);
/* Listens at the sockets for --admin that were passed or, where there are none, at config->admin. Errors likewise. */
int ports_bind_admin(struct ports *ports, struct err *err);
/* Whether there is such a port. */
bool ports_want_admin(const struct config *config);
/* Listens where the ports of another loop do. Errors likewise. */
int ports_join(struct ports *ports, const struct ports *first, struct err *err);

/* " http=127.0.0.1:7878 tcp=127.0.0.1:7879 unix=/run/posed.sock admin=127.0.0.1:9878": the open ones, with the real
 * port numbers. */
void ports_put_addresses(const struct ports *ports, struct buf *out);

/* Accepts no more; the sockets are closed while the loop runs. May be called again. */
void ports_close(struct ports *ports);
/* After that. */
void ports_free(struct ports *ports);
