/* render_pool.c - a fixed number of renderers, the queue in front of them, and their restarts. */
#include "daemon/renderer/render_pool.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/renderer/render_worker.h"
#include "daemon/process/worker_command.h"
#include "daemon/support/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    ATTEMPTS_MAX = 2,
    SENDS_MAX = 10, /* to workers that died before they read the job */
    NAME_SIZE = 256,
    START_MS = 20000,       /* a driver compiles for most of a second, longer on a busy machine */
    RESTART_FIRST_MS = 100, /* the pause doubles with each death without a picture between, up to */
    RESTART_LAST_MS = 5000,
    RESTART_WORTH_MS = 500,
    IDLE_CPU_MS = 1000,   /* processor time that a worker may use with nothing to draw: it needs none */
    IDLE_FIRST_MS = 1000, /* when that is checked first; the intervals then double, up to */
    IDLE_LAST_MS = 60000,
};

/* A place for a worker. Its timer is the pause before the next start, or checks a worker that has nothing to draw or
 * draws what has no waiter. */
struct render_slot {
    struct render_pool *pool;
    struct render_worker *worker; /* NULL: none runs */
    bool is_ready;
    bool is_cancelled;           /* the worker was killed because its picture has no waiter */
    struct render_task *picture; /* under way */
    uint64_t started_ms;         /* when it began */
    uint64_t idle_ms;            /* since when there is none, and */
    uint64_t idle_used_ms;       /* the processor time that the worker had used by then */
    uint32_t deaths;             /* since the last picture */
    uint32_t failed_starts;      /* since it was last ready */
    uv_timer_t timer;
};

struct render_pool {
    uv_loop_t *loop;
    const struct config *config;
    struct budget *budget;
    struct job_queue queue;
    uint64_t running_count;
    char name[NAME_SIZE];
    struct err start_failure; /* why the last start failed */
    uint32_t open_timers;     /* the pool is freed with the last */
    uint32_t slot_count;
    struct render_slot slots[];
};

static void start_jobs(struct render_pool *pool);
static void start_worker(struct render_slot *slot);

/* --------- jobs --------- */

/* An error for lack of a renderer's memory names the limit. */
static void fail(struct render_pool *pool, struct render_task *picture, const struct err *why)
{
    struct err err = *why;
    if (why->code == ERR_RENDER_MEMORY)
        err_set(&err, why->code, "%.320s; see %s", why->message,
                LIMIT_TEXT(&pool->config->limits, LIMIT_RENDER_MEMORY_BYTES));
    stats_count_error(STAT_ERRORS_RENDERS, err.code);
    render_task_finish(picture, NULL, NULL, &err);
}

static struct render_slot *find_idle_slot(struct render_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].is_ready && pool->slots[i].picture == NULL)
            return &pool->slots[i];
    return NULL;
}

static uint64_t time_limit_ms(const struct render_pool *pool, const struct render_task *picture)
{
    const uint64_t pictures = (picture->job.cell_count + RENDER_CELLS_A_PICTURE - 1) / RENDER_CELLS_A_PICTURE;
    return pool->config->limits.value[LIMIT_RENDER_TIME_MS] * pictures;
}

static void start_job(struct render_slot *slot, struct render_task *picture)
{
    struct render_pool *pool = slot->pool;
    picture->attempts++;
    picture->sends++;
    slot->picture = picture;
    slot->started_ms = uv_now(pool->loop);
    picture->started_ns = uv_hrtime();
    stats_add(STAT_RENDERS_STARTED, 1);
    stats_set(STAT_RENDERS_RUNNING, ++pool->running_count);
    uv_timer_stop(&slot->timer);
    render_worker_limit_time(slot->worker, time_limit_ms(pool, picture));
    render_worker_send(slot->worker, picture);
}

/* Out of the queue; NULL: it is empty. */
static struct render_task *take_first(struct render_pool *pool)
{
    struct job_queue_entry *entry = job_queue_take(&pool->queue);
    return entry != NULL ? container_of(entry, struct render_task, queued) : NULL;
}

static void start_jobs(struct render_pool *pool)
{
    /* The size of a picture is not known in advance; one more than there is room for does no harm. */
    for (struct render_slot *slot;
         pool->queue.first != NULL && (slot = find_idle_slot(pool)) != NULL && budget_has_room(pool->budget, 0);)
        start_job(slot, take_first(pool));
}

static void fail_queue(struct render_pool *pool, const struct err *err)
{
    /* what done() submits meanwhile is appended, and refused there */
    for (uint64_t n = pool->queue.count; n > 0 && pool->queue.first != NULL; n--)
        fail(pool, take_first(pool), err);
}

/* --------- who waits for what --------- */

static void on_unwanted(uv_timer_t *timer)
{
    struct render_slot *slot = timer->data;
    if (slot->picture->waits != NULL || slot->pool->queue.first == NULL)
        return;
    slot->is_cancelled = true;
    render_worker_kill(slot->worker);
}

/* Ends pictures without a waiter when others are queued. The worker is killed with the picture, so a picture that was
 * only just begun is given RESTART_WORTH_MS first. */
static void make_room(struct render_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count && pool->queue.first != NULL; i++) {
        struct render_slot *slot = &pool->slots[i];
        if (slot->picture == NULL || slot->picture->waits != NULL || slot->is_cancelled)
            continue;
        const uint64_t age_ms = uv_now(pool->loop) - slot->started_ms;
        uv_timer_start(&slot->timer, on_unwanted, age_ms < RESTART_WORTH_MS ? RESTART_WORTH_MS - age_ms : 0, 0);
    }
}

/* The same picture, queued or under way. */
static struct render_task *find_same(const struct render_pool *pool, const struct render_task *wanted)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].picture != NULL && render_task_equals(pool->slots[i].picture, wanted))
            return pool->slots[i].picture;
    for (const struct job_queue_entry *entry = pool->queue.first; entry != NULL; entry = entry->next)
        if (render_task_equals(container_of(entry, struct render_task, queued), wanted))
            return container_of(entry, struct render_task, queued);
    return NULL;
}

void render_pool_cancel(struct render_pool *pool, struct render_waiter *wait)
{
    struct render_task *picture = wait->picture;
    DL_DELETE(picture->waits, wait);
    wait->picture = NULL;
    if (picture->waits != NULL)
        return;
    if (!picture->queued.is_queued) {
        make_room(pool);
        return;
    }
    stats_add(STAT_RENDERS_CANCELLED, 1);
    job_queue_remove(&pool->queue, &picture->queued);
    render_task_free(picture);
}

/* No worker can be started as things are. */
static bool is_broken(const struct render_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].is_ready || pool->slots[i].failed_starts == 0)
            return false;
    return true;
}

int render_pool_check(const struct render_pool *pool, struct err *err)
{
    if (pool->slot_count == 0)
        return err_set(err, ERR_UNAVAILABLE, "this server draws no pictures: it was started with --render-workers 0");
    return is_broken(pool) ? err_set(err, pool->start_failure.code, "%s", pool->start_failure.message) : 0;
}

int render_pool_submit(struct render_pool *pool, const struct render_spec *query, struct render_waiter *wait,
                       struct err *err)
{
    if (render_pool_check(pool, err) < 0)
        return err->code;
    struct render_task *picture = render_task_new(query);
    struct render_task *same = find_same(pool, picture);
    if (same != NULL) {
        stats_add(STAT_RENDERS_SHARED, 1);
        render_task_free(picture);
        render_task_add_waiter(same, wait);
        return 0;
    }
    if (job_queue_put(&pool->queue, &picture->queued, err) < 0) {
        render_task_free(picture);
        return err->code;
    }
    render_task_add_waiter(picture, wait);
    start_jobs(pool);
    make_room(pool);
    return 0;
}

/* --------- workers --------- */

static void on_idle(uv_timer_t *timer)
{
    struct render_slot *slot = timer->data;
    const uint64_t age_ms = uv_now(slot->pool->loop) - slot->idle_ms;
    if (render_worker_cpu_used_ms(slot->worker) > slot->idle_used_ms + IDLE_CPU_MS)
        render_worker_kill_for(slot->worker, "computed with nothing to draw");
    else
        uv_timer_start(timer, on_idle, age_ms < IDLE_LAST_MS ? age_ms : IDLE_LAST_MS, 0);
}

static void begin_idle(struct render_slot *slot)
{
    slot->idle_ms = uv_now(slot->pool->loop);
    slot->idle_used_ms = render_worker_cpu_used_ms(slot->worker);
    render_worker_limit_time(slot->worker, 0);
    uv_timer_start(&slot->timer, on_idle, IDLE_FIRST_MS, 0);
}

static void on_ready(void *context, const char *name)
{
    struct render_slot *slot = context;
    struct render_pool *pool = slot->pool;
    slot->is_ready = true;
    slot->failed_starts = 0;
    begin_idle(slot);
    if (strncmp(pool->name, name, NAME_SIZE - 1) != 0) {
        snprintf(pool->name, NAME_SIZE, "%s", name);
        log_info("pictures are drawn by %s", pool->name);
    }
    start_jobs(pool);
}

/* The picture that the slot's worker was at, or NULL. */
static struct render_task *take_from(struct render_slot *slot)
{
    struct render_task *picture = slot->picture;
    slot->picture = NULL;
    if (picture != NULL)
        stats_set(STAT_RENDERS_RUNNING, --slot->pool->running_count);
    return picture;
}

static void on_answered(void *context, struct buf *png, const struct render_notes *notes, const struct err *err)
{
    struct render_slot *slot = context;
    struct render_task *picture = take_from(slot);
    struct render_pool *pool = slot->pool;
    struct blob *blob = png != NULL ? blob_new(png, &pool->budget->used_bytes) : NULL;
    slot->deaths = 0;
    begin_idle(slot);
    if (blob != NULL)
        render_task_finish(picture, blob, notes, err);
    else
        fail(pool, picture, err);
    blob_unref(blob);
    start_jobs(pool);
}

/* The worker died over its job: another try, or an answer. */
static void retry_or_fail(struct render_slot *slot, const struct render_worker_end *end)
{
    struct render_pool *pool = slot->pool;
    struct render_task *picture = take_from(slot);
    struct err err = {0};
    if (picture == NULL)
        return;
    if (picture->waits == NULL) {
        stats_add(STAT_RENDERS_CANCELLED, 1);
        render_task_free(picture);
        return;
    }
    if (slot->is_cancelled) { /* and it has a waiter again */
        job_queue_put_back(&pool->queue, &picture->queued);
        return;
    }
    if (!end->has_read_job && picture->sends < SENDS_MAX)
        picture->attempts--; /* the worker died of something else */
    if (end->is_timeout) {
        err_set(&err, ERR_RENDER_TIMEOUT, "the picture was not drawn within %llu ms; see %s",
                (unsigned long long)time_limit_ms(pool, picture),
                LIMIT_TEXT(&pool->config->limits, LIMIT_RENDER_TIME_MS));
    } else if (picture->attempts < ATTEMPTS_MAX) {
        job_queue_put_back(&pool->queue, &picture->queued);
        return;
    } else {
        err_set(&err, end->code, "the renderer died %d times on this picture: posed-render %s", ATTEMPTS_MAX, end->why);
    }
    fail(pool, picture, &err);
}

static void on_pause_over(uv_timer_t *timer) { start_worker(timer->data); }

static void pause_and_restart(struct render_slot *slot)
{
    uint64_t pause_ms = 0;
    for (uint32_t d = 1; d < slot->deaths && pause_ms < RESTART_LAST_MS; d++)
        pause_ms = pause_ms == 0 ? RESTART_FIRST_MS : pause_ms * 2;
    uv_timer_start(&slot->timer, on_pause_over, pause_ms < RESTART_LAST_MS ? pause_ms : RESTART_LAST_MS, 0);
}

static void on_start_failed(struct render_slot *slot, const struct err *err)
{
    struct render_pool *pool = slot->pool;
    pool->start_failure = *err;
    slot->failed_starts++;
    if (is_broken(pool))
        fail_queue(pool, &pool->start_failure);
}

static void on_ended(void *context, const struct render_worker_end *end)
{
    struct render_slot *slot = context;
    const bool was_ready = slot->is_ready;
    slot->is_cancelled = slot->is_cancelled && !end->is_timeout;
    slot->worker = NULL;
    slot->is_ready = false;
    slot->deaths += !slot->is_cancelled;
    stats_add(STAT_RENDERS_WORKERS_ENDED, 1);
    uv_timer_stop(&slot->timer);
    if (slot->is_cancelled)
        log_info("posed-render is started anew: nobody waited for its picture any more");
    else if (end->is_by_itself && (slot->picture == NULL || !end->has_read_job))
        log_info("posed-render is started anew: it %s", end->why);
    else
        log_warn("posed-render %s%s", end->is_timeout ? "took too long and " : "", end->why);
    pause_and_restart(slot);
    if (was_ready) {
        retry_or_fail(slot, end);
        start_jobs(slot->pool);
    } else {
        struct err err = {0};
        err_set(&err, ERR_UNAVAILABLE, "the renderer does not start: posed-render %s", end->why);
        on_start_failed(slot, &err);
    }
}

static void start_worker(struct render_slot *slot)
{
    static const struct render_worker_events EVENTS = {.ready = on_ready, .answered = on_answered, .ended = on_ended};
    struct render_pool *pool = slot->pool;
    struct err err = {0};
    slot->is_cancelled = false;
    slot->worker = render_worker_start(pool->loop, pool->config, &EVENTS, slot, &err);
    if (slot->worker != NULL) {
        const uint64_t picture_ms = pool->config->limits.value[LIMIT_RENDER_TIME_MS];
        render_worker_limit_time(slot->worker, picture_ms > START_MS ? picture_ms : START_MS);
        return;
    }
    log_warn("%s", err.message);
    slot->deaths++;
    pause_and_restart(slot);
    on_start_failed(slot, &err);
}

/* --------- the pool --------- */

struct render_pool *render_pool_new(uv_loop_t *loop, const struct config *config, struct budget *budget)
{
    const uint32_t count = config->render_workers;
    struct render_pool *pool = mem_zalloc(1, sizeof *pool + count * sizeof *pool->slots);
    pool->loop = loop;
    pool->config = config;
    pool->budget = budget;
    pool->queue = (struct job_queue){.limits = &config->limits,
                                     .limit = LIMIT_RENDER_QUEUE,
                                     .waiting = STAT_RENDERS_WAITING,
                                     .refused = STAT_RENDERS_REFUSED,
                                     .what = "pictures"};
    pool->slot_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct render_slot *slot = &pool->slots[i];
        slot->pool = pool;
        uv_timer_init(loop, &slot->timer);
        slot->timer.data = slot;
        pool->open_timers++;
        start_worker(slot);
    }
    return pool;
}

void render_pool_resume(struct render_pool *pool)
{
    if (pool->queue.first != NULL)
        start_jobs(pool);
}

const char *render_pool_renderer(const struct render_pool *pool) { return pool->name; }

static void on_timer_closed(uv_handle_t *timer)
{
    struct render_slot *slot = timer->data;
    struct render_pool *pool = slot->pool;
    if (--pool->open_timers == 0)
        free(pool);
}

void render_pool_free(struct render_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->queue.first != NULL)
        render_task_free(take_first(pool));
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        struct render_slot *slot = &pool->slots[i];
        render_task_free(slot->picture);
        if (slot->worker != NULL)
            render_worker_abandon(slot->worker);
        uv_close((uv_handle_t *)&slot->timer, on_timer_closed);
    }
    if (pool->slot_count == 0)
        free(pool);
}
