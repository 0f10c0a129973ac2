/* loops.c - event loops: each has ports, connections and a dispatcher; it accepts, keeps time and drains. */
#include "daemon/listen/loops.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/config/access_policy.h"
#include "daemon/config/proxy_policy.h"
#include "daemon/dispatch/hub.h"
#include "daemon/listen/ports.h"
#include "daemon/packets/packets.h"
#include "daemon/support/log.h"
#include "daemon/support/metrics.h"
#include "daemon/support/stats.h"
#include "daemon/support/thread_priority.h"
#include "daemon/support/turn_clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    EXPIRE_MS = 500, /* how precisely timeouts are kept */
    NS_PER_MS = 1000000,
    STALL_MS = 1000, /* without looking at timeouts: the server was stopped, or the machine is busy */
};

_Static_assert((int)CONFIG_LOOPS_MAX <= (int)STATS_THREADS_MAX, "each has its own counts");
_Static_assert((int)CONFIG_LOOPS_MAX <= 64, "a bit of struct shared_model for each dispatcher");

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
    struct hub *hub;
    uint32_t policy_pending; /* loops that do not use the next policy yet */
    uint32_t revoked_count;
    void (*policy_used)(void *user, uint32_t revoked_count);
    void *policy_user;
    bool is_draining;
    bool may_come; /* connections may come from other loops to the main one */
    uint32_t count;
    struct loop *list[]; /* [0] is the main one */
};

/* --- each loop, on its thread --- */

static void stop_handles(struct loop *loop)
{
    if (uv_is_closing((uv_handle_t *)&loop->expiry))
        return;
    uv_close((uv_handle_t *)&loop->expiry, NULL);
    loop->beat_ns = UINT64_MAX;
    conn_group_stop(&loop->group);
}

static void finish_drain(struct loop *loop)
{
    void (*drained)(void *) = loop->drained;
    if (drained == NULL || loop->group.open_count > 0 || (loop->number == 0 && loop->loops->may_come))
        return;
    loop->drained = NULL;
    stop_handles(loop);
    drained(loop->user);
}

static void on_conn_closed(struct conn_group *group) { finish_drain(container_of(group, struct loop, group)); }

static void on_expiry(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    const uint64_t now_ms = uv_now(timer->loop), due_ns = (loop->expired_ms + EXPIRE_MS) * NS_PER_MS;
    const uint64_t now_ns = uv_hrtime();
    metrics_count_loop_lag(now_ns > due_ns ? now_ns - due_ns : 0);
    /* what came while the server was stopped is read first: the loop runs timers before it looks at sockets */
    loop->is_patient = !loop->is_patient && now_ms - loop->expired_ms > STALL_MS;
    loop->expired_ms = now_ms;
    loop->beat_ns = uv_hrtime();
    if (!loop->is_patient) {
        conn_group_expire(&loop->group);
        packets_expire(&loop->group);
    }
    if (loop->drained != NULL && now_ms >= loop->drain_deadline_ms) {
        log_warn("closing %u connections that did not finish in time", loop->group.open_count);
        conn_group_close_all(&loop->group);
        loop->drain_deadline_ms = UINT64_MAX;
    }
}

/* Stops accepting, closes idle connections, lets replies under way finish for LIMIT_DRAIN_TIME_MS and calls
 * drained(user) once, when no connection is left and none may come. */
static void drain(struct loop *loop, void (*drained)(void *user), void *user)
{
    loop->drained = drained;
    loop->user = user;
    loop->drain_deadline_ms = uv_now(loop->group.loop) + loop->loops->config->limits.value[LIMIT_DRAIN_TIME_MS];
    loop->group.is_draining = true;
    ports_close(loop->ports);
    conn_group_drain(&loop->group);
    finish_drain(loop);
}

static void before_wait(uv_prepare_t *prepare)
{
    struct loop *loop = prepare->data;
    log_flush();
    dispatcher_next_tick(loop->group.dispatcher);
    turn_clock_tick(&loop->turns);
}

static void *run(void *user)
{
    struct loop *loop = user;
    char name[16]; /* what Linux takes */
    snprintf(name, sizeof name, "loop-%u", loop->number + 1);
    pthread_setname_np(pthread_self(), name);
    stats_use_thread(loop->number);
    thread_priority_prompt();
    uv_run(loop->group.loop, UV_RUN_DEFAULT);
    send_queue_thread_end();
    log_leave();
    return NULL;
}

static void on_drained(void *user) { dispatcher_end(((struct loop *)user)->group.dispatcher); }

static void on_drain(struct message *message)
{
    struct loop *loop = container_of(message, struct loop, drain);
    drain(loop, on_drained, loop);
}

/* Takes the reference. */
static void use_policy(struct loop *loop, struct access_policy *policy)
{
    struct access_policy *before = loop->policy;
    loop->policy = policy;
    loop->group.access = &policy->access;
    loop->revoked_count = conn_group_revoke(&loop->group);
    access_policy_unref(before);
}

static void on_use_policy(struct message *message)
{
    struct loop *loop = container_of(message, struct loop, use_policy);
    use_policy(loop, loop->next_policy);
    hub_post(loop->loops->hub, &loop->used_policy);
}

/* --- all of them, on the main thread --- */

static int start(struct loop *loop, struct err *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main loop */
    const int rc = pthread_create(&loop->thread, NULL, run, loop);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    loop->has_thread = rc == 0;
    return rc == 0
               ? 0
               : err_set(err, ERR_INTERNAL, "cannot start a thread for loop %u: %s", loop->number + 1, strerror(rc));
}

static void prepare(struct loop *loop)
{
    struct loops *loops = loop->loops;
    loop->group.dispatcher = dispatcher_new(loop->group.loop, loops->config, loops->budget, loops->hub);
    packets_attach(&loop->group);
    loop->before_wait.data = loop;
    uv_prepare_init(loop->group.loop, &loop->before_wait);
    uv_prepare_start(&loop->before_wait, before_wait);
    uv_unref((uv_handle_t *)&loop->before_wait);
}

int loops_serve(struct loops *loops, struct service *service, struct err *err)
{
    struct conn_group *main = &loops->list[0]->group;
    stats_set(STAT_LOOPS_COUNT, loops->count);
    loops->hub = hub_new(main->loop, service, main);
    loops->may_come = loops->count > 1;
    for (uint32_t i = 0; i < loops->count; i++)
        prepare(loops->list[i]);
    service_use_access(service, main->access);
    for (uint32_t i = 1; i < loops->count; i++)
        if (start(loops->list[i], err) < 0)
            return err->code;
    return 0;
}

/* Adds a loop that listens where the first one does. */
static int add(struct loops *loops, uv_loop_t *main_loop, struct access_policy *policy, struct err *err)
{
    const bool is_main = loops->count == 0;
    struct loop *loop = mem_zalloc(1, sizeof *loop);
    struct conn_group *group = &loop->group;
    const int rc = is_main ? 0 : uv_loop_init(&loop->own);
    if (rc < 0) {
        free(loop);
        return err_set(err, ERR_BAD_PARAMETER, "cannot make loop %u: %s", loops->count + 1, uv_strerror(rc));
    }
    loop->number = loops->count;
    loop->loops = loops;
    loops->list[loops->count++] = loop;
    group->loop = is_main ? main_loop : &loop->own;
    group->config = loops->config;
    group->budget = loops->budget;
    loop->policy = access_policy_ref(policy);
    group->access = &policy->access;
    group->proxies = &loops->proxies;
    group->all_open_count = &loops->open_count;
    group->closed = on_conn_closed;
    group->http = &PROTOCOL_HTTP;
    if (getrandom(&group->next_id, sizeof group->next_id, 0) < 0)
        group->next_id = uv_hrtime();
    conn_group_start(group);
    loop->ports = ports_new(group);
    uv_timer_init(group->loop, &loop->expiry);
    loop->expiry.data = loop;
    loop->expired_ms = uv_now(group->loop);
    loop->beat_ns = uv_hrtime();
    uv_timer_start(&loop->expiry, on_expiry, EXPIRE_MS, EXPIRE_MS);
    return is_main ? ports_bind(loop->ports, err) : ports_join(loop->ports, loops->list[0]->ports, err);
}

int loops_new(uv_loop_t *main_loop, const struct config *config, struct budget *budget, struct loops **out,
              struct err *err)
{
    struct loops *loops = mem_zalloc(1, sizeof *loops + config->loops * sizeof *loops->list);
    loops->config = config;
    loops->budget = budget;
    *out = NULL;
    struct access_policy *policy;
    int rc = access_policy_new(config, NULL, &policy, err);
    if (rc == 0)
        rc = proxy_policy_init(config, &loops->proxies, err);
    while (rc == 0 && loops->count < config->loops)
        rc = add(loops, main_loop, policy, err);
    access_policy_unref(policy);
    if (rc < 0)
        loops_free(loops);
    else
        *out = loops;
    return rc;
}

static void count_policy(struct loop *loop)
{
    struct loops *loops = loop->loops;
    loops->revoked_count += loop->revoked_count;
    if (--loops->policy_pending == 0)
        loops->policy_used(loops->policy_user, loops->revoked_count);
}

static void on_used_policy(struct message *message) { count_policy(container_of(message, struct loop, used_policy)); }

struct access_policy *loops_policy(const struct loops *loops) { return loops->list[0]->policy; }

bool loops_use_policy(struct loops *loops, struct access_policy *policy,
                      void (*used)(void *user, uint32_t revoked_count), void *user)
{
    if (loops->is_draining)
        return false;
    loops->policy_pending = loops->count;
    loops->revoked_count = 0;
    loops->policy_used = used;
    loops->policy_user = user;
    for (uint32_t i = 1; i < loops->count; i++) {
        struct loop *loop = loops->list[i];
        loop->next_policy = access_policy_ref(policy);
        loop->use_policy.take = on_use_policy;
        loop->used_policy.take = on_used_policy;
        dispatcher_post(loop->group.dispatcher, &loop->use_policy);
    }
    service_use_access(hub_service(loops->hub), &policy->access);
    use_policy(loops->list[0], access_policy_ref(policy));
    count_policy(loops->list[0]);
    return true;
}

uint64_t loops_longest_silence_ms(const struct loops *loops)
{
    const uint64_t now_ns = uv_hrtime();
    uint64_t longest_ms = 0;
    for (uint32_t i = 0; i < loops->count; i++) {
        const uint64_t beat_ns = loops->list[i]->beat_ns;
        const uint64_t silent_ms = beat_ns < now_ns ? (now_ns - beat_ns) / 1000000 : 0;
        longest_ms = silent_ms > longest_ms ? silent_ms : longest_ms;
    }
    return longest_ms;
}

void loops_put_addresses(const struct loops *loops, struct buf *out)
{
    ports_put_addresses(loops->list[0]->ports, out);
}

/* The other loops have ended. */
static void on_ended(void *user)
{
    struct loops *loops = user;
    loops->may_come = false;
    finish_drain(loops->list[0]);
}

void loops_drain(struct loops *loops, void (*drained)(void *user), void *user)
{
    loops->is_draining = true;
    hub_on_end(loops->hub, on_ended, loops);
    for (uint32_t i = 1; i < loops->count; i++) {
        struct loop *loop = loops->list[i];
        loop->drain.take = on_drain;
        dispatcher_post(loop->group.dispatcher, &loop->drain);
    }
    drain(loops->list[0], drained, user);
}

/* The loop is empty, or never ran with connections: closes what is open and runs it until that is gone. */
static void free_loop(struct loop *loop)
{
    if (loop->has_thread)
        pthread_join(loop->thread, NULL);
    if (loop->before_wait.data != NULL)
        uv_close((uv_handle_t *)&loop->before_wait, NULL);
    conn_group_close_all(&loop->group);
    ports_close(loop->ports);
    stop_handles(loop);
    uv_run(loop->group.loop, UV_RUN_DEFAULT);
    packets_detach(&loop->group);
    conn_group_fini(&loop->group);
    ports_free(loop->ports);
    access_policy_unref(loop->policy);
    dispatcher_free(loop->group.dispatcher);
    if (loop->number > 0)
        uv_loop_close(&loop->own);
    free(loop);
}

void loops_free(struct loops *loops)
{
    if (loops == NULL)
        return;
    while (loops->count > 0)
        free_loop(loops->list[--loops->count]);
    hub_free(loops->hub);
    proxy_policy_fini(&loops->proxies);
    free(loops);
}
