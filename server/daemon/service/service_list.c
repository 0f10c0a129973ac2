/* service_list.c - GET /v1/models: the models under the root, and what the cache knows of each.
 *
 * A work thread reads the folders, for one listing at a time: a large tree delays only other listings. */
#include "base/container_of.h"
#include "daemon/service/job.h"
#include "daemon/support/log.h"
#include "daemon/support/thread_priority.h"
#include "wire/encode/json.h"

#include <time.h>

enum { TIME_SIZE = 40 };

/* NULL: no calendar has the time. */
static const char *time_text(int64_t time_ns, char text[TIME_SIZE])
{
    const time_t time_s = (time_t)(time_ns / 1000000000 - (time_ns % 1000000000 < 0));
    struct tm tm;
    return gmtime_r(&time_s, &tm) != NULL && strftime(text, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0 ? text : NULL;
}

static void put_file(struct buf *out, const struct cache *cache, const struct walk_file *file)
{
    static const char *const STATES[] = {
        [CACHE_NEW] = "new",
        [CACHE_IMPORTING] = "importing",
        [CACHE_READY] = "ready",
        [CACHE_FAILED] = "failed",
    };
    const struct cache_info info = cache_describe(cache, file->path, &file->stamp);
    char modified[TIME_SIZE];
    json_printf(out, "{\"model\":%s,\"bytes\":%llu,\"modified\":%s,\"state\":%s,\"hash\":%s,\"error\":", file->path,
                (unsigned long long)file->stamp.size_bytes, time_text(file->stamp.mtime_ns, modified),
                STATES[info.state], info.hash);
    if (info.err == NULL)
        buf_put_text(out, "null}");
    else
        json_printf(out, "{\"code\":%s,\"message\":%s}}", err_name(info.err->code), info.err->message);
}

static void put_page(struct reply *reply, const struct cache *cache, const struct walk_page *page)
{
    struct buf *out = &reply->body;
    reply->content_type = "application/json";
    reply->cache_control = "no-cache";
    buf_put_text(out, "{\"models\":[");
    for (size_t i = 0; i < page->count; i++) {
        buf_put_text(out, i > 0 ? ",\n" : "\n");
        put_file(out, cache, &page->files[i]);
    }
    json_printf(out, "],\"next\":%s}\n", page->has_more && page->count > 0 ? page->files[page->count - 1].path : NULL);
}

static void put_starved(struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_OVERLOADED, "no file descriptor or memory is free to list the models; try again later");
    reply_error(reply, &err, NULL, 0);
}

static void warn_of_gaps(const struct service *service, const struct walk_page *page)
{
    if (page->is_cut)
        log_warn("the root is larger than one listing may walk; some models are left out of /v1/models");
    if (page->deep != NULL)
        log_warn("'%.200s' is left out of /v1/models: it lies deeper than %s, or its paths are too long", page->deep,
                 LIMIT_TEXT(&service->config->limits, LIMIT_FOLDERS));
}

static void on_work(uv_work_t *work)
{
    struct job *job = work->data;
    const struct request *request = &job->call->request;
    const struct walk_filter filter = {.prefix = request->prefix != NULL ? request->prefix : "",
                                       .after = request->after != NULL ? request->after : "",
                                       .limit = request->list_limit};
    thread_priority_background();
    walk_models(job->service->root_fd, &filter, &job->page);
}

static void start_next(struct service *service);

static void on_walked(uv_work_t *work, int status)
{
    struct job *job = work->data;
    struct service *service = job->service;
    struct walk_page page = job->page;
    struct reply reply;
    struct err err;
    service->is_listing = false;
    start_next(service); /* first: done() may ask for another listing, which is to wait behind the queue */
    reply_init(&reply);
    if (status != 0 || service->is_ending) {
        service_refuse_late(&err);
        reply_error(&reply, &err, NULL, 0);
    } else if (page.is_starved) {
        put_starved(&reply);
    } else {
        put_page(&reply, service->cache, &page);
    }
    warn_of_gaps(service, &page);
    walk_page_fini(&page);
    job_finish(job, &reply);
    service->file_count--;
    service_release(service);
}

static void start_next(struct service *service)
{
    if (service->is_listing || service->is_ending || service->list_queue.first == NULL)
        return;
    struct job *job = container_of(job_queue_take(&service->list_queue), struct job, queued);
    service->is_listing = true;
    service->file_count++;
    job_enter(job, JOB_WORKS);
    job->work.data = job;
    uv_queue_work(service->loop, &job->work, on_work, on_walked);
}

void service_list(struct service *service, struct call *call)
{
    struct job *job = job_start(service, call);
    struct err err;
    if (job_queue_put(&service->list_queue, &job->queued, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    job_enter(job, JOB_QUEUES);
    start_next(service);
}

void service_list_cancel(struct job *job)
{
    if (job->stage == JOB_WORKS)
        return; /* the walk ends by itself */
    job_queue_remove(&job->service->list_queue, &job->queued);
    job_fail_abandoned(job);
}
