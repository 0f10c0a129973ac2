/* service_answer.c - evaluation: small answers at once, large ones in a work thread, so that no request makes the
 * others wait long. */
#include "service_parts.h"

#include "../base/mem.h"
#include "../wire/http_response.h"
#include "background.h"
#include "stats.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Rough costs, to tell microseconds from milliseconds: sampling, multiplying and printing one node or joint (or any
 * other thing of a list); moving and printing one vertex; looking at one vertex, weight or morph delta; compressing
 * one byte of a texture. */
enum { COST_NODE_NS = 300, COST_VERTEX_NS = 100, COST_LOOK_NS = 2, COST_PIXEL_BYTE_NS = 10, COST_INLINE_NS = 2000000 };
/* Finding the partner of a node in another file, and what else that takes of its size. */
enum { COST_PARTNER_NS = 500, COPIED_BYTES_PER_NS = 4 };
enum { COST_CLIP_POSES = 1000 }; /* of a whole clip: keys are not counted to find out */
/* Most of the work threads (main.c) stay for files: imports, looks, listings, stores. */
enum { WORK_MAX = 2 };

/* Everything that /v1/model lists or adds up. */
static double list_cost_ns(const struct model *model)
{
    const double listed = (double)model->node_count + model->joint_count + model->skin_count + model->mesh_count +
                          model->primitive_count + model->clip_count + model->material_count + model->texture_count +
                          model->source_file_count + model->warning_count;
    return listed * COST_NODE_NS + ((double)model->position_count + model->channel_count) * COST_LOOK_NS;
}

/* A mesh counts for each node that draws it; stops counting when that is enough. */
static double draw_cost_ns(const struct model *model)
{
    double ns = (double)model->draw_count * COST_NODE_NS;
    for (uint32_t d = 0; d < model->draw_count && ns <= COST_INLINE_NS; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        ns += (double)p->vertex_count * (COST_VERTEX_NS + (double)p->morph_target_count * COST_LOOK_NS);
    }
    return ns;
}

/* Joints that are printed in each frame; a skin may be asked for many times. By name, any skin: the largest sum. */
static double joint_count(const struct model *model, const struct request *request)
{
    double count = request->skin_count == 0 ? model->joint_count : 0;
    for (uint32_t i = 0; i < request->skin_count; i++) {
        const struct selector *skin = &request->skins[i];
        const bool is_known = skin->kind == SELECT_INDEX && skin->index < model->skin_count;
        count += is_known ? model->skins[skin->index].joint_count : model->joint_count;
    }
    return count;
}

/* Nodes that are printed in each frame: all, or those asked for; a subtree may be all of them again. */
static double selected_count(const struct model *model, const struct request *request)
{
    double count = request->joint_count == 0 ? model->node_count : 0;
    for (uint32_t i = 0; i < request->joint_count; i++)
        count += request->joints[i].reach == BLEND_NODE ? 1 : model->node_count;
    return count;
}

static double frame_cost_ns(const struct model *model, const struct request *request)
{
    const double ns = (double)model->node_count * COST_NODE_NS + (double)model->weight_count * COST_LOOK_NS;
    switch (request->op) {
    case OP_PALETTE:
        return ns + joint_count(model, request) * COST_NODE_NS;
    case OP_POSE:
        return ns + selected_count(model, request) * COST_NODE_NS;
    default:
        return ns + (double)model->joint_count * COST_NODE_NS + draw_cost_ns(model);
    }
}

/* Each name is looked for in the whole list. */
static double lookup_cost_ns(const struct model *model, const struct request *request)
{
    return ((double)request->joint_count * model->node_count + (double)request->skin_count * model->skin_count) *
           COST_LOOK_NS;
}

/* Playing the clips of another file. */
static double partner_cost_ns(const struct model *model, const struct model *clips)
{
    return ((double)model->node_count + clips->node_count) * COST_PARTNER_NS +
           ((double)model->text_byte_count + clips->channel_count) / COPIED_BYTES_PER_NS;
}

static double cost_ns(const struct model *model, const struct model *const *sources, const struct request *request)
{
    if (request->op == OP_OPEN)
        return 0;
    if (request->op == OP_FIND)
        return (double)model->node_count * COST_LOOK_NS + (double)model->joint_count * COST_LOOK_NS;
    if (request->op == OP_MODEL)
        return list_cost_ns(model);
    const bool has_pictures = request->format == FORMAT_GLB && !request->has_no_textures;
    double once_ns =
        lookup_cost_ns(model, request) + (has_pictures ? (double)model->pixel_byte_count * COST_PIXEL_BYTE_NS : 0);
    for (uint32_t i = 0; i < request->source_count; i++)
        once_ns += partner_cost_ns(model, sources[i]);
    const double frame_ns = frame_cost_ns(model, request);
    if (request->is_over_clip)
        return once_ns + frame_ns * COST_CLIP_POSES;
    const double frames = request->time_count == 0 ? 1 : request->time_count;
    return once_ns + frames * frame_ns * (request->layer_count > 0 ? 2 * request->layer_count : 1);
}

static void make(struct job *job, struct answer *answer, struct reply *reply)
{
    const struct limits *left = job->call->left;
    answer_make_with(answer, &job->baked->model, job->sources, &job->call->request,
                     left != NULL ? left : &job->service->config->limits, reply);
    job->cost = answer->cost;
}

static void take_from(uint64_t *left, uint64_t spent) { *left -= spent < *left ? spent : *left; }

/* Takes from what the other queries of a batch may cost. */
static void spend(struct job *job)
{
    if (job->call->left == NULL)
        return;
    uint64_t *left = job->call->left->value;
    take_from(&left[LIMIT_FRAMES], job->cost.frames);
    take_from(&left[LIMIT_EVALUATIONS], job->cost.evaluations);
    take_from(&left[LIMIT_BOUNDS_VERTICES], job->cost.vertices);
}

/* The answer is made; the headers are not. */
static void finish(struct job *job, struct reply *reply)
{
    if (reply->code == 0) {
        spend(job);
        job_put_notes(job, reply);
    }
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
    stats_set(STAT_ANSWERS_RUNNING, --service->work_count);
    stats_add(STAT_ANSWERS_CANCELLED, job->is_stopped);
    start_queued(service);
    if (status != 0 || job->is_stopped) {
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
    job->answer->is_stopped = &job->is_stopped;
    job->work.data = job;
    job->stage = JOB_WORKS;
    stats_add(STAT_ANSWERS_STARTED, 1);
    stats_set(STAT_ANSWERS_RUNNING, ++job->service->work_count);
    uv_queue_work(job->service->loop, &job->work, on_work, on_made);
}

static void take(struct job *job)
{
    struct service *service = job->service;
    DL_DELETE2(service->work_queue, job, work_prev, work_next);
    stats_set(STAT_ANSWERS_WAITING, --service->work_queue_count);
}

void service_answer_go_on(struct service *service)
{
    if (service->work_queue != NULL)
        start_queued(service);
}

void service_answer_dequeue(struct job *job)
{
    take(job);
    stats_add(STAT_ANSWERS_CANCELLED, 1);
}

/* For one more answer as large as they may be, beside those that are being made. */
static bool has_room(const struct service *service)
{
    return budget_has_room(service->budget,
                           (service->work_count + 1) * service->config->limits.value[LIMIT_ANSWER_BYTES]);
}

static void start_queued(struct service *service)
{
    while (!service->is_ending && service->work_count < WORK_MAX && service->work_queue != NULL && has_room(service)) {
        struct job *job = service->work_queue;
        take(job);
        start_work(job);
    }
}

static void queue_work(struct job *job)
{
    struct service *service = job->service;
    const uint64_t limit = service->config->limits.value[LIMIT_ANSWER_QUEUE];
    if (service->work_count >= WORK_MAX && service->work_queue_count >= limit) {
        struct err err;
        stats_add(STAT_ANSWERS_REFUSED, 1);
        err_set(&err, ERR_OVERLOADED, "%llu large answers already wait to be made; try again later",
                (unsigned long long)limit);
        job_fail(job, &err);
        return;
    }
    job->stage = JOB_QUEUES;
    DL_APPEND2(service->work_queue, job, work_prev, work_next);
    stats_set(STAT_ANSWERS_WAITING, ++service->work_queue_count);
    start_queued(service);
}

/* The answer is made, but it is not small, and there is no room for what its client may not read. */
static void refuse_without_room(const struct job *job, struct reply *reply)
{
    struct budget *budget = job->service->budget;
    struct err err;
    if (reply->body.size_bytes <= BUDGET_SMALL_BYTES || budget_has_room(budget, reply->body.size_bytes))
        return;
    stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
    err_set(&err, ERR_OVERLOADED, "answers that clients have not read yet fill the %llu bytes that there are for them",
            (unsigned long long)budget->max_bytes);
    reply_error(reply, &err, NULL, 0);
}

void service_answer(struct job *job)
{
    const struct request *request = &job->call->request;
    const double cost = cost_ns(&job->baked->model, job->sources, request);
    struct reply reply;
    reply_init(&reply);
    /* "*" matches whatever exists, and whether the clip does is found out on the way */
    if (!http_etag_is_any(request->if_none_match) && job_is_not_modified(job, &reply)) {
        job_finish(job, &reply);
    } else if (job->call->spent_ns + cost > COST_INLINE_NS) {
        queue_work(job);
    } else {
        job->call->spent_ns += cost;
        make(job, &job->service->answer, &reply);
        refuse_without_room(job, &reply);
        finish(job, &reply);
    }
}

void service_answer_stop(struct job *job)
{
    job->is_stopped = true;
    uv_cancel((uv_req_t *)&job->work);
}
