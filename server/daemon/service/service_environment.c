/* service_environment.c - answers GET /v1/environment: the light of pictures. A work thread makes these answers one at
 * a time. */
#include "base/container_of.h"
#include "daemon/service/job.h"
#include "daemon/threads/work.h"
#include "wire/light/environment_reply.h"

static void on_work(struct work *work)
{
    struct job *job = work->data;
    const struct model *model = job->model_count > 0 ? &job->models[0]->model : NULL;
    environment_reply_make(&job->call->request, model, &job->service->config->limits, &job->is_stopped, &job->reply);
}

static void start_next(struct service *service);

static void on_made(struct work *work, int status)
{
    struct job *job = work->data;
    struct service *service = job->service;
    struct reply reply = job->reply;
    service->is_making_environment = false;
    start_next(service); /* first: a request made by done() has to queue behind the others */
    reply_init(&job->reply);
    if (status != 0 || service->is_ending || job->is_stopped) {
        struct err err;
        service_refuse_late(&err);
        reply_error(&reply, &err, NULL, 0);
    }
    job_finish(job, &reply);
    service->file_count--;
    service_release(service);
}

static void start_next(struct service *service)
{
    if (service->is_making_environment || service->is_ending || service->environment_queue.first == NULL)
        return;
    struct job *job = container_of(job_queue_take(&service->environment_queue), struct job, queued);
    service->is_making_environment = true;
    service->file_count++;
    job_enter(job, JOB_WORKS);
    job->work.data = job;
    work_start(service->loop, WORK_COMPUTES, &job->work, on_work, on_made);
}

void service_environment(struct job *job)
{
    struct service *service = job->service;
    const struct evaluation evaluation = job_evaluation(job);
    struct err err;
    if (evaluation_is_not_modified(&evaluation, "", &job->reply)) {
        struct reply reply = job->reply;
        reply_init(&job->reply);
        job_finish(job, &reply);
        return;
    }
    if (job_queue_put(&service->environment_queue, &job->queued, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    job_enter(job, JOB_QUEUES);
    start_next(service);
}

void service_environment_cancel(struct call *call)
{
    struct job *job = call->waiting;
    if (job->stage == JOB_FINDS_MODEL) {
        service_find_cancel(call);
        return;
    }
    job->is_stopped = true;
    if (job->stage == JOB_WORKS)
        return; /* it ends soon */
    job_queue_remove(&job->service->environment_queue, &job->queued);
    job_fail_abandoned(job);
}
