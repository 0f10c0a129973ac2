/* service_work.c - evaluation: makes small answers immediately and large ones in a work thread, so that no request
 * delays the others for long. */
#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/service/job.h"

#include "wire/crowd/body_crowd.h"
#include "wire/request/crowd_request.h"
#include "wire/operations/reply_cursor.h"
#include "daemon/support/stats.h"
#include "daemon/threads/turn_clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WATCH_EVERY_MS = 50,
    NS_PER_MS = 1000000,
    PATIENCE = 3, /* multiple of the write timeout: by then clients have read their answers or were disconnected */
};

/* An answer that a work thread makes, as a whole or piece by piece while its client reads it, with its models. */
struct reply_stream {
    struct body_stream base;
    struct reply_cursor *cursor;
    uint32_t model_count;
    struct imported_model *models[1 + REQUEST_SOURCES_MAX]; /* references to the models of the job */
    const struct model *sources[REQUEST_SOURCES_MAX];
};

static int next_piece(struct body_stream *base, struct buf *out, struct err *err)
{
    return reply_cursor_next(container_of(base, struct reply_stream, base)->cursor, out, err);
}

/* A model that the cache has dropped stays in memory only for its remaining readers. */
static size_t held_bytes(const struct body_stream *base)
{
    const struct reply_stream *stream = container_of(base, struct reply_stream, base);
    size_t bytes = sizeof *stream + reply_cursor_held_bytes(stream->cursor);
    for (uint32_t i = 0; i < stream->model_count; i++)
        if (stream->models[i] != NULL && !stream->models[i]->is_cached)
            bytes += stream->models[i]->held_bytes / stream->models[i]->ref_count;
    return bytes;
}

static void free_stream(struct body_stream *base)
{
    struct reply_stream *stream = container_of(base, struct reply_stream, base);
    const struct entity_work *entities = reply_cursor_entities(stream->cursor);
    stats_add(STAT_POSES_COMPILED, entities->compiled_count);
    stats_add(STAT_POSES_CUBIC, entities->cubic_count);
    stats_add(STAT_POSES_EXACT, entities->exact_count);
    reply_cursor_free(stream->cursor);
    for (uint32_t i = 0; i < stream->model_count; i++)
        imported_model_unref(stream->models[i]);
    free(stream);
}

static struct reply_stream *new_stream(const struct job *job)
{
    struct reply_stream *stream = mem_zalloc(1, sizeof *stream);
    stream->base = (struct body_stream){.next = next_piece, .held_bytes = held_bytes, .free = free_stream};
    stream->cursor =
        reply_cursor_new(kernel_find(job->service->config->kernel),
                         retargeted_clip_cache_store(job->service->retargeted_clips), &stream->base.is_stopped);
    stream->model_count = job->model_count;
    for (uint32_t i = 0; i < job->model_count; i++)
        stream->models[i] = job->models[i] == NULL ? NULL : imported_model_ref(job->models[i]);
    memcpy(stream->sources, job->sources, sizeof stream->sources);
    return stream;
}

static void estimate(struct job *job)
{
    struct workspace workspace;
    workspace_init(&workspace);
    workspace.retargeted_clips = (struct retargeted_clip_access){
        .store = retargeted_clip_cache_store(job->service->retargeted_clips), .is_only_there = true};
    service_estimate_measure(job, &workspace, &job->estimated_bytes, &job->reply);
    workspace_fini(&workspace);
}

static void answer(struct job *job)
{
    const struct call *call = job->call;
    struct reply_stream *stream = job->stream;
    const struct limits *limits = call->left != NULL ? call->left : &job->service->config->limits;
    reply_cursor_use_pictures(stream->cursor, service_pictures_of(job));
    if (reply_cursor_start(stream->cursor, stream->models[0] == NULL ? NULL : &stream->models[0]->model,
                           stream->sources, job_evaluation(job).request, limits, call->pieces, &job->reply))
        job->reply.rest = &stream->base;
    job->cost = *reply_cursor_cost(stream->cursor);
}

static void on_work(struct work *work)
{
    struct job *job = work->data;
    job->thread = pthread_self();
    job->cpu_begin_ns = thread_cpu_ns();
    job->works = true;
    if (job->call->request.is_estimate)
        estimate(job);
    else
        answer(job);
    job->cpu_ns = thread_cpu_ns() - job->cpu_begin_ns;
}

static void start_queued(struct service *service);

static void on_made(struct work *work, int status)
{
    struct job *job = work->data;
    struct service *service = job->service;
    const bool is_estimate = job->call->request.is_estimate;
    if (job->reply.rest == NULL)
        free_stream(&job->stream->base);
    job->stream = NULL;
    job->call->cpu_ns += job->cpu_ns;
    if (!is_estimate)
        service_learn_answer(job);
    service->work_capacity_bytes -= job->capacity_bytes;
    service->work_ended_ns = uv_hrtime();
    stats_set(STAT_ANSWERS_RUNNING, --service->work_count);
    stats_add(STAT_ANSWERS_CANCELLED, job->is_stopped);
    if (!service->is_ending) /* retargeted clips may have displaced models */
        cache_evict_to_fit(service->cache);
    if (status != 0 || job->is_stopped) {
        struct err err;
        service_refuse_late(&err);
        job_fail(job, &err);
    } else if (job->is_out_of_cpu) {
        struct err err;
        err_set(&err, ERR_BATCH_CPU, "the request took more processor time than %s ms: ask for less",
                LIMIT_TEXT(&service->config->limits, LIMIT_BATCH_CPU_MS));
        job_fail(job, &err);
    } else if (is_estimate && job->reply.code == 0) {
        service_estimate_finish(job, job->estimated_bytes);
    } else {
        const struct evaluation evaluation = job_evaluation(job);
        struct reply reply = job->reply;
        reply_init(&job->reply);
        evaluation_finish(&evaluation, &job->cost, &reply);
        job_finish(job, &reply);
    }
    start_queued(service); /* the answer is counted as what the client has to read, or as a part of its batch */
    if (service->is_ending)
        service_release(service);
}

static void start_work(struct job *job)
{
    job->stream = new_stream(job);
    job->work.data = job;
    job->service->work_capacity_bytes += job->capacity_bytes;
    job->call->has_capacity = job->call->left != NULL;
    job_leave_queue(job, uv_hrtime());
    job_enter(job, JOB_WORKS);
    stats_add(STAT_ANSWERS_STARTED, 1);
    stats_set(STAT_ANSWERS_RUNNING, ++job->service->work_count);
    work_start(job->service->loop, WORK_COMPUTES, &job->work, on_work, on_made);
}

/* Returns the next job that waits for a work thread, or NULL. */
static struct job *first_queued(const struct service *service)
{
    return service->work_queue.first != NULL ? container_of(service->work_queue.first, struct job, queued) : NULL;
}

/* Refuses waiting answers. Clients that did not read their last answer have been disconnected by now. The remaining
 * memory may hold the requests of the waiting clients themselves, so further waiting would not help. */
static void refuse_late(struct service *service)
{
    const uint64_t patience_ms = PATIENCE * service->config->limits.value[LIMIT_WRITE_TIME_MS];
    const uint64_t patience_ns = patience_ms * 1000000, end_ns = uv_hrtime();
    for (struct job *job; (job = first_queued(service)) != NULL && service->work_count == 0 &&
                          end_ns - job->waits_ns >= patience_ns && end_ns - service->work_ended_ns >= patience_ns;) {
        struct err err;
        job_queue_remove(&service->work_queue, &job->queued);
        job_leave_queue(job, end_ns);
        stats_add(STAT_ANSWERS_REFUSED, 1);
        err_set(&err, ERR_OVERLOADED, "there was no room for a large answer for %llu ms; try again later",
                (unsigned long long)patience_ms);
        job_fail(job, &err);
        start_queued(service);
    }
}

void service_answer_resume(struct service *service)
{
    if (service->work_queue.first == NULL)
        return;
    start_queued(service);
    refuse_late(service);
}

void service_answer_dequeue(struct job *job)
{
    job_queue_remove(&job->service->work_queue, &job->queued);
    stats_add(STAT_ANSWERS_CANCELLED, 1);
}

/* Reserves the maximum size of an answer, or at least one frame for an answer in pieces. A batch reserves its answer
 * with its first large query: if each query did, batches would wait for the memory of each other's parts. */
static uint64_t capacity_bytes(const struct job *job)
{
    enum { JOINT_JSON_BYTES = 512, PIECES = 4, JSON_FACTOR = 5, COUNTED_ENTITIES = 32768 };
    const struct model *model = job->models[0] == NULL ? NULL : &job->models[0]->model;
    const struct request *request = &job->call->request;
    const uint64_t most = job->service->config->limits.value[LIMIT_ANSWER_BYTES];
    if (job->call->left != NULL)
        return job->call->has_capacity ? 0 : most;
    if (OP_INFO[request->op].form == FORM_CROWD && request->crowd->entity_count > COUNTED_ENTITIES)
        return most; /* computing the size would block the loop */
    if (OP_INFO[request->op].form == FORM_CROWD) {
        const uint64_t crowd_bytes =
            crowd_size_of(request, model, job->sources).bytes * (request->format == FORMAT_JSON ? JSON_FACTOR : 1);
        return crowd_bytes < most ? crowd_bytes : most;
    }
    const bool is_of_frames = OPERATIONS[request->op].frames != NULL && OP_INFO[request->op].form == FORM_FRAMES &&
                              (request->what & WHAT_MATERIALS) == 0; /* which are not made in pieces */
    const uint64_t frame_things = (uint64_t)request->skin_count * model->joint_count +
                                  (uint64_t)request->pose.joint_count * model->node_count + model->joint_count +
                                  model->node_count;
    const uint64_t bytes = REPLY_WHOLE_BYTES + PIECES * REPLY_PIECE_BYTES + frame_things * JOINT_JSON_BYTES;
    return is_of_frames && job->call->pieces == REPLY_CHUNKED && bytes < most ? bytes : most;
}

static bool has_capacity(const struct service *service, const struct job *job)
{
    return budget_has_capacity(service->budget, service->work_capacity_bytes + job->capacity_bytes);
}

/* Returns the next job that may start, or NULL. Queries of batches that have their capacity overtake the first job if
 * it has to wait for capacity, which they free in the end. */
static struct job *next_job(const struct service *service)
{
    struct job *first = first_queued(service);
    if (first == NULL || has_capacity(service, first))
        return first;
    for (struct job_queue_entry *entry = service->work_queue.first; entry != NULL; entry = entry->next)
        if (container_of(entry, struct job, queued)->call->has_capacity)
            return container_of(entry, struct job, queued);
    return NULL;
}

static void start_queued(struct service *service)
{
    for (struct job *job;
         !service->is_ending && service->work_count < SERVICE_WORK_MAX && (job = next_job(service)) != NULL;) {
        job_queue_start(&service->work_queue, &job->queued);
        start_work(job);
    }
}

void service_answer_queue(struct job *job)
{
    struct service *service = job->service;
    struct err err;
    if (job_queue_put(&service->work_queue, &job->queued, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    job_enter(job, JOB_QUEUES);
    job->capacity_bytes = capacity_bytes(job);
    start_queued(service);
}

void service_answer_estimate(struct job *job) { service_answer_queue(job); }

/* Returns the processor time of the job so far; called from another thread than its own. */
static uint64_t cpu_so_far_ns(const struct job *job)
{
    struct timespec now;
    clockid_t clock;
    if (pthread_getcpuclockid(job->thread, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - job->cpu_begin_ns;
}

/* The cost of these is only known while they run; other answers are estimated beforehand (LIMIT_EVALUATIONS). */
void service_answer_watch(struct service *service)
{
    const uint64_t now_ms = uv_now(service->loop), most_ms = service->config->limits.value[LIMIT_BATCH_CPU_MS];
    if (service->work_count == 0 || now_ms - service->watched_ms < WATCH_EVERY_MS)
        return;
    service->watched_ms = now_ms;
    for (struct job *job = service->jobs; job != NULL; job = job->next) {
        const enum op op = job->call->request.op;
        if (job->stage != JOB_WORKS || job->stream == NULL || !job->works || !op_has(op, OP_ENTITIES) ||
            cpu_so_far_ns(job) / NS_PER_MS < most_ms)
            continue;
        job->is_out_of_cpu = true;
        job->stream->base.is_stopped = true;
    }
}

void service_answer(struct job *job)
{
    struct call *call = job->call;
    const struct evaluation evaluation = job_evaluation(job);
    struct reply reply;
    reply_init(&reply);
    const uint64_t begin_ns = call->left != NULL ? thread_cpu_ns() : 0; /* a system call */
    const bool is_answered = evaluator_answer(&job->service->evaluator, &evaluation, &call->spent_ns, &reply);
    if (call->left != NULL)
        call->cpu_ns += thread_cpu_ns() - begin_ns;
    if (is_answered)
        job_finish(job, &reply);
    else if (!service_pictures_read(job))
        service_answer_queue(job);
}

void service_answer_stop(struct job *job)
{
    job->is_stopped = true;
    if (job->stream != NULL) /* otherwise it is a listing */
        job->stream->base.is_stopped = true;
    work_cancel(&job->work);
}
