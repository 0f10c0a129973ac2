/* service_find.c - the models that a call is about: its own, then those that its clips are from. */
#include "daemon/service/query_memo.h"
#include "daemon/service/service_parts.h"
#include "daemon/support/stats.h"

#include <string.h>

static void find_clips(struct job *job);

/* `hash`: the content that the request wants, or NULL. */
static bool is_wanted(struct job *job, const char *path, const struct baked *baked, const char *hash)
{
    if (hash == NULL || strcmp(hash, baked->hash) == 0)
        return true;
    struct err err;
    err_set(&err, ERR_HASH_MISMATCH, "%s: its content hash is %s, not %s", path, baked->hash, hash);
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
    if (is_wanted(job, request->model, job->baked, request->hash))
        find_clips(job);
}

static void on_model(struct cache_wait *wait, struct baked *baked, const struct err *err)
{
    struct job *job = (struct job *)((char *)wait - offsetof(struct job, wait));
    if (baked == NULL) {
        job_fail(job, err);
        return;
    }
    job->baked = baked_ref(baked);
    use_model(job);
}

/* The reference becomes the job's. False: it is not what is wanted, and the job is over. */
static bool take_clips(struct job *job, struct baked *baked)
{
    const struct request_source *source = &job->call->request.sources[job->clip_count];
    job->clips[job->clip_count] = baked;
    job->sources[job->clip_count++] = &baked->model;
    return is_wanted(job, source->path, baked, source->hash);
}

static void on_clips(struct cache_wait *wait, struct baked *baked, const struct err *err)
{
    struct job *job = (struct job *)((char *)wait - offsetof(struct job, wait));
    if (baked == NULL)
        job_fail(job, err);
    else if (take_clips(job, baked_ref(baked)))
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
        struct baked *baked = NULL;
        const int rc = cache_get(job->service->cache, request->sources[job->clip_count].path, &job->wait, &baked, &err);
        if (rc < 0)
            job_fail(job, &err);
        if (rc <= 0 || !take_clips(job, baked))
            return;
    }
    begin_answer(job);
}

/* The model as it is now and as the request wants it, without waiting; or NULL. */
static struct baked *glance(struct service *service, const struct request *request)
{
    struct baked *baked =
        service->is_ending ? NULL : cache_glance(service->cache, request->model, request_needs_pixels(request));
    return baked == NULL || request->hash == NULL || strcmp(request->hash, baked->hash) == 0 ? baked : NULL;
}

/* What takes neither a file nor a thread nor long, which is nearly everything, needs no job. */
static bool answer_now(struct service *service, struct call *call, struct reply *reply)
{
    const struct request *request = &call->request;
    if (op_is_picture(request->op) || request->source_count > 0)
        return false;
    struct baked *baked = glance(service, request);
    const struct evaluation evaluation = {.request = request, .baked = baked, .left = call->left};
    if (baked == NULL || !service_evaluate(service, &evaluation, call, reply))
        return false;
    stats_add(STAT_CACHE_HITS, 1);
    reply_end(reply, baked);
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
    job->wait = (struct cache_wait){.ready = on_model, .is_whole = request_needs_pixels(&call->request)};
    struct err err = {0};
    const int rc = cache_get(service->cache, call->request.model, &job->wait, &job->baked, &err);
    if (rc < 0)
        job_fail(job, &err);
    else if (rc > 0)
        use_model(job);
}

bool service_answer_query(struct service *service, struct query *query, const struct query_key *key,
                          struct reply *reply)
{
    struct baked *baked = glance(service, &query->request);
    if (baked == NULL || !evaluator_answer_query(&service->evaluator, query, key, baked, reply))
        return false;
    stats_add(STAT_CACHE_HITS, 1);
    reply_end(reply, baked);
    return true;
}
