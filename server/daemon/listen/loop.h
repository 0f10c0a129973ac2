/* loop.h - one of the event loops: what it does on its own thread. Private to loops.c and loop.c. */
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
    uint64_t expired_ms;          /* when timeouts were looked at last */
    bool is_patient;              /* and none was acted on then */
    atomic_uint_fast64_t beat_ns; /* of uv_hrtime(), when that was; UINT64_MAX: the loop ends */
    uint64_t drain_deadline_ms;
    void (*drained)(void *user);
    void *user;
    uv_prepare_t before_wait;
    struct turn_clock turns;
    struct message drain;                   /* from the main loop */
    struct message use_policy, used_policy; /* from it and back */
    struct access_policy *next_policy;      /* with that: a reference */
    uint32_t revoked_count;                 /* on its way back: connections that it ended */
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
    uint32_t policy_pending; /* loops that do not use the next policy yet */
    uint32_t revoked_count;
    void (*policy_used)(void *user, uint32_t revoked_count);
    void *policy_user;
    bool is_draining;
    bool may_come; /* connections may come from other loops to the main one */
    uint32_t count;
    struct loop *list[]; /* [0] is the main one; behind the --loops that of --admin, where there is one */
};

/* It has --admin, and no port for clients. */
static inline bool loop_is_admin(const struct loop *loop) { return loop->number >= loop->loops->config->loops; }

/* Before any loop runs: connections, ports that are not bound and timeouts. `number`, `loops` and `group` are set but
 * for what this starts. */
void loop_init(struct loop *loop);
/* Has the service answer. After that loop_start() gives it a thread, unless it is the main one. ERR_INTERNAL. */
void loop_prepare(struct loop *loop);
int loop_start(struct loop *loop, struct err *err);

/* --- on its thread --- */

/* Stops accepting, closes idle connections, lets replies under way finish for LIMIT_DRAIN_TIME_MS and calls
 * drained(user) once, when no connection is left and none may come. */
void loop_drain(struct loop *loop, void (*drained)(void *user), void *user);
/* drained() runs now if nothing is left to wait for. */
void loop_finish_drain(struct loop *loop);
/* Messages from the main loop. */
void loop_take_drain(struct message *message);
void loop_take_policy(struct message *message);
/* Takes the reference. */
void loop_use_policy(struct loop *loop, struct access_policy *policy);

/* The loop is empty, or never ran with connections: closes what is open and runs it until that is gone. */
void loop_free(struct loop *loop);
