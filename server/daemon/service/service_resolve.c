/* service_resolve.c - finds what a picture needs of the models' names in a work thread, because they may be many and
 * long: humanoids for retarget=rest, points, and the nodes, morph targets and expressions of given poses. */
#include "daemon/service/job.h"

#include "wire/reply/rest_select.h"

#include <string.h>

static void put_roles(int32_t to[RENDER_ROLES], const struct humanoid *humanoid)
{
    _Static_assert(sizeof humanoid->nodes == RENDER_ROLES * sizeof *to, "a job has room for every role");
    memcpy(to, humanoid->nodes, sizeof humanoid->nodes);
}

static void resolve_rest(struct job *job)
{
    struct picture_job *picture = job->picture;
    const struct request *request = &job->call->request;
    struct render_job *drawing = &picture->drawing;
    struct resolved_rest rest;
    if (rest_resolve(&rest, request, &job->models[0]->model, job->sources, &picture->rest_err) < 0)
        return;
    drawing->has_locked_feet = request->retarget.has_locked_feet;
    drawing->clip_rest = request->retarget.clip_rest.kind;
    drawing->clip_rest_frame = request->retarget.clip_rest.frame;
    drawing->rest_steps = rest_max_steps(request, &job->service->evaluator.config->limits);
    put_roles(drawing->roles, &rest.model);
    for (uint32_t s = 0; s < request->source_count; s++) {
        drawing->sources[s].is_by_rest = rest_is_of(request, s);
        put_roles(drawing->sources[s].roles, &rest.sources[s]);
    }
}

static bool has_given(const struct request *request)
{
    bool has = request->on_top != NULL;
    for (uint32_t i = 0; i < request->pose.layer_count && !has; i++)
        has = request->pose.layers[i].given != NULL;
    return has;
}

static bool has_points(const struct request *request)
{
    return request->sheet.format == SHEET_POINTS || request_has_body(request);
}

static void on_work(struct work *work)
{
    struct job *job = work->data;
    if (job->call->request.retarget.is_by_rest)
        resolve_rest(job);
    if (has_points(&job->call->request) && !service_points_find(job->picture, &job->reply))
        return;
    if (has_given(&job->call->request))
        service_picture_blend(job->picture, &job->reply);
}

static void on_resolved(struct work *work, int status)
{
    struct job *job = work->data;
    struct service *service = job->service;
    service->file_count--;
    if (status != 0 || job->is_stopped || service->is_ending) {
        struct err err;
        service_refuse_late(&err);
        job_fail(job, &err);
    } else if (job->reply.code != 0) {
        struct reply reply = job->reply;
        reply_init(&job->reply);
        job_finish(job, &reply);
    } else {
        service_picture_draw(job);
    }
    if (service->is_ending)
        service_release(service);
}

bool service_resolve(struct job *job)
{
    const struct request *request = &job->call->request;
    if (!request->retarget.is_by_rest && !has_given(request) && !has_points(request))
        return false;
    job->service->file_count++;
    job_enter(job, JOB_WORKS);
    job->work.data = job;
    work_start(job->service->loop, WORK_COMPUTES, &job->work, on_work, on_resolved);
    return true;
}
