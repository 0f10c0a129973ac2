/* loop.c - one event loop with its ports, connections and dispatcher: accepts, checks timeouts and drains. */
#include "daemon/listen/loop.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/packets/packets.h"
#include "daemon/support/log.h"
#include "daemon/support/metrics.h"
#include "daemon/threads/thread_priority.h"
#include "daemon/threads/work.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    EXPIRE_MS = 500, /* how precisely timeouts are kept */
    NS_PER_MS = 1000000,
    STALL_MS = 1000, /* without looking at timeouts: the server was stopped, or the machine is busy */
    DEAD_MS = 20000, /* likewise: the server does not live any more. Kubernetes gives up 30 s after the first failure */
};

static void stop_handles(struct loop *loop)
{
    if (uv_is_closing((uv_handle_t *)&loop->expiry))
        return;
    uv_close((uv_handle_t *)&loop->expiry, NULL);
    loop->beat_ns = UINT64_MAX;
    conn_group_stop(&loop->group);
}

void loop_finish_drain(struct loop *loop)
{
    void (*drained)(void *) = loop->drained;
    if (drained == NULL || loop->group.open_count > 0 || (loop->number == 0 && loop->loops->may_come))
        return;
    loop->drained = NULL;
    stop_handles(loop);
    drained(loop->user);
}

static void on_conn_closed(struct conn_group *group) { loop_finish_drain(container_of(group, struct loop, group)); }

static void on_expiry(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    const uint64_t now_ms = uv_now(timer->loop), due_ns = (loop->expired_ms + EXPIRE_MS) * NS_PER_MS;
    const uint64_t now_ns = uv_hrtime();
    if (!loop_is_admin(loop))
        metrics_count_loop_lag(now_ns > due_ns ? now_ns - due_ns : 0);
    /* read bytes that arrived while the server was stopped first: the loop runs timers before it polls sockets */
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

void loop_drain(struct loop *loop, void (*drained)(void *user), void *user)
{
    loop->drained = drained;
    loop->user = user;
    loop->drain_deadline_ms = uv_now(loop->group.loop) + loop->loops->config->limits.value[LIMIT_DRAIN_TIME_MS];
    loop->group.is_draining = true;
    ports_accept_queued(loop->ports);
    ports_close(loop->ports);
    conn_group_drain(&loop->group);
    loop_finish_drain(loop);
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
    snprintf(name, sizeof name, loop_is_admin(loop) ? "admin" : "loop-%u", loop->number + 1);
    pthread_setname_np(pthread_self(), name);
    stats_use_thread(loop->number);
    thread_priority_prompt();
    uv_run(loop->group.loop, UV_RUN_DEFAULT);
    send_queue_thread_end();
    log_leave();
    return NULL;
}

static void on_drained(void *user) { dispatcher_end(((struct loop *)user)->group.dispatcher); }

void loop_take_drain(struct message *message)
{
    struct loop *loop = container_of(message, struct loop, drain);
    loop_drain(loop, on_drained, loop);
}

void loop_use_policy(struct loop *loop, struct access_policy *policy)
{
    struct access_policy *before = loop->policy;
    loop->policy = policy;
    loop->revoked_count = conn_group_use_access(&loop->group, &policy->access);
    access_policy_unref(before);
}

void loop_take_policy(struct message *message)
{
    struct loop *loop = container_of(message, struct loop, use_policy);
    loop_use_policy(loop, loop->next_policy);
    hub_post(loop->loops->hub, &loop->used_policy);
}

/* On the thread of --admin, which waits for no other. */
static bool answer_health(void *user, const struct request *request, struct reply *reply)
{
    struct err err;
    if (!op_has(request->op, OP_ALIVE))
        return false;
    const uint64_t silent_ms = loops_longest_silence_ms(user);
    if (silent_ms < DEAD_MS) {
        service_health(reply);
        return true;
    }
    err_set(&err, ERR_UNAVAILABLE, "an event loop has not turned for %llu ms", (unsigned long long)silent_ms);
    reply_error(reply, &err, NULL, 0);
    return true;
}

/* --- life, on the main thread --- */

void loop_init(struct loop *loop)
{
    struct conn_group *group = &loop->group;
    group->closed = on_conn_closed;
    group->http = &PROTOCOL_HTTP;
    if (getrandom(&group->next_id, sizeof group->next_id, 0) < 0)
        group->next_id = uv_hrtime();
    work_loop_open(group->loop);
    conn_group_start(group);
    loop->ports = ports_new(group);
    uv_timer_init(group->loop, &loop->expiry);
    loop->expiry.data = loop;
}

void loop_prepare(struct loop *loop)
{
    struct loops *loops = loop->loops;
    loop->group.dispatcher = dispatcher_new(loop->group.loop, loops->config, loops->budget, loops->hub);
    if (loop_is_admin(loop))
        dispatcher_ask_first(loop->group.dispatcher, answer_health, loops);
    packets_attach(&loop->group);
    loop->expired_ms = uv_now(loop->group.loop);
    loop->beat_ns = uv_hrtime();
    /* not before: a start that fails runs the main loop once to close its handles */
    uv_timer_start(&loop->expiry, on_expiry, EXPIRE_MS, EXPIRE_MS);
    loop->before_wait.data = loop;
    uv_prepare_init(loop->group.loop, &loop->before_wait);
    uv_prepare_start(&loop->before_wait, before_wait);
    uv_unref((uv_handle_t *)&loop->before_wait);
}

int loop_start(struct loop *loop, struct err *err)
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

void loop_free(struct loop *loop)
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
    if (loop->number > 0) {
        work_loop_close(&loop->own);
        uv_loop_close(&loop->own);
    }
    free(loop);
}
