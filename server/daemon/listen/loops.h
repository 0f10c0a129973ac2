/* loops.h - the event loops with connections: the main one, which also owns everything else, --loops minus one further
 * ones, and one for --admin, each in its own thread. Each has its own ports, connections and dispatcher. Main loop's
 * thread, unless stated otherwise. */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/config/access_policy.h"
#include "daemon/config/config.h"
#include "daemon/service/service.h"

#include <uv.h>

struct loops;

/* Binds and listens for all loops; connections wait in the kernel. Borrows its arguments. Errors as of ports_bind(). */
int loops_new(uv_loop_t *main_loop, const struct config *config, struct budget *budget, struct loops **out,
              struct err *err);

/* Connects the loops to the service and starts the other loops' threads. ERR_INTERNAL: the system has no more threads;
 * the process has to exit. */
int loops_serve(struct loops *loops, struct service *service, struct err *err);

/* Returns the access policy of the main loop, borrowed. */
struct access_policy *loops_policy(const struct loops *loops);
/* Makes every loop use this policy and end the connections whose tokens it has revoked. used() runs once, on the main
 * loop, when all loops use it, perhaps before this returns. One at a time. Returns false without any effect if the
 * loops are draining. */
bool loops_use_policy(struct loops *loops, struct access_policy *policy,
                      void (*used)(void *user, uint32_t revoked_count), void *user);

/* Returns the longest time for which any loop has not checked its timeouts, which each does twice a second. Any loop's
 * thread. */
uint64_t loops_longest_silence_ms(const struct loops *loops);

/* Does ports_put_addresses(). */
void loops_put_addresses(const struct loops *loops, struct buf *out);

/* Stops accepting, closes idle connections and lets current replies finish for LIMIT_DRAIN_TIME_MS. drained(user) runs
 * once, on the main loop, when no connection is left and the other loops have ended. */
void loops_drain(struct loops *loops, void (*drained)(void *user), void *user);

/* Frees the loops after the main loop has run empty, or if it never ran with connections. NULL is fine. */
void loops_free(struct loops *loops);
