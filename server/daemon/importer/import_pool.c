/* import_pool.c - a fixed number of import slots and the queue in front of them. */
#include "daemon/importer/import_pool.h"

#include "base/container_of.h"
#include "base/file_formats.h"
#include "base/mem.h"
#include "daemon/importer/import_run.h"
#include "daemon/process/child.h"
#include "daemon/process/fork_server.h"
#include "daemon/support/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 2 };

struct import_slot {
    struct import_pool *pool;
    struct import_run *run; /* NULL: the import has not begun */
    struct import_job *job; /* NULL: free */
    unsigned tries;         /* of the job */
    bool has_libraries;     /* the job's process: it needs more than most */
};

struct import_pool {
    uv_loop_t *loop;
    const struct config *config;
    int root_fd;
    struct fork_server *fork_server, *full_fork_server; /* the second with assimp and libtiff */
    struct worker_command command, full_command;        /* theirs */
    struct job_queue queue;
    uint64_t running_count;
    uint64_t last_key;
    uint32_t slot_count;
    struct import_slot slots[];
};

struct import_pool *import_pool_new(uv_loop_t *loop, const struct config *config, int root_fd)
{
    const uint32_t count = config->import_workers;
    struct import_pool *pool = mem_zalloc(1, sizeof *pool + count * sizeof *pool->slots);
    pool->loop = loop;
    pool->config = config;
    pool->root_fd = root_fd;
    pool->queue = (struct job_queue){.limits = &config->limits,
                                     .limit = LIMIT_IMPORT_QUEUE,
                                     .waiting = STAT_IMPORTS_WAITING,
                                     .refused = STAT_IMPORTS_REFUSED,
                                     .wait = METRIC_QUEUE_IMPORTS,
                                     .what = "models"};
    pool->slot_count = count;
    for (uint32_t i = 0; i < count; i++)
        pool->slots[i].pool = pool;
    worker_command_import(&pool->command, config);
    worker_command_add(&pool->command, "--fork-server");
    worker_command_import(&pool->full_command, config);
    worker_command_add(&pool->full_command, "--libraries");
    worker_command_add(&pool->full_command, "--fork-server");
    pool->fork_server = fork_server_new(loop, &pool->command);
    pool->full_fork_server = fork_server_new(loop, &pool->full_command);
    fork_server_begin(pool->fork_server);
    return pool;
}

/* Imports that do not need assimp run without it, because the process then contains less code. Whether a model needs
 * libtiff only its import tells. */
static bool needs_assimp(const struct import_job *job)
{
    const struct file_format *format = job->is_archive ? NULL : file_format_of(job->path);
    return format != NULL && format->reader == READER_ASSIMP;
}

static struct import_slot *find_free_slot(struct import_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].job == NULL)
            return &pool->slots[i];
    return NULL;
}

static struct import_slot *find_slot_of(struct import_pool *pool, const struct import_job *job)
{
    uint32_t i = 0;
    while (pool->slots[i].job != job)
        i++;
    return &pool->slots[i];
}

static void on_done(void *context, const struct import_run_end *end);
static void start_jobs(struct import_pool *pool);

static struct import_job *leave(struct import_slot *slot)
{
    struct import_job *job = slot->job;
    slot->run = NULL;
    slot->job = NULL;
    stats_set(STAT_IMPORTS_RUNNING, --slot->pool->running_count);
    return job;
}

/* Ends an import without a waiter when another waits for its slot. */
static void make_capacity(struct import_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count && pool->queue.first != NULL; i++) {
        struct import_slot *slot = &pool->slots[i];
        if (slot->run == NULL || slot->job->is_wanted(slot->job))
            continue;
        struct err err;
        import_run_abandon(slot->run);
        struct import_job *job = leave(slot);
        stats_add(STAT_IMPORTS_CANCELLED, 1);
        err_set(&err, ERR_OVERLOADED, "%s: its import was ended, because nobody waited for it and others did",
                job->path);
        job->done(job, NULL, &err);
        start_jobs(pool);
    }
}

static void try_import(struct import_slot *slot)
{
    struct import_pool *pool = slot->pool;
    struct import_job *job = slot->job;
    const struct import_task task = {
        .path = job->path, .access = job->access, .is_archive = job->is_archive, .has_libraries = slot->has_libraries};
    struct fork_server *server = slot->has_libraries ? pool->full_fork_server : pool->fork_server;
    slot->tries++;
    slot->run =
        import_run_start(pool->loop, server, pool->config, pool->root_fd, &task, ++pool->last_key, on_done, slot);
}

static void begin(struct import_slot *slot)
{
    struct import_pool *pool = slot->pool;
    struct import_job *job = slot->job;
    if (job->starting != NULL)
        job->starting(job);
    stats_add(STAT_IMPORTS_STARTED, 1);
    stats_set(STAT_IMPORTS_RUNNING, ++pool->running_count);
    slot->tries = 0;
    slot->has_libraries = needs_assimp(job);
    try_import(slot);
}

static void start_jobs(struct import_pool *pool)
{
    for (struct import_slot *slot; pool->queue.first != NULL && (slot = find_free_slot(pool)) != NULL;) {
        slot->job = container_of(job_queue_take(&pool->queue), struct import_job, queued);
        if (slot->job->prepare == NULL || slot->job->prepare(slot->job))
            begin(slot);
    }
}

void import_pool_go(struct import_pool *pool, struct import_job *job)
{
    begin(find_slot_of(pool, job));
    make_capacity(pool);
}

void import_pool_leave(struct import_pool *pool, struct import_job *job)
{
    find_slot_of(pool, job)->job = NULL;
    start_jobs(pool);
}

static void on_done(void *context, const struct import_run_end *end)
{
    struct import_slot *slot = context;
    const bool is_again = end->is_transient && slot->tries < TRIES_MAX && slot->job->is_wanted(slot->job);
    if (is_again || end->needs_libraries) {
        slot->has_libraries = slot->has_libraries || end->needs_libraries;
        try_import(slot);
        return;
    }
    struct import_job *job = leave(slot);
    job->archive_fd = end->archive_fd;
    if (end->imported == NULL && end->archive_fd < 0)
        stats_count_error(STAT_ERRORS_IMPORTS, end->err->code);
    job->done(job, end->imported, end->err);
    start_jobs(slot->pool);
}

int import_pool_submit(struct import_pool *pool, struct import_job *job, struct err *err)
{
    job->archive_fd = -1;
    if (job_queue_put(&pool->queue, &job->queued, err) < 0) {
        err_prefix(err, "%s", job->path);
        return err->code;
    }
    start_jobs(pool);
    make_capacity(pool);
    return 0;
}

bool import_pool_drop(struct import_pool *pool, struct import_job *job)
{
    if (!job->queued.is_queued) {
        make_capacity(pool);
        return false;
    }
    job_queue_remove(&pool->queue, &job->queued);
    stats_add(STAT_IMPORTS_CANCELLED, 1);
    return true;
}

void import_pool_free(struct import_pool *pool)
{
    if (pool == NULL)
        return;
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].run != NULL)
            import_run_abandon(pool->slots[i].run);
    fork_server_free(pool->fork_server);
    fork_server_free(pool->full_fork_server);
    worker_command_fini(&pool->command);
    worker_command_fini(&pool->full_command);
    free(pool);
}

int import_pool_importer_version(const struct config *config, char out[IMPORTER_VERSION_SIZE], struct err *err)
{
    enum { PATIENCE_MS = 50000 }; /* some milliseconds, unless the machine is busy */
    struct worker_command command;
    struct child child;
    worker_command_import(&command, config);
    worker_command_add(&command, "--version");
    int rc = child_run(command.args, command.env, PATIENCE_MS, &child);
    const char *version = strstr(child.output, " import ");
    version = version != NULL ? version + 1 : "";
    const size_t length = strcspn(version, "\n");
    if (rc != 0)
        rc = err_set(err, ERR_INTERNAL, "cannot start '%s': %s", command.args[0], uv_strerror(rc));
    else if (length == 0 || length >= IMPORTER_VERSION_SIZE || version[length] == '\0')
        rc = err_set(err, ERR_INTERNAL, "'%s --version' does not print a line with what its imports make",
                     command.args[0]);
    else
        snprintf(out, IMPORTER_VERSION_SIZE, "%.*s", (int)length, version);
    worker_command_fini(&command);
    return rc;
}
