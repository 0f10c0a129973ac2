/* render_slot.c - manages the worker of a slot: its start, idle time, processor time, answers, end and restart. */
#include "daemon/renderer/render_slot.h"

#include "daemon/support/log.h"
#include "daemon/support/metrics.h"
#include "daemon/support/stats.h"

#include <stdio.h>
#include <string.h>

enum {
    ATTEMPTS_MAX = 2,
    SENDS_MAX = 10,         /* to workers that died before they read the job */
    START_CPU_MS = 20000,   /* a driver compiles for most of a second */
    START_TIME_MS = 200000, /* then it hangs */
    RESTART_FIRST_MS = 100, /* the pause doubles with each death without a picture between, up to */
    RESTART_LAST_MS = 5000,
    IDLE_CPU_MS = 1000,   /* processor time that a worker may use with nothing to draw: it needs none */
    IDLE_FIRST_MS = 1000, /* the first check; the intervals then double, up to */
    IDLE_LAST_MS = 60000,
    CPU_FIRST_MS = 20, /* the next check of a busy worker is due after its remaining processor time, within */
    CPU_LAST_MS = 1000,
};

/* --- its processor time --- */

static void watch_cpu(struct render_slot *slot, uint64_t used_ms);

static void on_cpu(uv_timer_t *timer)
{
    struct render_slot *slot = timer->data;
    const uint64_t used_ms = render_worker_cpu_used_ms(slot->worker);
    if (used_ms < slot->cpu_end_ms) {
        watch_cpu(slot, used_ms);
        return;
    }
    slot->is_over_cpu = true;
    render_worker_kill_for(slot->worker, "used up its processor time");
}

/* It has one thread that computes, so it cannot have used the rest before that time has passed. */
static void watch_cpu(struct render_slot *slot, uint64_t used_ms)
{
    const uint64_t left_ms = slot->cpu_end_ms - used_ms;
    const uint64_t pause_ms = left_ms < CPU_FIRST_MS ? CPU_FIRST_MS : left_ms < CPU_LAST_MS ? left_ms : CPU_LAST_MS;
    uv_timer_start(&slot->cpu_timer, on_cpu, pause_ms, 0);
}

void render_slot_limit_cpu(struct render_slot *slot, uint64_t cpu_ms)
{
    const uint64_t used_ms = render_worker_cpu_used_ms(slot->worker);
    slot->cpu_end_ms = used_ms + cpu_ms;
    watch_cpu(slot, used_ms);
}

/* --- ready, with nothing to draw --- */

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
    uv_timer_stop(&slot->cpu_timer);
    uv_timer_start(&slot->timer, on_idle, IDLE_FIRST_MS, 0);
}

static void count_ready(const struct render_pool *pool)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pool->slot_count; i++)
        count += pool->slots[i].is_ready;
    stats_set(STAT_RENDERS_WORKERS_READY, count);
}

static void on_ready(void *context, const char *name)
{
    struct render_slot *slot = context;
    struct render_pool *pool = slot->pool;
    slot->is_ready = true;
    slot->failed_starts = 0;
    count_ready(pool);
    begin_idle(slot);
    pool->start_failure = (struct err){0};
    if (pool->is_told)
        log_info("pictures are ready again: a renderer has started");
    pool->is_told = false;
    if (strncmp(pool->name, name, RENDER_NAME_SIZE - 1) != 0) {
        snprintf(pool->name, RENDER_NAME_SIZE, "%s", name);
        log_info("pictures are drawn by %s", pool->name);
    }
    render_pool_start_jobs(pool);
}

/* --- its answers --- */

/* The picture that the slot's worker was at, or NULL. outcome: of this try. */
static struct render_task *take_from(struct render_slot *slot, enum metric_outcome outcome)
{
    struct render_task *picture = slot->picture;
    slot->picture = NULL;
    if (picture != NULL)
        stats_set(STAT_RENDERS_RUNNING, --slot->pool->running_count);
    if (picture != NULL)
        metrics_count_render(outcome, uv_hrtime() - picture->started_ns);
    return picture;
}

static void on_answered(void *context, struct buf *png, const struct render_notes *notes, const struct err *err)
{
    struct render_slot *slot = context;
    struct render_task *picture = take_from(slot, png != NULL ? METRIC_SUCCESS : METRIC_ERROR);
    struct render_pool *pool = slot->pool;
    struct blob *blob = png != NULL ? blob_new(png, &pool->budget->used_bytes) : NULL;
    slot->deaths = 0;
    begin_idle(slot);
    if (blob != NULL)
        render_task_finish(picture, blob, notes, err);
    else
        render_pool_fail(pool, picture, err);
    blob_unref(blob);
    render_pool_start_jobs(pool);
}

/* --- its death --- */

/* The error of a picture that is not retried. */
static void explain(const struct render_slot *slot, const struct render_task *picture,
                    const struct render_worker_end *end, struct err *err)
{
    const struct render_pool *pool = slot->pool;
    const struct limits *limits = &pool->config->limits;
    if (slot->is_over_cpu)
        err_set(err, ERR_RENDER_CPU, "the picture took more than %llu s of processor time; see %s",
                (unsigned long long)render_pool_cpu_limit_ms(pool, picture) / 1000,
                LIMIT_TEXT(limits, LIMIT_RENDER_CPU_S));
    else if (end->is_timeout)
        err_set(err, ERR_RENDER_TIMEOUT,
                "the picture was not drawn within %llu ms, in none of %d tries; see %s; try again later",
                (unsigned long long)render_pool_time_limit_ms(pool, picture), ATTEMPTS_MAX,
                LIMIT_TEXT(limits, LIMIT_RENDER_TIME_MS));
    else
        err_set(err, end->code, "the renderer died %d times on this picture: posed-render %s", ATTEMPTS_MAX, end->why);
}

/* The worker died over its job: another try, or an answer. */
static void retry_or_fail(struct render_slot *slot, const struct render_worker_end *end)
{
    struct render_pool *pool = slot->pool;
    struct render_task *picture = take_from(slot, slot->is_cancelled ? METRIC_CANCELLED : METRIC_ERROR);
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
    if (!end->has_read_job && !end->is_timeout && picture->sends < SENDS_MAX)
        picture->attempts--; /* the worker died of something else */
    if (picture->attempts < ATTEMPTS_MAX && !slot->is_over_cpu) {
        job_queue_put_back(&pool->queue, &picture->queued);
        return;
    }
    explain(slot, picture, end, &err);
    render_pool_fail(pool, picture, &err);
}

static void on_pause_over(uv_timer_t *timer) { render_slot_start(timer->data); }

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
    if (strcmp(pool->start_failure.message, err->message) != 0) /* it is the same again and again, in every slot */
        log_warn("%s", err->message);
    pool->start_failure = *err;
    slot->failed_starts++;
    if (!render_pool_is_broken(pool))
        return;
    if (!pool->is_told)
        log_warn("pictures are not ready: no renderer starts; they are tried again and again");
    pool->is_told = true;
    render_pool_fail_queue(pool, &pool->start_failure);
}

static void on_ended(void *context, const struct render_worker_end *end)
{
    struct render_slot *slot = context;
    const bool was_ready = slot->is_ready;
    slot->is_cancelled = slot->is_cancelled && !end->is_timeout && !slot->is_over_cpu;
    slot->worker = NULL;
    slot->is_ready = false;
    slot->deaths += !slot->is_cancelled;
    stats_add(STAT_RENDERS_WORKERS_ENDED, 1);
    count_ready(slot->pool);
    uv_timer_stop(&slot->timer);
    uv_timer_stop(&slot->cpu_timer);
    if (slot->is_cancelled)
        log_info("posed-render is started anew: nobody waited for its picture any more");
    else if (was_ready && end->is_by_itself && (slot->picture == NULL || !end->has_read_job))
        log_info("posed-render is started anew: it %s", end->why);
    else if (was_ready)
        log_warn("posed-render %s", end->why);
    pause_and_restart(slot);
    if (was_ready) {
        retry_or_fail(slot, end);
        render_pool_start_jobs(slot->pool);
    } else {
        struct err err = {0};
        err_set(&err, ERR_UNAVAILABLE, "the renderer does not start: posed-render %s", end->why);
        on_start_failed(slot, &err);
    }
}

void render_slot_start(struct render_slot *slot)
{
    static const struct render_worker_events EVENTS = {.ready = on_ready, .answered = on_answered, .ended = on_ended};
    struct render_pool *pool = slot->pool;
    struct err err = {0};
    slot->is_cancelled = slot->is_over_cpu = false;
    slot->worker = render_worker_start(pool->loop, pool->config, &EVENTS, slot, &err);
    if (slot->worker != NULL) {
        const uint64_t *limits = pool->config->limits.value;
        const uint64_t time_ms = limits[LIMIT_RENDER_TIME_MS], cpu_ms = limits[LIMIT_RENDER_CPU_S] * 1000;
        render_worker_limit_time(slot->worker, time_ms > START_TIME_MS ? time_ms : START_TIME_MS);
        render_slot_limit_cpu(slot, cpu_ms > START_CPU_MS ? cpu_ms : START_CPU_MS);
        return;
    }
    slot->deaths++;
    pause_and_restart(slot);
    on_start_failed(slot, &err);
}
