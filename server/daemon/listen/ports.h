/* ports.h - the sockets at which one loop listens: HTTP, TCP, Unix socket; accepts connections, so many and no more.
 * For the thread of its loop, once that runs.
 *
 * Several loops listen at the same addresses: on TCP each with a socket of its own, among which the kernel deals out
 * the connections (SO_REUSEPORT, man 7 socket); on the Unix socket, which knows no such thing, with one for all, of
 * which the first that is free takes the next. */
#pragma once

#include "daemon/conn/conn.h"

struct ports;

/* None is open. `group`, borrowed, is what its connections share, with loop, config and all_open_count set. */
struct ports *ports_new(struct conn_group *group);

/* Listens at config->http, tcp and unix_path; connections wait until the loop runs. A TCP port that nobody asked for
 * and that is taken is left out. ERR_BAD_PARAMETER with a sentence for stderr ("cannot listen on 127.0.0.1:7878:
 * address already in use"). */
int ports_bind(struct ports *ports, struct err *err);
/* Or where those of another loop do. Errors likewise. */
int ports_join(struct ports *ports, const struct ports *first, struct err *err);

/* " http=127.0.0.1:7878 tcp=127.0.0.1:7879 unix=/run/posed.sock": those that are open, with the real numbers. */
void ports_put_addresses(const struct ports *ports, struct buf *out);

/* Accepts no more; the sockets are closed while the loop runs. Again is fine. */
void ports_close(struct ports *ports);
/* After that. */
void ports_free(struct ports *ports);
