#include "import_pool.h"

#include "../base/mem.h"
#include "import_command.h"
#include "import_run.h"
#include "stats.h"

#include <stdlib.h>
#include <utlist.h>

struct slot {
    struct import_pool *pool;
    struct import_run *run; /* NULL = free */
    struct import_job *job;
};

struct import_pool {
    uv_loop_t *loop;
    const struct config *config;
    int root_fd;
    struct import_command command;
    struct import_job *queue;
    uint64_t queue_count, running_count;
    uint64_t last_key;
    uint32_t slot_count;
    struct slot slots[];
};

struct import_pool *import_pool_new(uv_loop_t *loop, const struct config *config, int root_fd)
{
    const uint32_t count = config->import_workers;
    struct import_pool *pool = mem_zalloc(1, sizeof *pool + count * sizeof *pool->slots);
    pool->loop = loop;
    pool->config = config;
    pool->root_fd = root_fd;
    pool->slot_count = count;
    for (uint32_t i = 0; i < count; i++)
        pool->slots[i].pool = pool;
    import_command_init(&pool->command, config);
    return pool;
}

static struct slot *find_free_slot(struct import_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].run == NULL)
            return &pool->slots[i];
    return NULL;
}

static void on_done(void *context, struct baked *baked, const struct err *err);

static void start_jobs(struct import_pool *pool)
{
    for (struct slot *slot; pool->queue != NULL && (slot = find_free_slot(pool)) != NULL;) {
        struct import_job *job = pool->queue;
        DL_DELETE(pool->queue, job);
        stats_set(STAT_IMPORTS_WAITING, --pool->queue_count);
        if (!job->starting(job)) {
            stats_add(STAT_IMPORTS_CANCELLED, 1);
            continue;
        }
        stats_add(STAT_IMPORTS_STARTED, 1);
        stats_set(STAT_IMPORTS_RUNNING, ++pool->running_count);
        slot->job = job;
        slot->run = import_run_start(pool->loop, &pool->command, pool->config, pool->root_fd, job->path,
                                     ++pool->last_key, on_done, slot);
    }
}

static void on_done(void *context, struct baked *baked, const struct err *err)
{
    struct slot *slot = context;
    struct import_job *job = slot->job;
    slot->run = NULL;
    slot->job = NULL;
    stats_set(STAT_IMPORTS_RUNNING, --slot->pool->running_count);
    if (baked == NULL)
        stats_end(STAT_ENDS_IMPORTS, err->code);
    job->done(job, baked, err);
    start_jobs(slot->pool);
}

int import_pool_submit(struct import_pool *pool, struct import_job *job, struct err *err)
{
    const uint64_t limit = pool->config->limits.value[LIMIT_IMPORT_QUEUE];
    if (find_free_slot(pool) == NULL && pool->queue_count >= limit) {
        stats_add(STAT_IMPORTS_REFUSED, 1);
        return err_set(err, ERR_OVERLOADED, "%s: %llu models already wait for their import; try again later", job->path,
                       (unsigned long long)limit);
    }
    DL_APPEND(pool->queue, job);
    stats_set(STAT_IMPORTS_WAITING, ++pool->queue_count);
    start_jobs(pool);
    return 0;
}

void import_pool_free(struct import_pool *pool)
{
    if (pool == NULL)
        return;
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].run != NULL)
            import_run_abandon(pool->slots[i].run);
    import_command_fini(&pool->command);
    free(pool);
}
