#include "daemon/service/job.h"

#include "base/mem.h"

#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

void service_count_call(struct service *service)
{
    service->call_count++;
    if (!uv_is_active((uv_handle_t *)&service->tick))
        uv_prepare_start(&service->tick, service->on_tick);
}

/* --- jobs --- */

struct job *job_start(struct service *service, struct call *call)
{
    struct job *job = mem_zalloc(1, sizeof *job);
    job->service = service;
    job->call = call;
    reply_init(&job->reply);
    call->waiting = job;
    DL_APPEND(service->jobs, job);
    service_count_call(service);
    return job;
}

void job_enter(struct job *job, enum job_stage stage)
{
    job->stage = stage;
    job->waits_ns = uv_hrtime();
}

void job_leave_queue(struct job *job, uint64_t end_ns)
{
    if (end_ns > job->waits_ns)
        job->call->queue_ns += end_ns - job->waits_ns;
}

struct evaluation job_evaluation(const struct job *job)
{
    return (struct evaluation){
        .request = job->call->lasting != NULL ? job->call->lasting : &job->call->request,
        .imported = job->models[0],
        .clips = job->models + 1,
        .sources = job->sources,
        .clip_count = job->model_count > 0 ? job->model_count - 1 : 0,
        .left = job->call->left,
    };
}

static void free_picture(struct picture_job *picture)
{
    if (picture == NULL)
        return;
    if (picture->plan != NULL)
        sheet_plan_fini(picture->plan);
    free(picture->plan);
    buf_fini(&picture->given);
    buf_fini(&picture->points);
    free(picture->layers);
    free(picture);
}

void job_finish(struct job *job, struct reply *reply)
{
    struct call *call = job->call;
    DL_DELETE(job->service->jobs, job);
    job->service->call_count--;
    call->waiting = NULL;
    evaluation_end_reply(reply, job->models[0]);
    if (job->stale_s > reply->stale_s)
        reply->stale_s = job->stale_s;
    for (uint32_t i = 0; i < job->model_count; i++)
        imported_model_unref(job->models[i]);
    free_picture(job->picture);
    service_pictures_free(job);
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

void job_fail_abandoned(struct job *job)
{
    struct err err;
    err_set(&err, ERR_REQUEST_TIMEOUT, "the client has left");
    job_fail(job, &err);
}

/* --- the end --- */

int service_refuse_late(struct err *err) { return err_set(err, ERR_SHUTTING_DOWN, "the server is stopping"); }

void service_release(struct service *service)
{
    if (!service->is_closed || service->work_count > 0 || service->file_count > 0)
        return;
    listing_unref(service->listing);
    retargeted_clip_cache_free(service->retargeted_clips);
    evaluator_fini(&service->evaluator);
    close(service->root_fd);
    free(service);
}
