#include "render_pool.h"

#include "../anim/pose.h"
#include "../base/mem.h"
#include "log.h"
#include "render_worker.h"
#include "stats.h"

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
};

/* A place for a worker. Its timer bounds a start or a picture, or is the pause before the next start. */
struct slot {
    struct render_pool *pool;
    struct render_worker *worker; /* NULL: none runs */
    bool is_ready;
    bool is_timeout;            /* the worker was killed for its time */
    struct render_query *query; /* under way */
    uint32_t deaths;            /* since the last picture */
    uint32_t failed_starts;     /* since it was last ready */
    uv_timer_t timer;
};

struct render_pool {
    uv_loop_t *loop;
    const struct config *config;
    struct render_query *queue;
    uint64_t queue_count, running_count;
    uint64_t last_job_id;
    char name[NAME_SIZE];
    struct err start_failure; /* why the last start failed */
    uint32_t open_timers;     /* the pool is freed with the last */
    uint32_t slot_count;
    struct slot slots[];
};

static void start_jobs(struct render_pool *pool);
static void start_worker(struct slot *slot);

/* --------- jobs --------- */

static void pin(struct render_query *query)
{
    query->pins = (struct render_pins){.model = baked_ref(query->baked)};
    for (uint32_t i = 0; i < query->clip_count; i++)
        query->pins.clips[i] = baked_ref(query->clips[i]);
}

static void unpin(struct render_pins *pins)
{
    baked_unref(pins->model);
    for (uint32_t i = 0; i < RENDER_SOURCES_MAX; i++)
        baked_unref(pins->clips[i]);
    *pins = (struct render_pins){.model = NULL};
}

/* Takes the query from its slot or from the queue's hands and ends it. */
static void finish(struct render_query *query, struct buf *png, const char *unmatched, const struct err *err)
{
    unpin(&query->pins);
    if (png == NULL)
        stats_end(STAT_ENDS_RENDERS, err->code);
    query->done(query, png, unmatched, err);
}

static struct slot *find_idle_slot(struct render_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].is_ready && pool->slots[i].query == NULL)
            return &pool->slots[i];
    return NULL;
}

static void on_too_late(uv_timer_t *timer)
{
    struct slot *slot = timer->data;
    slot->is_timeout = true;
    render_worker_kill(slot->worker);
}

static void start_job(struct slot *slot, struct render_query *query)
{
    struct render_job job = {
        .magic = RENDER_JOB_MAGIC,
        .width = query->width,
        .height = query->height,
        .clip = query->clip,
        .job_id = ++slot->pool->last_job_id,
        .model_key = query->pins.model->key,
        .model_bytes = query->pins.model->model.size_bytes,
        .source_count = query->clip_count,
        .clip_source = query->clip_source,
        .root = query->root,
        .has_turn = query->has_turn,
        .root_start_s = query->root_start_s,
        .clip_time_s = query->clip_time_s,
        .yaw_deg = query->yaw_deg,
        .pitch_deg = query->pitch_deg,
    };
    memcpy(job.background, query->background, sizeof job.background);
    if (query->blend != NULL)
        job.blend = *query->blend;
    int fds[1 + RENDER_SOURCES_MAX] = {query->pins.model->fd};
    for (uint32_t i = 0; i < query->clip_count; i++) {
        const struct baked *clips = query->pins.clips[i];
        job.sources[i] = (struct render_source){.key = clips->key, .size_bytes = clips->model.size_bytes};
        fds[1 + i] = clips->fd;
    }
    query->attempts++;
    query->sends++;
    slot->query = query;
    stats_add(STAT_RENDERS_STARTED, 1);
    stats_set(STAT_RENDERS_RUNNING, ++slot->pool->running_count);
    uv_timer_start(&slot->timer, on_too_late, slot->pool->config->limits.value[LIMIT_RENDER_TIME_MS], 0);
    render_worker_send(slot->worker, &job, fds, 1 + query->clip_count);
}

static struct render_query *take_first(struct render_pool *pool)
{
    struct render_query *query = pool->queue;
    DL_DELETE(pool->queue, query);
    stats_set(STAT_RENDERS_WAITING, --pool->queue_count);
    return query;
}

static void start_jobs(struct render_pool *pool)
{
    for (struct slot *slot; pool->queue != NULL && (slot = find_idle_slot(pool)) != NULL;) {
        struct render_query *query = take_first(pool);
        struct render_pins pins = query->pins;
        if (query->starting == NULL || query->starting(query)) {
            start_job(slot, query);
        } else { /* the query may be gone */
            stats_add(STAT_RENDERS_CANCELLED, 1);
            unpin(&pins);
        }
    }
}

static void fail_queue(struct render_pool *pool, const struct err *err)
{
    /* what done() submits meanwhile comes behind and is refused there */
    for (uint64_t n = pool->queue_count; n > 0 && pool->queue != NULL; n--)
        finish(take_first(pool), NULL, "", err);
}

/* No worker can be started as things are. */
static bool is_broken(const struct render_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].is_ready || pool->slots[i].failed_starts == 0)
            return false;
    return true;
}

int render_pool_submit(struct render_pool *pool, struct render_query *query, struct err *err)
{
    const uint64_t limit = pool->config->limits.value[LIMIT_RENDER_QUEUE];
    if (pool->slot_count == 0)
        return err_set(err, ERR_UNAVAILABLE, "this server draws no pictures: it was started with --render-workers 0");
    if (is_broken(pool))
        return err_set(err, ERR_UNAVAILABLE, "%s", pool->start_failure.message);
    if (find_idle_slot(pool) == NULL && pool->queue_count >= limit) {
        stats_add(STAT_RENDERS_REFUSED, 1);
        return err_set(err, ERR_OVERLOADED, "%llu pictures already wait to be drawn; try again later",
                       (unsigned long long)limit);
    }
    query->attempts = query->sends = 0;
    pin(query);
    DL_APPEND(pool->queue, query);
    stats_set(STAT_RENDERS_WAITING, ++pool->queue_count);
    start_jobs(pool);
    return 0;
}

/* --------- workers --------- */

static void on_ready(void *context, const char *name)
{
    struct slot *slot = context;
    struct render_pool *pool = slot->pool;
    slot->is_ready = true;
    slot->failed_starts = 0;
    uv_timer_stop(&slot->timer);
    if (strncmp(pool->name, name, NAME_SIZE - 1) != 0) {
        snprintf(pool->name, NAME_SIZE, "%s", name);
        log_info("pictures are drawn by %s", pool->name);
    }
    start_jobs(pool);
}

/* The query that the slot's worker was at, or NULL. */
static struct render_query *take_from(struct slot *slot)
{
    struct render_query *query = slot->query;
    slot->query = NULL;
    if (query != NULL)
        stats_set(STAT_RENDERS_RUNNING, --slot->pool->running_count);
    return query;
}

static void on_answered(void *context, struct buf *png, const char *unmatched, const struct err *err)
{
    struct slot *slot = context;
    struct render_query *query = take_from(slot);
    slot->deaths = 0;
    uv_timer_stop(&slot->timer);
    finish(query, png, unmatched, err);
    start_jobs(slot->pool);
}

/* The worker died over its job: another try, or an answer. */
static void retry_or_fail(struct slot *slot, const struct render_worker_end *end)
{
    struct render_pool *pool = slot->pool;
    struct render_query *query = take_from(slot);
    struct err err = {0};
    if (query == NULL)
        return;
    if (!end->has_read_job && query->sends < SENDS_MAX)
        query->attempts--; /* whatever the worker died of, it was not this picture */
    if (slot->is_timeout) {
        err_set(&err, ERR_RENDER_TIMEOUT, "the picture was not drawn within %llu ms",
                (unsigned long long)pool->config->limits.value[LIMIT_RENDER_TIME_MS]);
    } else if (query->attempts < ATTEMPTS_MAX) {
        DL_PREPEND(pool->queue, query);
        stats_set(STAT_RENDERS_WAITING, ++pool->queue_count);
        return;
    } else {
        err_set(&err, end->code, "the renderer died %d times on this picture: posed-render %s", ATTEMPTS_MAX, end->why);
    }
    finish(query, NULL, "", &err);
}

static void on_pause_over(uv_timer_t *timer) { start_worker(timer->data); }

static void pause_and_restart(struct slot *slot)
{
    uint64_t pause_ms = 0;
    for (uint32_t d = 1; d < slot->deaths && pause_ms < RESTART_LAST_MS; d++)
        pause_ms = pause_ms == 0 ? RESTART_FIRST_MS : pause_ms * 2;
    uv_timer_start(&slot->timer, on_pause_over, pause_ms < RESTART_LAST_MS ? pause_ms : RESTART_LAST_MS, 0);
}

static void on_start_failed(struct slot *slot, const struct err *err)
{
    struct render_pool *pool = slot->pool;
    pool->start_failure = *err;
    slot->failed_starts++;
    if (is_broken(pool))
        fail_queue(pool, &pool->start_failure);
}

static void on_ended(void *context, const struct render_worker_end *end)
{
    struct slot *slot = context;
    const bool was_ready = slot->is_ready;
    slot->worker = NULL;
    slot->is_ready = false;
    slot->deaths++;
    stats_add(STAT_RENDERS_WORKERS_ENDED, 1);
    uv_timer_stop(&slot->timer);
    log_warn("posed-render %s%s", slot->is_timeout ? "took too long and " : "", end->why);
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

static void start_worker(struct slot *slot)
{
    static const struct render_worker_events EVENTS = {.ready = on_ready, .answered = on_answered, .ended = on_ended};
    struct render_pool *pool = slot->pool;
    struct err err = {0};
    slot->is_timeout = false;
    slot->worker = render_worker_start(pool->loop, pool->config, &EVENTS, slot, &err);
    if (slot->worker != NULL) {
        const uint64_t picture_ms = pool->config->limits.value[LIMIT_RENDER_TIME_MS];
        uv_timer_start(&slot->timer, on_too_late, picture_ms > START_MS ? picture_ms : START_MS, 0);
        return;
    }
    log_warn("%s", err.message);
    slot->deaths++;
    pause_and_restart(slot);
    on_start_failed(slot, &err);
}

/* --------- the pool --------- */

struct render_pool *render_pool_new(uv_loop_t *loop, const struct config *config)
{
    const uint32_t count = config->render_workers;
    struct render_pool *pool = mem_zalloc(1, sizeof *pool + count * sizeof *pool->slots);
    pool->loop = loop;
    pool->config = config;
    pool->slot_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct slot *slot = &pool->slots[i];
        slot->pool = pool;
        uv_timer_init(loop, &slot->timer);
        slot->timer.data = slot;
        pool->open_timers++;
        start_worker(slot);
    }
    return pool;
}

const char *render_pool_renderer(const struct render_pool *pool) { return pool->name; }

static void on_timer_closed(uv_handle_t *timer)
{
    struct slot *slot = timer->data;
    struct render_pool *pool = slot->pool;
    if (--pool->open_timers == 0)
        free(pool);
}

void render_pool_free(struct render_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->queue != NULL)
        unpin(&take_first(pool)->pins);
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->query != NULL)
            unpin(&slot->query->pins);
        if (slot->worker != NULL)
            render_worker_abandon(slot->worker);
        uv_close((uv_handle_t *)&slot->timer, on_timer_closed);
    }
    if (pool->slot_count == 0)
        free(pool);
}
