/* render_pool.c - the queue in front of a fixed number of renderers, and the waiters for its pictures. */
#include "daemon/renderer/render_pool.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/process/worker_command.h"
#include "daemon/renderer/render_slot.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <utlist.h>

/* A worker is killed with its picture: one that was only just begun is given so long first. */
enum { RESTART_WORTH_MS = 500 };

/* --------- jobs --------- */

void render_pool_fail(struct render_pool *pool, struct render_task *picture, const struct err *why)
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

static uint64_t picture_count(const struct render_task *picture)
{
    return (picture->job.cell_count + RENDER_CELLS_A_PICTURE - 1) / RENDER_CELLS_A_PICTURE;
}

uint64_t render_pool_time_limit_ms(const struct render_pool *pool, const struct render_task *picture)
{
    return pool->config->limits.value[LIMIT_RENDER_TIME_MS] * picture_count(picture);
}

uint64_t render_pool_cpu_limit_ms(const struct render_pool *pool, const struct render_task *picture)
{
    return pool->config->limits.value[LIMIT_RENDER_CPU_S] * 1000 * picture_count(picture);
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
    render_worker_limit_time(slot->worker, render_pool_time_limit_ms(pool, picture));
    render_slot_limit_cpu(slot, render_pool_cpu_limit_ms(pool, picture));
    render_worker_send(slot->worker, picture, ++pool->last_job_id);
}

/* Takes a picture from the queue; NULL: it is empty. */
static struct render_task *take_first(struct render_pool *pool)
{
    struct job_queue_entry *entry = job_queue_take(&pool->queue);
    return entry != NULL ? container_of(entry, struct render_task, queued) : NULL;
}

void render_pool_start_jobs(struct render_pool *pool)
{
    /* The size of a picture is not known in advance; one picture beyond the room does no harm. */
    for (struct render_slot *slot;
         pool->queue.first != NULL && (slot = find_idle_slot(pool)) != NULL && budget_has_capacity(pool->budget, 0);)
        start_job(slot, take_first(pool));
}

void render_pool_fail_queue(struct render_pool *pool, const struct err *err)
{
    /* pictures that done() submits meanwhile are appended, and refused there */
    for (uint64_t n = pool->queue.count; n > 0 && pool->queue.first != NULL; n--)
        render_pool_fail(pool, take_first(pool), err);
}

/* --------- waiters --------- */

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
static void make_capacity(struct render_pool *pool)
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
        make_capacity(pool);
        return;
    }
    stats_add(STAT_RENDERS_CANCELLED, 1);
    job_queue_remove(&pool->queue, &picture->queued);
    render_task_free(picture);
}

bool render_pool_is_broken(const struct render_pool *pool)
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
    return render_pool_is_broken(pool) ? err_set(err, pool->start_failure.code, "%s", pool->start_failure.message) : 0;
}

int render_pool_check_start(const struct render_pool *pool, struct err *err)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].is_ready)
            return 1;
    return render_pool_check(pool, err);
}

uint64_t render_pool_waiting(const struct render_pool *pool) { return pool->queue.count; }

/* Checks that the given poses of waiting pictures have room: a short body may name a million morph weights. */
static int check_given(const struct render_pool *pool, const struct render_task *picture, struct err *err)
{
    const uint64_t limit_bytes = pool->config->limits.value[LIMIT_CLIENT_MEMORY_BYTES] / 4;
    uint64_t size_bytes = render_job_given_size(&picture->job);
    if (size_bytes == 0)
        return 0;
    for (const struct job_queue_entry *entry = pool->queue.first; entry != NULL; entry = entry->next)
        size_bytes += render_job_given_size(&container_of(entry, struct render_task, queued)->job);
    if (size_bytes <= limit_bytes)
        return 0;
    stats_add(STAT_RENDERS_REFUSED, 1);
    return err_set(err, ERR_OVERLOADED, "given poses of waiting pictures fill a quarter of --client-memory %llu",
                   (unsigned long long)pool->config->limits.value[LIMIT_CLIENT_MEMORY_BYTES]);
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
    if (check_given(pool, picture, err) < 0 || job_queue_put(&pool->queue, &picture->queued, err) < 0) {
        render_task_free(picture);
        return err->code;
    }
    render_task_add_waiter(picture, wait);
    render_pool_start_jobs(pool);
    make_capacity(pool);
    return 0;
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
                                     .wait = METRIC_QUEUE_RENDERS,
                                     .what = "pictures"};
    pool->slot_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct render_slot *slot = &pool->slots[i];
        slot->pool = pool;
        uv_timer_init(loop, &slot->timer);
        uv_timer_init(loop, &slot->cpu_timer);
        slot->timer.data = slot->cpu_timer.data = slot;
        pool->open_timers += 2;
        render_slot_start(slot);
    }
    return pool;
}

void render_pool_resume(struct render_pool *pool)
{
    if (pool->queue.first != NULL)
        render_pool_start_jobs(pool);
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
        uv_close((uv_handle_t *)&slot->cpu_timer, on_timer_closed);
    }
    if (pool->slot_count == 0)
        free(pool);
}
