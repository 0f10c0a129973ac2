#include "daemon/threads/work.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/threads/thread_priority.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The state of a loop, in its `data`. */
struct work_loop {
    struct message_queue ended; /* messages of work */
    uint32_t count;             /* of work that has not ended; the loop's thread only */
};

static struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t has_come;
    struct work *first, *last; /* first NULL: none */
    unsigned wanted_count;     /* of threads; 0: not set */
    bool is_started;
} pools[WORK_KINDS] = {
    [WORK_COMPUTES] = {.mutex = PTHREAD_MUTEX_INITIALIZER, .has_come = PTHREAD_COND_INITIALIZER},
    [WORK_FILES] = {.mutex = PTHREAD_MUTEX_INITIALIZER, .has_come = PTHREAD_COND_INITIALIZER},
    [WORK_IMPORT_FILES] = {.mutex = PTHREAD_MUTEX_INITIALIZER, .has_come = PTHREAD_COND_INITIALIZER},
    [WORK_ANSWER_FILES] = {.mutex = PTHREAD_MUTEX_INITIALIZER, .has_come = PTHREAD_COND_INITIALIZER},
};
static const char *const NAMES[WORK_KINDS] = {[WORK_COMPUTES] = "work",
                                              [WORK_FILES] = "files",
                                              [WORK_IMPORT_FILES] = "import-files",
                                              [WORK_ANSWER_FILES] = "answer-files"};

static void on_ended(struct message *message);

static void tell_end(struct work *work, int status)
{
    work->status = status;
    work->message.take = on_ended;
    message_queue_post(&work->loop->ended, &work->message);
}

/* --- threads --- */

static struct work *wait_for_work(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    while (pool->first == NULL)
        pthread_cond_wait(&pool->has_come, &pool->mutex);
    struct work *work = pool->first;
    pool->first = work->next;
    pthread_mutex_unlock(&pool->mutex);
    return work;
}

static void *run_thread(void *user)
{
    thread_priority_background();
    for (;;) {
        struct work *work = wait_for_work(user);
        work->run(work);
        tell_end(work, 0);
    }
    return user;
}

/* Call with the lock. One thread is enough to continue. */
static void start_threads(struct pool *pool)
{
    enum { DEFAULT_COUNT = 4, STACK_BYTES = 8 << 20 };
    const unsigned count = pool->wanted_count == 0 ? DEFAULT_COUNT : pool->wanted_count;
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES); /* whatever the limit of the main thread's */
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main loop */
    for (unsigned i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, run_thread, pool) == 0)
            pthread_setname_np(thread, NAMES[pool - pools]);
        else if (i == 0)
            mem_exhausted();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    pool->is_started = true;
}

void work_set_thread_count(enum work_kind kind, unsigned count) { pools[kind].wanted_count = count; }

/* --- loops --- */

void work_loop_open(uv_loop_t *loop)
{
    if (loop->data != NULL)
        return;
    struct work_loop *own = loop->data = mem_zalloc(1, sizeof *own);
    message_queue_init(&own->ended, loop);
    message_queue_set_waiting(&own->ended, false);
}

static void on_closed(struct message_queue *queue) { free(container_of(queue, struct work_loop, ended)); }

void work_loop_close(uv_loop_t *loop)
{
    struct work_loop *own = loop->data;
    if (own == NULL)
        return;
    loop->data = NULL;
    message_queue_close(&own->ended, on_closed);
    uv_run(loop, UV_RUN_NOWAIT);
}

static void on_ended(struct message *message)
{
    struct work *work = container_of(message, struct work, message);
    struct work_loop *own = work->loop;
    work->loop = NULL;
    if (--own->count == 0)
        message_queue_set_waiting(&own->ended, false);
    work->done(work, work->status);
}

void work_start(uv_loop_t *loop, enum work_kind kind, struct work *work, void (*run)(struct work *work),
                void (*done)(struct work *work, int status))
{
    struct pool *pool = &pools[kind];
    work_loop_open(loop);
    work->loop = loop->data;
    work->kind = kind;
    work->run = run;
    work->done = done;
    work->next = NULL;
    if (work->loop->count++ == 0)
        message_queue_set_waiting(&work->loop->ended, true);
    pthread_mutex_lock(&pool->mutex);
    if (!pool->is_started)
        start_threads(pool);
    if (pool->first == NULL)
        pool->first = work;
    else
        pool->last->next = work;
    pool->last = work;
    pthread_mutex_unlock(&pool->mutex);
    pthread_cond_signal(&pool->has_come);
}

/* Removes the work from the queue. False: it is not in the queue. */
static bool take_out(struct pool *pool, struct work *work)
{
    struct work *before = NULL, *at = pool->first;
    for (; at != NULL && at != work; at = at->next)
        before = at;
    if (at == NULL)
        return false;
    if (before == NULL)
        pool->first = work->next;
    else
        before->next = work->next;
    if (pool->last == work)
        pool->last = before;
    return true;
}

void work_cancel(struct work *work)
{
    struct pool *pool = &pools[work->kind];
    if (work->loop == NULL)
        return;
    pthread_mutex_lock(&pool->mutex);
    const bool is_canceled = take_out(pool, work);
    pthread_mutex_unlock(&pool->mutex);
    if (is_canceled)
        tell_end(work, UV_ECANCELED);
}

/* --- freeing --- */

struct leftover {
    struct work work;
    void (*fini)(void *copy);
    max_align_t copy[]; /* the object */
};

static void free_copy(struct work *work)
{
    struct leftover *leftover = work->data;
    leftover->fini(leftover->copy);
}

static void on_freed(struct work *work, int status)
{
    if (status != 0) /* no thread has taken it */
        free_copy(work);
    free(work->data);
}

void work_free(uv_loop_t *loop, const void *object, size_t size_bytes, void (*fini)(void *copy))
{
    struct leftover *leftover = mem_zalloc(1, sizeof *leftover + size_bytes);
    leftover->work.data = leftover;
    leftover->fini = fini;
    memcpy(leftover->copy, object, size_bytes);
    work_start(loop, WORK_COMPUTES, &leftover->work, free_copy, on_freed);
}
