#include "daemon/service/service.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/service/job.h"

#include <string.h>
#include <unistd.h>
#include <utlist.h>

/* --- calls --- */

void service_handle(struct service *service, struct call *call)
{
    const struct handler *handler = HANDLERS[call->request.op];
    struct err err;
    struct reply reply;
    call->waiting = NULL;
    reply_init(&reply);
    cache_next_tick(service->cache); /* the files may have changed since an earlier call of this iteration */
    if (handler->tell == NULL && !service->is_ending) {
        handler->begin(service, call);
        return;
    }
    if (service->is_ending) {
        service_refuse_late(&err);
        reply_error(&reply, &err, NULL, 0);
    } else {
        handler->tell(service, &call->request, &reply);
    }
    call->done(call, &reply);
}

void service_cancel(struct call *call)
{
    call->is_abandoned = true;
    HANDLERS[call->request.op]->cancel(call);
}

struct retargeted_clip_store *service_retargeted_clips(const struct service *service)
{
    return retargeted_clip_cache_store(service->retargeted_clips);
}
struct cache *service_cache(struct service *service) { return service->cache; }
void service_use_access(struct service *service, const struct access *access) { service->access = access; }
uint32_t service_pending(const struct service *service) { return service->call_count; }
void service_leave(struct service *service) { service->is_leaving = true; }
void service_drain(struct service *service) { service->is_draining = true; }

/* --- life --- */

enum { RETARGETED_SHARE = 8 }; /* divisor: the part of --cache-bytes for clips of other files */

static void on_tick(uv_prepare_t *tick)
{
    struct service *service = tick->data;
    cache_next_tick(service->cache);
    service_answer_watch(service);
    service_answer_resume(service); /* clients may have read answers, which frees memory */
    render_pool_resume(service->renders);
    service_list_offline(service);
    service_pictures_offline(service);
    if (service->call_count == 0)
        uv_prepare_stop(tick);
}

/* Returns NULL without a disk cache. If one was configured, *err and the log say why it is missing. */
static struct disk_cache *open_disk(const struct config *config, struct err *err)
{
    char importer[IMPORTER_VERSION_SIZE];
    struct disk_cache *disk = NULL;
    *err = (struct err){0};
    if (strcmp(config->cache_dir, "none") == 0)
        return NULL;
    if (import_pool_importer_version(config, importer, err) < 0 || disk_cache_open(config, importer, &disk, err) < 0)
        log_warn("no disk cache: %s", err->message);
    else if (disk_cache_is_read_only(disk))
        log_info("disk cache in %s, which is root's: it is only read", config->cache_dir);
    else
        log_info("disk cache in %s, at most %llu MiB", config->cache_dir,
                 (unsigned long long)(disk_cache_limit(disk) >> 20));
    return disk;
}

static void init_queues(struct service *service)
{
    const struct limits *limits = &service->config->limits;
    service->work_queue = (struct job_queue){.limits = limits,
                                             .limit = LIMIT_ANSWER_QUEUE,
                                             .waiting = STAT_ANSWERS_WAITING,
                                             .refused = STAT_ANSWERS_REFUSED,
                                             .wait = METRIC_QUEUE_ANSWERS,
                                             .what = "large answers"};
    service->picture_queue = (struct job_queue){.limits = limits,
                                                .limit = LIMIT_ANSWER_QUEUE,
                                                .waiting = STAT_COUNT,
                                                .refused = STAT_COUNT,
                                                .wait = METRIC_QUEUE_ANSWERS,
                                                .what = "answers with textures"};
    service->list_queue = (struct job_queue){.limits = limits,
                                             .limit = LIMIT_LIST_QUEUE,
                                             .waiting = STAT_COUNT,
                                             .refused = STAT_COUNT,
                                             .wait = METRIC_QUEUE_LISTINGS,
                                             .what = "listings"};
    service->environment_queue = (struct job_queue){.limits = limits,
                                                    .limit = LIMIT_ANSWER_QUEUE,
                                                    .waiting = STAT_COUNT,
                                                    .refused = STAT_COUNT,
                                                    .wait = METRIC_QUEUE_ENVIRONMENTS,
                                                    .what = "environments"};
}

int service_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct service **out,
                struct err *err)
{
    *out = NULL;
    const int root_fd = root_open(config->root, err);
    if (root_fd < 0)
        return root_fd;
    struct import_pool *imports = import_pool_new(loop, config, root_fd);
    struct uploads *uploads;
    if (uploads_new(loop, config, imports, &uploads, err) < 0) {
        import_pool_free(imports);
        close(root_fd);
        return err->code;
    }
    struct service *service = mem_zalloc(1, sizeof *service);
    service->loop = loop;
    service->config = config;
    service->budget = budget;
    service->root_fd = root_fd;
    service->imports = imports;
    service->uploads = uploads;
    service->retargeted_clips = retargeted_clip_cache_new(config->cache_bytes / RETARGETED_SHARE);
    service->cache = cache_new(loop, config, imports, root_fd, open_disk(config, &service->disk_failure));
    cache_share_capacity(service->cache, service->retargeted_clips);
    service->root_probe = root_probe_new(loop, config->root);
    service->renders = render_pool_new(loop, config, budget);
    init_queues(service);
    evaluator_init(&service->evaluator, config, budget, retargeted_clip_cache_store(service->retargeted_clips));
    service->tick.data = service;
    service->on_tick = on_tick;
    uv_prepare_init(loop, &service->tick);
    uv_unref((uv_handle_t *)&service->tick);
    service_list_begin(service);
    *out = service;
    return 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct service *service = handle->data;
    service->is_closed = true;
    service_release(service);
}

static void on_lists_closed(uv_handle_t *rest)
{
    struct service *service = container_of((uv_idle_t *)rest, struct service, list_answers.rest);
    uv_close((uv_handle_t *)&service->tick, on_closed);
}

static struct job *find_without_work(const struct service *service)
{
    struct job *job;
    DL_FOREACH(service->jobs, job)
    if (job->stage != JOB_WORKS && job->stage != JOB_READS)
        return job;
    return NULL;
}

void service_free(struct service *service)
{
    if (service == NULL)
        return;
    service->is_ending = true;
    import_pool_free(service->imports);
    render_pool_free(service->renders);
    uploads_free(service->uploads);
    root_probe_free(service->root_probe);
    cache_free(service->cache);
    struct err err;
    service_refuse_late(&err);
    for (struct job *job; (job = find_without_work(service)) != NULL;)
        job_fail(job, &err);
    service_batch_end(service);
    struct job *job;
    DL_FOREACH(service->jobs, job)
    service_answer_stop(job); /* a work thread may be reading the request, so the job ends when the thread is done */
    uv_prepare_stop(&service->tick); /* its callback uses the cache, which is already freed */
    service_list_end(service, on_lists_closed);
}
