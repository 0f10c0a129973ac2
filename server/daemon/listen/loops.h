/* loops.h - the event loops that have connections: the main one, which has everything else too, and --loops minus one
 * more, each in a thread of its own. Each has its own ports, connections and dispatcher. For the main loop's thread. */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/config/config.h"
#include "daemon/service/service.h"

#include <uv.h>

struct loops;

/* Binds and listens for all of them; connections wait. All are borrowed. Errors as ports_bind() has them. */
int loops_new(uv_loop_t *main_loop, const struct config *config, struct budget *budget, struct loops **out,
              struct err *err);

/* Has the service answer; starts the other loops' threads. ERR_INTERNAL: the system has no more threads, and the
 * process can only end. */
int loops_serve(struct loops *loops, struct service *service, struct err *err);

/* See ports_put_addresses(). */
void loops_put_addresses(const struct loops *loops, struct buf *out);

/* Stops accepting, closes idle connections and lets replies under way finish for LIMIT_DRAIN_TIME_MS. drained(user)
 * runs once, on the main loop, when no connection is left and the other loops have ended. */
void loops_drain(struct loops *loops, void (*drained)(void *user), void *user);

/* After the main loop has run empty, or if it never ran with connections. NULL is fine. */
void loops_free(struct loops *loops);
