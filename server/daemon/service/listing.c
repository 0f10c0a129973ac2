#include "daemon/service/listing.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "wire/encode/json.h"
#include "daemon/support/thread_priority.h"
#include "daemon/support/log.h"
#include "daemon/model/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TIME_SIZE = 40 };

/* One walk by a work thread. It may outlive the listing. */
struct walk_run {
    uv_work_t work;
    struct listing *listing; /* NULL: freed */
    struct listing_job *job;
    int root_fd;
    char *prefix, *after;
    size_t limit;
    struct walk_page page;
};

struct listing {
    uv_loop_t *loop;
    const struct config *config;
    const struct cache *cache;
    int root_fd;
    struct walk_run *run; /* or NULL */
    struct job_queue queue;
};

struct listing *listing_new(uv_loop_t *loop, const struct config *config, const struct cache *cache, int root_fd)
{
    struct listing *listing = mem_zalloc(1, sizeof *listing);
    *listing = (struct listing){.loop = loop, .config = config, .cache = cache, .root_fd = root_fd};
    listing->queue = (struct job_queue){.limits = &config->limits,
                                        .limit = LIMIT_LIST_QUEUE,
                                        .waiting = STAT_COUNT,
                                        .refused = STAT_COUNT,
                                        .what = "listings"};
    return listing;
}

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

static void free_run(struct walk_run *run)
{
    close(run->root_fd);
    walk_page_fini(&run->page);
    free(run->prefix);
    free(run->after);
    free(run);
}

static void on_work(uv_work_t *work)
{
    struct walk_run *run = work->data;
    thread_priority_background();
    const struct walk_filter query = {.prefix = run->prefix, .after = run->after, .limit = run->limit};
    walk_models(run->root_fd, &query, &run->page);
}

static void start_next(struct listing *listing);

static void on_walked(uv_work_t *work, int status __attribute__((unused)))
{
    struct walk_run *run = work->data;
    struct listing *listing = run->listing;
    if (listing != NULL) {
        struct reply reply;
        reply_init(&reply);
        if (run->page.is_starved)
            put_starved(&reply);
        else
            put_page(&reply, listing->cache, &run->page);
        if (run->page.is_cut)
            log_warn("the root is larger than one listing may walk; some models are left out of /v1/models");
        if (run->page.deep != NULL)
            log_warn("'%.200s' is left out of /v1/models: it lies deeper than %s, or its paths are too long",
                     run->page.deep, LIMIT_TEXT(&listing->config->limits, LIMIT_FOLDERS));
        listing->run = NULL;
        start_next(listing); /* first: done() may submit another job, which is to wait behind the queue */
        run->job->done(run->job, &reply);
    }
    free_run(run);
}

/* Returns 0 or an error; the job is then the caller's again. */
static int start(struct listing *listing, struct listing_job *job, struct err *err)
{
    const int root_fd = fcntl(listing->root_fd, F_DUPFD_CLOEXEC, 0);
    if (root_fd < 0)
        return err_set(err, ERR_OVERLOADED, "no file descriptor for the listing: %s", strerror(errno));
    const struct request *request = job->request;
    struct walk_run *run = mem_zalloc(1, sizeof *run);
    run->work.data = run;
    run->listing = listing;
    run->job = job;
    run->root_fd = root_fd;
    run->prefix = mem_strdup(request->prefix != NULL ? request->prefix : "");
    run->after = mem_strdup(request->after != NULL ? request->after : "");
    run->limit = request->list_limit;
    listing->run = run;
    uv_queue_work(listing->loop, &run->work, on_work, on_walked);
    return 0;
}

static void start_next(struct listing *listing)
{
    while (listing->run == NULL && listing->queue.first != NULL) {
        struct listing_job *job = container_of(job_queue_take(&listing->queue), struct listing_job, queued);
        struct err err;
        if (start(listing, job, &err) == 0)
            return;
        struct reply reply;
        reply_init(&reply);
        reply_error(&reply, &err, NULL, 0);
        job->done(job, &reply);
    }
}

int listing_submit(struct listing *listing, struct listing_job *job, struct err *err)
{
    return listing->run == NULL ? start(listing, job, err) : job_queue_put(&listing->queue, &job->queued, err);
}

bool listing_cancel(struct listing *listing, struct listing_job *job)
{
    if (!job->queued.is_queued)
        return false;
    job_queue_remove(&listing->queue, &job->queued);
    return true;
}

void listing_free(struct listing *listing)
{
    if (listing == NULL)
        return;
    if (listing->run != NULL)
        listing->run->listing = NULL;
    free(listing);
}
