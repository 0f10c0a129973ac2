/* service_list.c - answers GET /v1/models: the models under the root with their state in the cache, or their folders.
 *
 * A work thread reads the folders in one walk at a time. A walk answers all requests that arrived before it began. Its
 * result also answers later requests, as long as it matches the root (listing.h). */
#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/model/listing.h"
#include "daemon/model/root_look.h"
#include "daemon/model/source_access.h"
#include "daemon/service/job.h"
#include "daemon/service/list_reply.h"
#include "daemon/support/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct list_walk {
    struct work work;
    struct service *service;
    struct folder_watch_set *set; /* watches for the listing; or NULL */
    struct listing *made;
    int source_error;                      /* error of the walk or of a missing root, of err_is_source(); 0: no error */
    char source_path[ROOT_LOOK_PATH_SIZE]; /* path of that error; "": the root */
};

/* --- an unreadable root --- */

static bool is_offline(const struct service *service) { return cache_is_offline(service->cache, NULL); }

static uint32_t stale_s(const struct service *service)
{
    enum { MS_PER_S = 1000 };
    return service->list_stale_ms == 0 ? 0 : (uint32_t)((listing_now_ms() - service->list_stale_ms) / MS_PER_S) + 1;
}

static bool has_stale_list(const struct service *service)
{
    const uint64_t limit_ms = service->config->limits.value[LIMIT_STALE_TIME_MS];
    return service->listing != NULL && listing_now_ms() - service->list_stale_ms < limit_ms;
}

static void fail_unavailable(struct job *job)
{
    struct err err;
    const char *why;
    cache_is_offline(job->service->cache, &why);
    err_set(&err, ERR_SOURCE_UNAVAILABLE, "the folder of the models cannot be read%s%s; try again later",
            why != NULL ? ": " : "", why != NULL ? why : "");
    job_fail(job, &err);
}

/* --- replies --- */

static void put_starved(struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_OVERLOADED, "no file descriptor or memory is free to list the models; try again later");
    reply_error(reply, &err, NULL, 0);
}

static void answer(struct job *job, const struct listing *listing)
{
    struct reply reply;
    reply_init(&reply);
    reply.stale_s = stale_s(job->service);
    if (listing->page.is_starved)
        put_starved(&reply);
    else
        list_reply_put(&reply, job->service->cache, listing, &job->call->request);
    job_finish(job, &reply);
}

/* --- the walk --- */

static void warn_of_gaps(const struct service *service, const struct walk_page *page)
{
    if (page->is_cut)
        log_warn("the root is larger than one listing may walk; some models are left out of /v1/models");
    if (page->deep != NULL)
        log_warn("'%.200s' is left out of /v1/models: it lies deeper than %s, or its paths are too long", page->deep,
                 LIMIT_TEXT(&service->config->limits, LIMIT_FOLDERS));
}

static bool is_current(const struct service *service)
{
    if (service->listing == NULL)
        return false;
    cache_read_events(service->cache);
    return listing_is_current(service->listing, service->config->limits.value[LIMIT_WATCH_TIME_MS]);
}

static void on_work(struct work *work)
{
    struct list_walk *walk = container_of(work, struct list_walk, work);
    const struct service *service = walk->service;
    source_forget_error();
    walk->made = listing_make(service->root_fd, walk->set);
    walk->source_error = source_error();
    snprintf(walk->source_path, sizeof walk->source_path, "%s", source_error_path());
    if (walk->source_error != 0 || service->config->watch == WATCH_OFF)
        return;
    const int error = root_check(service->root_fd, service->config->root);
    walk->source_path[0] = '\0';
    walk->source_error = error == ENOENT || error == ENOTDIR || err_is_source(error) ? error : 0;
}

static void start_walk(struct service *service);

/* Answers jobs that the last walk cannot serve, or that have none. An incomplete walk must not produce a list that
 * lacks what could not be read. */
static void answer_stale(struct job *job)
{
    struct service *service = job->service;
    job_queue_remove(&service->list_queue, &job->queued);
    if (has_stale_list(service))
        answer(job, service->listing);
    else
        fail_unavailable(job);
}

/* Answers a job that arrived before the last walk began, or for which that walk is still current. */
static bool answer_next(void *user)
{
    struct service *service = user;
    if (service->list_queue.first == NULL || service->is_ending)
        return false;
    struct job *job = container_of(service->list_queue.first, struct job, queued);
    const bool is_stale = service->list_stale_ms != 0, has_walk = job->list_walk <= service->walked_count;
    if (!has_walk && !(is_stale ? is_offline(service) : is_current(service))) {
        start_walk(service);
        return false;
    }
    if (is_stale) {
        answer_stale(job);
    } else {
        job_queue_start(&service->list_queue, &job->queued);
        answer(job, service->listing);
    }
    return service->list_queue.first != NULL;
}

/* Fails all waiting jobs, even those that arrived during the walk: another walk would give the same error. */
static void fail_waiting(struct service *service)
{
    if (service->list_stale_ms == 0)
        service->list_stale_ms = listing_now_ms();
    service->list_failed_ms = listing_now_ms();
    service->walked_count = service->walk_count + 1;
    turn_share_go(&service->list_answers);
}

void service_list_offline(struct service *service)
{
    if (service->list_queue.first != NULL && is_offline(service))
        fail_waiting(service);
}

static void on_walked(struct work *work, int status)
{
    struct list_walk *walk = container_of(work, struct list_walk, work);
    struct service *service = walk->service;
    struct listing *made = walk->made;
    service->is_listing = false;
    if (status != 0) /* the thread did not run because the service is ending */
        folder_watch_set_unref(walk->set);
    const bool is_failed = walk->source_error != 0;
    if (is_failed && !service->is_ending) {
        cache_note_source(service->cache, walk->source_path, walk->source_error);
        fail_waiting(service);
    }
    free(walk);
    if (made != NULL && !is_failed && !service->is_ending) {
        service->list_stale_ms = 0;
        listing_unref(service->listing);
        service->listing = listing_ref(made);
        service->walked_count = service->walk_count;
        warn_of_gaps(service, &made->page);
        turn_share_go(&service->list_answers);
    }
    listing_unref(made);
    service->file_count--;
    service_release(service);
}

static void start_walk(struct service *service)
{
    if (service->is_listing || service->is_ending)
        return;
    struct folder_watch *watch = cache_folder_watch(service->cache);
    struct list_walk *walk = mem_zalloc(1, sizeof *walk);
    *walk = (struct list_walk){.service = service, .set = watch != NULL ? listing_watch(watch) : NULL};
    cache_read_events(service->cache);
    service->is_listing = true;
    service->walk_count++;
    service->file_count++;
    work_start(service->loop, WORK_FILES, &walk->work, on_work, on_walked);
}

void service_list_begin(struct service *service)
{
    turn_share_init(&service->list_answers, service->loop, answer_next, service);
}

void service_list_end(struct service *service, uv_close_cb closed) { turn_share_close(&service->list_answers, closed); }

void service_list(struct service *service, struct call *call)
{
    struct job *job = job_start(service, call);
    struct err err;
    const uint64_t interval_ms = service->config->limits.value[LIMIT_WATCH_TIME_MS];
    const bool has_just_failed =
        service->list_stale_ms != 0 && listing_now_ms() - service->list_failed_ms < interval_ms;
    if (is_offline(service) && service->list_stale_ms == 0)
        service->list_stale_ms = listing_now_ms();
    if (is_offline(service) || has_just_failed) {
        if (has_stale_list(service))
            answer(job, service->listing);
        else
            fail_unavailable(job);
        return;
    }
    if (service->list_stale_ms == 0 && is_current(service)) {
        answer(job, service->listing);
        return;
    }
    if (job_queue_put(&service->list_queue, &job->queued, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    job->list_walk = service->walk_count + 1;
    job_enter(job, JOB_QUEUES);
    start_walk(service);
}

void service_list_cancel(struct call *call)
{
    struct job *job = call->waiting;
    job_queue_remove(&job->service->list_queue, &job->queued);
    job_fail_abandoned(job);
}
