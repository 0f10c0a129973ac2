/* service_find.c - the models that a call is about: its own, then those that its clips are from. */
#include "daemon/service/prepared_queries.h"

#include "base/container_of.h"
#include "daemon/service/job.h"
#include "daemon/support/stats.h"

#include <string.h>

static void find_clips(struct job *job);

/* `hash`: the content that the request wants, or NULL. */
static bool is_wanted(struct job *job, const char *path, const struct imported_model *imported, const char *hash)
{
    if (hash == NULL || strcmp(hash, imported->hash) == 0)
        return true;
    struct err err;
    err_set(&err, ERR_HASH_MISMATCH, "%s: its content hash is %s, not %s", path, imported->hash, hash);
    job_fail(job, &err);
    return false;
}

static void begin_answer(struct job *job)
{
    if (op_is_picture(job->call->request.op))
        service_render(job);
    else
        service_answer(job);
}

/* The model is there. */
static void use_model(struct job *job)
{
    const struct request *request = &job->call->request;
    if (is_wanted(job, request->model, job->imported, request->hash))
        find_clips(job);
}

static void on_model(struct cache_waiter *wait, struct imported_model *imported, const struct err *err)
{
    struct job *job = container_of(wait, struct job, wait);
    if (imported == NULL) {
        job_fail(job, err);
        return;
    }
    job->imported = imported_model_ref(imported);
    use_model(job);
}

/* The reference becomes the job's. False: it is not what is wanted, and the job is over. */
static bool take_clips(struct job *job, struct imported_model *imported)
{
    const struct request_source *source = &job->call->request.sources[job->clip_count];
    job->clips[job->clip_count] = imported;
    job->sources[job->clip_count++] = &imported->model;
    return is_wanted(job, source->path, imported, source->hash);
}

static void on_clips(struct cache_waiter *wait, struct imported_model *imported, const struct err *err)
{
    struct job *job = container_of(wait, struct job, wait);
    if (imported == NULL)
        job_fail(job, err);
    else if (take_clips(job, imported_model_ref(imported)))
        find_clips(job);
}

/* One file after the other; most requests have none. */
static void find_clips(struct job *job)
{
    const struct request *request = &job->call->request;
    job->wait.ready = on_clips;
    job->wait.is_whole = false; /* of the other files only clips are used */
    while (job->clip_count < request->source_count) {
        struct err err = {0};
        struct imported_model *imported = NULL;
        const int rc =
            cache_get(job->service->cache, request->sources[job->clip_count].path, &job->wait, &imported, &err);
        if (rc < 0)
            job_fail(job, &err);
        if (rc <= 0 || !take_clips(job, imported))
            return;
    }
    begin_answer(job);
}

/* The model as it is now and as the request wants it, without waiting; or NULL. */
static struct imported_model *glance(struct service *service, const struct request *request)
{
    struct imported_model *imported =
        service->is_ending ? NULL : cache_peek(service->cache, request->model, request_needs_pixels(request));
    return imported == NULL || request->hash == NULL || strcmp(request->hash, imported->hash) == 0 ? imported : NULL;
}

/* What takes neither a file nor a thread nor long, which is nearly everything, needs no job. */
static bool answer_now(struct service *service, struct call *call, struct reply *reply)
{
    const struct request *request = &call->request;
    if (op_is_picture(request->op) || request->source_count > 0)
        return false;
    struct imported_model *imported = glance(service, request);
    const struct evaluation evaluation = {.request = request, .imported = imported, .left = call->left};
    if (imported == NULL || !service_evaluate(service, &evaluation, call, reply))
        return false;
    stats_add(STAT_CACHE_HITS, 1);
    evaluation_end_reply(reply, imported);
    return true;
}

void service_find_model(struct service *service, struct call *call)
{
    struct reply reply;
    reply_init(&reply);
    if (answer_now(service, call, &reply)) {
        call->done(call, &reply);
        return;
    }
    struct job *job = job_start(service, call);
    job->wait = (struct cache_waiter){.ready = on_model, .is_whole = request_needs_pixels(&call->request)};
    struct err err = {0};
    const int rc = cache_get(service->cache, call->request.model, &job->wait, &job->imported, &err);
    if (rc < 0)
        job_fail(job, &err);
    else if (rc > 0)
        use_model(job);
}

bool service_answer_query(struct service *service, struct prepared_query *query, const struct query_key *key,
                          struct reply *reply)
{
    struct imported_model *imported = glance(service, &query->request);
    if (imported == NULL || !evaluator_answer_query(&service->evaluator, query, key, imported, reply))
        return false;
    stats_add(STAT_CACHE_HITS, 1);
    evaluation_end_reply(reply, imported);
    return true;
}
