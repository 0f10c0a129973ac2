/* loop.h - one event loop and its work on its own thread. Private to loops.c and loop.c. */
#pragma once

#include "daemon/config/access_policy.h"
#include "daemon/config/proxy_policy.h"
#include "daemon/dispatch/hub.h"
#include "daemon/listen/loops.h"
#include "daemon/listen/ports.h"
#include "daemon/support/stats.h"
#include "daemon/threads/turn_clock.h"

#include <pthread.h>

_Static_assert((int)CONFIG_LOOPS_MAX < (int)STATS_THREADS_MAX, "each has its own counts, and that of --admin too");

struct loop {
    struct conn_group group;
    struct access_policy *policy; /* a reference: group.access is in it */
    struct ports *ports;
    uv_loop_t own; /* unless it is the main loop */
    uint32_t number;
    struct loops *loops;
    uv_timer_t expiry;
    uint64_t expired_ms;          /* when timeouts were last checked */
    bool is_patient;              /* no timeout had expired then */
    atomic_uint_fast64_t beat_ns; /* of uv_hrtime(), at that time; UINT64_MAX: the loop ends */
    uint64_t drain_deadline_ms;
    void (*drained)(void *user);
    void *user;
    uv_prepare_t before_wait;
    struct turn_clock turns;
    struct message drain;                   /* from the main loop */
    struct message use_policy, used_policy; /* from it and back */
    struct access_policy *next_policy;      /* with that: a reference */
    uint32_t revoked_count;                 /* in the reply: the number of connections that it ended */
    pthread_t thread;
    bool has_thread;
};

struct loops {
    const struct config *config;
    struct budget *budget;
    struct proxy_policy proxies;
    atomic_uint_fast32_t open_count;
    struct address_counts *addresses;
    struct hub *hub;
    uint32_t policy_pending; /* loops that do not yet use the next policy */
    uint32_t revoked_count;
    void (*policy_used)(void *user, uint32_t revoked_count);
    void *policy_user;
    bool is_draining;
    bool may_come; /* connections may come from other loops to the main one */
    uint32_t count;
    struct loop *list[]; /* [0] is the main loop; the loop of --admin, if any, follows the --loops */
};

/* True for the loop of --admin, which has no port for clients. */
static inline bool loop_is_admin(const struct loop *loop) { return loop->number >= loop->loops->config->loops; }

/* Initializes connections, unbound ports and timeouts, before any loop runs. The caller has set `number`, `loops` and
 * the remaining members of `group`. */
void loop_init(struct loop *loop);
/* Connects the loop to the service. loop_start() then gives it a thread, unless it is the main one. ERR_INTERNAL. */
void loop_prepare(struct loop *loop);
int loop_start(struct loop *loop, struct err *err);

/* --- on its thread --- */

/* Stops accepting, closes idle connections, lets current replies finish for LIMIT_DRAIN_TIME_MS and calls drained(user)
 * once, when no connection is left and none can arrive. */
void loop_drain(struct loop *loop, void (*drained)(void *user), void *user);
/* Calls drained() now if nothing is left to wait for. */
void loop_finish_drain(struct loop *loop);
/* Messages from the main loop. */
void loop_take_drain(struct message *message);
void loop_take_policy(struct message *message);
/* Takes the reference. */
void loop_use_policy(struct loop *loop, struct access_policy *policy);

/* Frees a loop that is empty or never ran with connections: closes its open handles and runs it until they are
 * closed. */
void loop_free(struct loop *loop);
