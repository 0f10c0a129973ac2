/* loops.h - the event loops that have connections: the main one, which has everything else too, --loops minus one more,
 * and one for --admin, each in a thread of its own. Each has its own ports, connections and dispatcher. For the main
 * loop's thread, unless it says otherwise. */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/config/access_policy.h"
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

/* Who may ask: the policy of the main loop, borrowed. */
struct access_policy *loops_policy(const struct loops *loops);
/* Every loop decides by this policy from now on, and ends the connections whose tokens it has revoked: used() runs
 * once, on the main loop, when all do, perhaps before this returns. One at a time. False, and nothing happens: the
 * loops are draining. */
bool loops_use_policy(struct loops *loops, struct access_policy *policy,
                      void (*used)(void *user, uint32_t revoked_count), void *user);

/* For how long the loop that has been quiet longest has not looked at its timeouts, which each does twice a second. Any
 * thread of them. */
uint64_t loops_longest_silence_ms(const struct loops *loops);

/* See ports_put_addresses(). */
void loops_put_addresses(const struct loops *loops, struct buf *out);

/* Stops accepting, closes idle connections and lets replies under way finish for LIMIT_DRAIN_TIME_MS. drained(user)
 * runs once, on the main loop, when no connection is left and the other loops have ended. */
void loops_drain(struct loops *loops, void (*drained)(void *user), void *user);

/* After the main loop has run empty, or if it never ran with connections. NULL is fine. */
void loops_free(struct loops *loops);
