/* service_find.c - gets the models of a call from the cache: its own, then the clip files, then the environment of a
 * picture. */
#include "base/container_of.h"
#include "daemon/service/job.h"

#include <string.h>

/* Returns the file of the job's next model: a source of the request, or the environment after the sources. NULL stands
 * for the request's own model, which comes first. */
static const struct request_source *source_of(const struct job *job)
{
    const struct request *request = &job->call->request;
    return job->model_count == 0                       ? NULL
           : job->model_count <= request->source_count ? &request->sources[job->model_count - 1]
                                                       : &job->environment;
}

/* Moves the reference to the job. False: the content does not match the requested hash, and the job has ended. */
static bool take_model(struct job *job, struct imported_model *imported)
{
    const struct request *request = &job->call->request;
    const struct request_source *source = source_of(job);
    const char *hash = source != NULL ? source->hash : request->hash;
    if (job->model_count > 0)
        job->sources[job->model_count - 1] = &imported->model;
    job->models[job->model_count++] = imported;
    if (hash == NULL && job->waiter.stale_s > job->stale_s) /* content requested by hash is never stale */
        job->stale_s = job->waiter.stale_s;
    if (hash == NULL || strcmp(hash, imported->hash) == 0)
        return true;
    struct err err;
    err_set(&err, ERR_HASH_MISMATCH, "%s: its content hash is %s, not %s",
            source != NULL ? source->path : request->model, imported->hash, hash);
    if (op_has(request->op, OP_ENTITY_ERRORS)) {
        request_miss_crowd_model(request, job->model_count - 1, &err);
        return true;
    }
    job_fail(job, &err);
    return false;
}

/* Records the origin of a model or an error. */
static void note_origin(const struct job *job)
{
    if (job->waiter.origin > job->call->origin)
        job->call->origin = job->waiter.origin;
}

/* Continues a crowd without one of its models: only the entities that need it fail. False: the request is not a crowd.
 */
static bool go_without(struct job *job, const struct err *err)
{
    const struct request *request = &job->call->request;
    if (!op_has(request->op, OP_ENTITY_ERRORS))
        return false;
    request_miss_crowd_model(request, job->model_count, err);
    job->model_count++;
    return true;
}

static void find_models(struct job *job);

static void on_ready(struct cache_waiter *waiter, struct imported_model *imported, const struct err *err)
{
    struct job *job = container_of(waiter, struct job, waiter);
    job_leave_queue(job, waiter->waited_to_ns);
    if (imported != NULL && waiter->origin == MODEL_IMPORTED && waiter->waited_to_ns > 0)
        service_learn_import(job->service, uv_hrtime() - waiter->waited_to_ns);
    /* An error without an import comes from the file: no model came from memory. */
    if (imported != NULL || waiter->origin != MODEL_IN_MEMORY)
        note_origin(job);
    if (imported != NULL ? take_model(job, imported_model_ref(imported)) : go_without(job, err))
        find_models(job);
    else if (imported == NULL)
        job_fail(job, err);
}

/* Gets one model after the other; most requests need one. */
static void find_models(struct job *job)
{
    const struct request *request = &job->call->request;
    const bool is_lit = op_has(request->op, OP_PICTURE) && request->environment != NULL;
    const uint32_t count = request->model == NULL ? 0 : 1 + request->source_count + is_lit;
    job->environment = (struct request_source){.path = request->environment};
    while (job->model_count < count) {
        const struct request_source *source = source_of(job);
        const bool is_own = source == NULL; /* other files supply only clips, unless both are compared */
        const char *path = is_own ? request->model : source->path;
        struct err err = {0};
        struct imported_model *imported = NULL;
        job->waiter = (struct cache_waiter){
            .ready = on_ready,
            .is_whole = (is_own || source == &job->environment || op_has(request->op, OP_WHOLE_SOURCES)) &&
                        request_needs_pixels(request)};
        job_enter(job, JOB_FINDS_MODEL);
        const int rc = cache_get(job->service->cache, path, &job->waiter, &imported, &err);
        if (rc != 0)
            note_origin(job);
        if (rc < 0 && go_without(job, &err))
            continue;
        if (rc < 0)
            job_fail(job, &err);
        if (rc <= 0 || !take_model(job, imported))
            return;
    }
    HANDLERS[request->op]->answer(job);
}

void service_find_models(struct service *service, struct call *call)
{
    struct job *job = job_start(service, call);
    struct err err;
    if (op_has(call->request.op, OP_PICTURE) && service_check_renderers(service, &call->request, &err) < 0)
        job_fail(job, &err);
    else if (!call->request.is_estimate || !service_estimate_imports(job))
        find_models(job);
}

void service_find_cancel(struct call *call)
{
    struct job *job = call->waiting;
    struct service *service = job->service;
    switch (job->stage) {
    case JOB_FINDS_MODEL:
        cache_cancel(&job->waiter);
        break;
    case JOB_WAITS_FOR_FILES:
        job_queue_remove(&service->picture_queue, &job->queued);
        break;
    case JOB_READS:
        service_answer_stop(job);
        return;
    case JOB_QUEUES:
        service_answer_dequeue(job);
        break;
    case JOB_WORKS:
        service_answer_stop(job);
        return;
    case JOB_DRAWS:
        render_pool_cancel(service->renders, &job->picture->waiter);
        break;
    }
    job_fail_abandoned(job);
}
