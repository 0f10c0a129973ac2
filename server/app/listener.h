/* listener.h - the ports: HTTP, TCP, Unix socket: accepts connections, keeps their number and their time in bounds,
 * drains them. Loop thread only. */
#pragma once

#include "budget.h"
#include "config.h"
#include "service.h"

#include <uv.h>

struct listener;

/* All are borrowed. Binds config->http, tcp and unix_path and listens; connections wait until the loop runs. A TCP port
 * that nobody asked for and that is taken is left out. ERR_BAD_PARAMETER with a sentence for stderr ("cannot listen on
 * 127.0.0.1:7878: address already in use"). */
int listener_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct listener **out,
                 struct err *err);

/* Who answers; before the loop runs. */
void listener_serve(struct listener *listener, struct service *service);

/* " http=127.0.0.1:7878 tcp=127.0.0.1:7879 unix=/run/posed.sock": those that there are, with the real ports. */
void listener_put_addresses(const struct listener *listener, struct buf *out);

/* Stops accepting, closes idle connections, lets answers under way finish for LIMIT_DRAIN_TIME_MS and calls
 * drained(user) once, when no connection is left. */
void listener_drain(struct listener *listener, void (*drained)(void *user), void *user);

/* After the loop has become empty, or when it never ran with connections: closes what is open and runs the loop
 * until that is gone. NULL is fine. */
void listener_free(struct listener *listener);
