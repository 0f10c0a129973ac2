#include "daemon/listen/loops.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/config/access_policy.h"
#include "daemon/support/thread_priority.h"
#include "daemon/dispatch/hub.h"
#include "daemon/dispatch/dispatcher.h"
#include "daemon/listen/listener.h"
#include "daemon/support/log.h"
#include "daemon/conn/send_queue.h"
#include "daemon/support/stats.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)CONFIG_LOOPS_MAX <= (int)STATS_THREADS_MAX, "each has its own counts");
_Static_assert((int)CONFIG_LOOPS_MAX <= 64, "a bit of struct shared_model for each front");

struct loop {
    uv_loop_t *loop;
    uv_loop_t own; /* of those that are not the main one */
    uint32_t number;
    struct loops *loops;
    struct listener *listener;
    struct dispatcher *dispatcher;
    uv_prepare_t before_wait;
    struct message drain; /* from the main loop */
    pthread_t thread;
    bool has_thread;
};

struct loops {
    const struct config *config;
    struct budget *budget;
    struct access access;
    atomic_uint_fast32_t open_count;
    struct hub *hub; /* or NULL: there is one loop */
    uint32_t count;
    struct loop list[]; /* [0] is the main one */
};

/* --- the other loops' threads --- */

static void before_wait(uv_prepare_t *prepare)
{
    struct loop *loop = prepare->data;
    log_flush();
    dispatcher_next_tick(loop->dispatcher);
}

static void *run(void *user)
{
    struct loop *loop = user;
    char name[16]; /* what Linux takes */
    snprintf(name, sizeof name, "loop-%u", loop->number + 1);
    pthread_setname_np(pthread_self(), name);
    stats_use_thread(loop->number);
    thread_priority_prompt();
    uv_run(loop->loop, UV_RUN_DEFAULT);
    send_queue_thread_end();
    log_leave();
    return NULL;
}

static void on_drained(void *user)
{
    struct loop *loop = user;
    dispatcher_end(loop->dispatcher);
}

static void on_drain(struct message *message)
{
    struct loop *loop = container_of(message, struct loop, drain);
    listener_drain(loop->listener, on_drained, loop);
}

/* --- the main loop's --- */

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
    loop->dispatcher = dispatcher_new(loop->loop, loops->config, loops->budget, loops->hub);
    hub_add(loops->hub, loop->dispatcher);
    listener_serve(loop->listener, loop->dispatcher);
    loop->before_wait.data = loop;
    uv_prepare_init(loop->loop, &loop->before_wait);
    uv_prepare_start(&loop->before_wait, before_wait);
    uv_unref((uv_handle_t *)&loop->before_wait);
}

int loops_serve(struct loops *loops, struct service *service, struct err *err)
{
    struct loop *main = &loops->list[0];
    main->dispatcher = dispatcher_new_main(service);
    listener_serve(main->listener, main->dispatcher);
    stats_set(STAT_LOOPS_COUNT, loops->count);
    if (loops->count == 1)
        return 0;
    loops->hub = hub_new(main->loop, service, listener_connections(main->listener));
    listener_expect(main->listener, true);
    for (uint32_t i = 1; i < loops->count; i++)
        prepare(&loops->list[i]);
    for (uint32_t i = 1; i < loops->count; i++)
        if (start(&loops->list[i], err) < 0)
            return err->code;
    return 0;
}

static int add(struct loops *loops, uv_loop_t *main_loop, struct err *err)
{
    const struct listener_setup setup = {.config = loops->config,
                                         .budget = loops->budget,
                                         .access = &loops->access,
                                         .all_open_count = &loops->open_count};
    struct loop *loop = &loops->list[loops->count];
    const struct listener *first = loops->count == 0 ? NULL : loops->list[0].listener;
    loop->loop = loops->count == 0 ? main_loop : &loop->own;
    loop->number = loops->count;
    loop->loops = loops;
    const int rc = loops->count == 0 ? 0 : uv_loop_init(&loop->own);
    if (rc < 0)
        return err_set(err, ERR_BAD_PARAMETER, "cannot make loop %u: %s", loop->number + 1, uv_strerror(rc));
    loops->count++;
    return listener_new(loop->loop, &setup, first, &loop->listener, err);
}

int loops_new(uv_loop_t *main_loop, const struct config *config, struct budget *budget, struct loops **out,
              struct err *err)
{
    struct loops *loops = mem_zalloc(1, sizeof *loops + config->loops * sizeof *loops->list);
    loops->config = config;
    loops->budget = budget;
    *out = NULL;
    int rc = access_policy_init(config, &loops->access, err);
    while (rc == 0 && loops->count < config->loops)
        rc = add(loops, main_loop, err);
    if (rc < 0)
        loops_free(loops);
    else
        *out = loops;
    return rc;
}

void loops_put_addresses(const struct loops *loops, struct buf *out)
{
    listener_put_addresses(loops->list[0].listener, out);
}

static void on_ended(void *user)
{
    struct loops *loops = user;
    listener_expect(loops->list[0].listener, false);
}

void loops_drain(struct loops *loops, void (*drained)(void *user), void *user)
{
    if (loops->hub != NULL)
        hub_on_end(loops->hub, on_ended, loops);
    for (uint32_t i = 1; i < loops->count; i++) {
        loops->list[i].drain.take = on_drain;
        dispatcher_post(loops->list[i].dispatcher, &loops->list[i].drain);
    }
    listener_drain(loops->list[0].listener, drained, user);
}

static void fini(struct loop *loop)
{
    if (loop->has_thread)
        pthread_join(loop->thread, NULL);
    if (loop->before_wait.data != NULL)
        uv_close((uv_handle_t *)&loop->before_wait, NULL);
    listener_free(loop->listener);
    dispatcher_free(loop->dispatcher);
    if (loop->number > 0)
        uv_loop_close(&loop->own);
}

void loops_free(struct loops *loops)
{
    if (loops == NULL)
        return;
    while (loops->count > 0)
        fini(&loops->list[--loops->count]);
    hub_free(loops->hub);
    access_fini(&loops->access);
    free(loops);
}
