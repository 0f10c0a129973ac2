/* service_answer.c - evaluation: small answers at once, large ones in a work thread, so that no request makes the
 * others wait long. */
#include "service_parts.h"

#include "../base/mem.h"
#include "../wire/http_response.h"
#include "background.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Rough costs, to tell microseconds from milliseconds: sampling, multiplying and printing one node or joint; moving
 * and printing one vertex. */
enum { COST_NODE_NS = 300, COST_VERTEX_NS = 100, COST_INLINE_NS = 2000000 };
/* Finding the partner of a node in another file, and what else that takes of its size. */
enum { COST_PARTNER_NS = 500, COPIED_BYTES_PER_NS = 4 };
enum { COST_CLIP_POSES = 1000 }; /* of a whole clip: keys are not counted to find out */
/* libuv has four work threads: some stay for imports and listings. */
enum { WORK_MAX = 2, WORK_QUEUE_MAX = 64 };

/* A mesh counts once for every node that uses it. */
static double drawn_vertices(const struct model *model)
{
    double vertices = 0;
    for (uint32_t d = 0; d < model->draw_count; d++)
        vertices += model->primitives[model->draws[d].primitive].vertex_count;
    return vertices;
}

static double cost_ns(const struct model *model, const struct model *clips, const struct request *request)
{
    double frame_ns = ((double)model->node_count + model->joint_count) * COST_NODE_NS;
    if (request->op == OP_MESH || request->op == OP_BOUNDS)
        frame_ns += drawn_vertices(model) * COST_VERTEX_NS;
    double once_ns = 0;
    if (clips != NULL)
        once_ns = ((double)model->node_count + clips->node_count) * COST_PARTNER_NS +
                  ((double)model->text_byte_count + clips->channel_count) / COPIED_BYTES_PER_NS;
    if (request->is_over_clip)
        return once_ns + frame_ns * COST_CLIP_POSES;
    const double frames = request->op == OP_MODEL || request->time_count == 0 ? 1 : request->time_count;
    return once_ns + frames * frame_ns * (request->layer_count > 0 ? 2 * request->layer_count : 1);
}

static const struct model *clips_of(const struct job *job) { return job->clips != NULL ? &job->clips->model : NULL; }

static void make(const struct job *job, struct answer *answer, struct reply *reply)
{
    const struct limits *left = job->call->left;
    answer_make_with(answer, &job->baked->model, clips_of(job), &job->call->request,
                     left != NULL ? left : &job->service->config->limits, reply);
}

/* Takes from what the other queries of a batch may cost. */
static void spend(struct job *job)
{
    if (job->call->left == NULL)
        return;
    uint64_t *left = &job->call->left->value[LIMIT_EVALUATIONS];
    const uint64_t evaluations = answer_evaluations(&job->baked->model, &job->call->request);
    *left -= evaluations < *left ? evaluations : *left;
}

/* The answer is made; the headers are not. */
static void finish(struct job *job, struct reply *reply)
{
    if (reply->code == 0)
        spend(job);
    if (reply->code == 0 && job_is_not_modified(job, reply))
        buf_clear(&reply->body);
    job_finish(job, reply);
}

static void on_work(uv_work_t *work)
{
    struct job *job = work->data;
    background_thread();
    make(job, job->answer, &job->reply);
}

static void start_queued(struct service *service);

static void on_made(uv_work_t *work, int status)
{
    struct job *job = work->data;
    struct service *service = job->service;
    answer_fini(job->answer);
    free(job->answer);
    job->answer = NULL;
    service->work_count--;
    start_queued(service);
    if (status != 0) {
        struct err err;
        err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping");
        job_fail(job, &err);
    } else {
        struct reply reply = job->reply;
        reply_init(&job->reply);
        finish(job, &reply);
    }
    if (service->is_ending)
        service_release(service);
}

static void start_work(struct job *job)
{
    job->answer = mem_zalloc(1, sizeof *job->answer);
    answer_init(job->answer);
    job->work.data = job;
    job->service->work_count++;
    uv_queue_work(job->service->loop, &job->work, on_work, on_made);
}

static void start_queued(struct service *service)
{
    while (!service->is_ending && service->work_count < WORK_MAX && service->work_queue != NULL) {
        struct job *job = service->work_queue;
        DL_DELETE2(service->work_queue, job, work_prev, work_next);
        service->work_queue_count--;
        if (!job->call->is_abandoned) {
            start_work(job);
            continue;
        }
        struct err err;
        err_set(&err, ERR_REQUEST_TIMEOUT, "nobody waits for the answer any more");
        job_fail(job, &err);
    }
}

static void queue_work(struct job *job)
{
    struct service *service = job->service;
    if (service->work_queue_count >= WORK_QUEUE_MAX) {
        struct err err;
        err_set(&err, ERR_OVERLOADED, "%d large answers already wait to be made; try again later", WORK_QUEUE_MAX);
        job_fail(job, &err);
        return;
    }
    DL_APPEND2(service->work_queue, job, work_prev, work_next);
    service->work_queue_count++;
    start_queued(service);
}

void service_answer(struct job *job)
{
    const struct request *request = &job->call->request;
    const double cost = cost_ns(&job->baked->model, clips_of(job), request);
    struct reply reply;
    reply_init(&reply);
    /* "*" matches whatever exists, and whether the clip does is found out on the way */
    const bool is_any = request->if_none_match != NULL && strchr(request->if_none_match, '*') != NULL;
    if (!is_any && job_is_not_modified(job, &reply)) {
        job_finish(job, &reply);
    } else if (job->call->spent_ns + cost > COST_INLINE_NS) {
        queue_work(job);
    } else {
        job->call->spent_ns += cost;
        make(job, &job->service->answer, &reply);
        finish(job, &reply);
    }
}

void service_answer_cancel(struct job *job) { uv_cancel((uv_req_t *)&job->work); }
