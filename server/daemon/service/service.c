#include "daemon/service/service.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/service/job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

/* --- jobs --- */

struct job *job_start(struct service *service, struct call *call)
{
    struct job *job = mem_zalloc(1, sizeof *job);
    job->service = service;
    job->call = call;
    reply_init(&job->reply);
    call->waiting = job;
    DL_APPEND(service->jobs, job);
    service->job_count++;
    return job;
}

void job_finish(struct job *job, struct reply *reply)
{
    struct call *call = job->call;
    DL_DELETE(job->service->jobs, job);
    job->service->job_count--;
    call->waiting = NULL;
    evaluation_end_reply(reply, job->imported);
    imported_model_unref(job->imported);
    for (uint32_t i = 0; i < job->clip_count; i++)
        imported_model_unref(job->clips[i]);
    free(job->blend);
    if (job->plan != NULL)
        sheet_plan_fini(job->plan);
    free(job->plan);
    reply_fini(&job->reply);
    free(job);
    call->done(call, reply);
}

void job_fail(struct job *job, const struct err *err)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    job_finish(job, &reply);
}

bool job_is_not_modified(const struct job *job, struct reply *reply)
{
    const struct evaluation evaluation = {
        .request = &job->call->request, .imported = job->imported, .clips = job->clips, .clip_count = job->clip_count};
    return evaluation_is_not_modified(&evaluation, render_pool_renderer(job->service->renders), reply);
}

void job_put_notes(const struct job *job, struct reply *reply)
{
    reply->warning_count = reply_count_warnings(&job->imported->model, job->sources, job->clip_count);
}

/* --- the list of models --- */

static void on_listed(struct listing_job *listing, struct reply *reply)
{
    job_finish(container_of(listing, struct job, listing), reply);
}

static void list_models(struct service *service, struct call *call)
{
    struct job *job = job_start(service, call);
    job->stage = JOB_LISTS;
    job->listing = (struct listing_job){
        .request = &call->request,
        .done = on_listed,
    };
    struct err err;
    if (listing_submit(service->listing, &job->listing, &err) < 0)
        job_fail(job, &err);
}

/* --- calls --- */

void service_handle(struct service *service, struct call *call)
{
    struct reply reply;
    call->waiting = NULL;
    reply_init(&reply);
    if (service_info(service, call->request.op, &reply)) {
        call->done(call, &reply);
        return;
    }
    switch (call->request.op) {
    case OP_MODELS:
        list_models(service, call);
        break;
    case OP_QUERY:
        service_batch(service, call);
        break;
    case OP_FILE:
        service_file(service, call);
        break;
    default:
        service_find_model(service, call);
        break;
    }
}

void service_cancel(struct service *service, struct call *call)
{
    if (call->request.op == OP_QUERY) {
        service_batch_cancel(service, call);
        return;
    }
    struct job *job = call->waiting;
    call->is_abandoned = true;
    if (call->request.op == OP_FILE)
        return; /* what is whole is stored */
    switch (job->stage) {
    case JOB_FINDS_MODEL:
        cache_cancel(&job->wait);
        break;
    case JOB_LISTS:
        if (!listing_cancel(service->listing, &job->listing))
            return;
        break;
    case JOB_QUEUES:
        service_answer_dequeue(job);
        break;
    case JOB_WORKS:
        service_answer_stop(job);
        return;
    case JOB_DRAWS:
        render_pool_cancel(service->renders, &job->render);
        break;
    }
    struct err err;
    err_set(&err, ERR_REQUEST_TIMEOUT, "nobody waits for the answer any more");
    job_fail(job, &err);
}

void service_listen(struct service *service, struct cache_listener *listener)
{
    cache_listen(service->cache, listener);
}

struct shared_model *service_share(struct service *service, const char *path)
{
    return cache_share(service->cache, path);
}

void service_set_holder(struct service *service, struct cache_holder *borrower)
{
    cache_set_holder(service->cache, borrower);
}

uint32_t service_pending(const struct service *service) { return service->job_count; }
void service_drain(struct service *service) { service->is_draining = true; }

/* --- life --- */

static void on_turn(uv_prepare_t *turn)
{
    struct service *service = turn->data;
    cache_next_tick(service->cache);
    service_answer_resume(service); /* clients may have read what took the room */
    render_pool_resume(service->renders);
}

/* NULL: there is none, and where that was not asked for the log says why. */
static struct disk_cache *open_disk(const struct config *config)
{
    char importer[IMPORTER_VERSION_SIZE];
    struct disk_cache *disk = NULL;
    struct err err;
    if (strcmp(config->cache_dir, "none") == 0)
        return NULL;
    if (import_pool_importer_version(config, importer, &err) < 0 || disk_cache_open(config, importer, &disk, &err) < 0)
        log_warn("no disk cache: %s", err.message);
    else
        log_info("disk cache in %s, at most %llu MiB", config->cache_dir,
                 (unsigned long long)(disk_cache_limit(disk) >> 20));
    return disk;
}

int service_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct service **out,
                struct err *err)
{
    *out = NULL;
    const int root_fd = root_open(config->root, err);
    if (root_fd < 0)
        return root_fd;
    struct uploads *uploads;
    if (uploads_new(loop, config, &uploads, err) < 0) {
        close(root_fd);
        return err->code;
    }
    struct service *service = mem_zalloc(1, sizeof *service);
    service->loop = loop;
    service->config = config;
    service->budget = budget;
    service->root_fd = root_fd;
    service->imports = import_pool_new(loop, config, root_fd);
    service->uploads = uploads;
    uploads_use(uploads, service->imports);
    service->cache = cache_new(loop, config, service->imports, root_fd, open_disk(config));
    service->listing = listing_new(loop, config, service->cache, root_fd);
    service->renders = render_pool_new(loop, config, budget);
    service->work_queue = (struct job_queue){.limits = &config->limits,
                                             .limit = LIMIT_ANSWER_QUEUE,
                                             .waiting = STAT_ANSWERS_WAITING,
                                             .refused = STAT_ANSWERS_REFUSED,
                                             .what = "large answers"};
    evaluator_init(&service->evaluator, config, budget);
    service->turn.data = service;
    uv_prepare_init(loop, &service->turn);
    uv_prepare_start(&service->turn, on_turn);
    uv_unref((uv_handle_t *)&service->turn);
    *out = service;
    return 0;
}

void service_release(struct service *service)
{
    if (!service->is_closed || service->work_count > 0 || service->file_count > 0)
        return;
    evaluator_fini(&service->evaluator);
    close(service->root_fd);
    free(service);
}

static void on_closed(uv_handle_t *handle)
{
    struct service *service = handle->data;
    service->is_closed = true;
    service_release(service);
}

static struct job *find_without_work(const struct service *service)
{
    struct job *job;
    DL_FOREACH(service->jobs, job)
    if (job->source == NULL)
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
    listing_free(service->listing);
    uploads_free(service->uploads);
    cache_free(service->cache);
    struct err err;
    err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping");
    for (struct job *job; (job = find_without_work(service)) != NULL;)
        job_fail(job, &err);
    service_batch_end(service);
    struct job *job;
    DL_FOREACH(service->jobs, job)
    service_answer_stop(job); /* a work thread may be reading the request: it is answered afterwards */
    uv_prepare_stop(&service->turn);
    uv_close((uv_handle_t *)&service->turn, on_closed);
}
