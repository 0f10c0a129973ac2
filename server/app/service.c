#include "service.h"

#include "../base/mem.h"
#include "../base/version.h"
#include "../wire/answer_formats.h"
#include "../wire/http_response.h"
#include "../wire/json.h"
#include "../wire/packet.h"
#include "etag.h"
#include "gallery.h"
#include "importer_identity.h"
#include "log.h"
#include "service_parts.h"
#include "stats.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

enum { PROTOCOL_VERSION = 1 };
static const char CACHE_REVALIDATE[] = "no-cache";
static const char CACHE_IMMUTABLE[] = "public, max-age=31536000, immutable";
static const char CACHE_NEVER[] = "no-store";

/* --- jobs --- */

struct job *job_start(struct service *service, struct call *call)
{
    struct job *job = mem_zalloc(1, sizeof *job);
    job->service = service;
    job->call = call;
    reply_init(&job->reply);
    call->waiting = job;
    DL_APPEND(service->jobs, job);
    service->job_count++;
    return job;
}

void job_finish(struct job *job, struct reply *reply)
{
    struct call *call = job->call;
    DL_DELETE(job->service->jobs, job);
    job->service->job_count--;
    call->waiting = NULL;
    if (job->baked != NULL) {
        reply->has_content = true;
        memcpy(reply->content_hash, job->baked->model.infos[0].content_hash, sizeof reply->content_hash);
    }
    baked_unref(job->baked);
    for (uint32_t i = 0; i < job->clip_count; i++)
        baked_unref(job->clips[i]);
    free(job->blend);
    if (job->plan != NULL)
        sheet_plan_fini(job->plan);
    free(job->plan);
    reply_fini(&job->reply);
    free(job);
    if (reply->code != 0)
        reply->cache_control = CACHE_NEVER;
    call->done(call, reply);
}

void job_fail(struct job *job, const struct err *err)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    job_finish(job, &reply);
}

bool job_is_not_modified(const struct job *job, struct reply *reply)
{
    const struct request *request = &job->call->request;
    const bool is_picture = op_is_picture(request->op);
    static const char *const PICTURES[] = {
        [SHEET_PNG] = "png", [SHEET_APNG] = "apng", [SHEET_GIF] = "gif", [SHEET_WEBP] = "webp", [SHEET_JSON] = "json"};
    static const char *const FORMATS[] = {
        [FORMAT_JSON] = "json", [FORMAT_BIN] = "bin", [FORMAT_GLB] = "glb", [FORMAT_PNG] = "png"};
    const char *format = FORMATS[is_picture ? request->format : answer_format(request)];
    if (is_picture && request->op != OP_RENDER)
        format = PICTURES[request->sheet.format];
    const char *clip_hashes[REQUEST_SOURCES_MAX];
    for (uint32_t i = 0; i < job->clip_count; i++)
        clip_hashes[i] = job->clips[i]->hash;
    const struct etag_source source = {
        .hash = job->baked->hash,
        .canonical = request->canonical,
        .clips = clip_hashes,
        .clips_count = job->clip_count,
        .renderer = is_picture ? render_pool_renderer(job->service->renders) : "",
        .format = format,
    };
    etag_make(&source, reply->etag);
    reply->cache_control = request_names_content(request) ? CACHE_IMMUTABLE : CACHE_REVALIDATE;
    reply->is_vary_accept = answer_has_binary(request->op);
    if (!http_etag_matches(request->if_none_match, reply->etag))
        return false;
    reply->status = 304;
    return true;
}

void job_put_notes(const struct job *job, struct reply *reply)
{
    reply->warning_count = answer_count_warnings(&job->baked->model, job->sources, job->clip_count);
}

/* --- the list of models --- */

static void on_listed(struct listing_job *listing, struct reply *reply)
{
    job_finish((struct job *)((char *)listing - offsetof(struct job, listing)), reply);
}

static void list_models(struct service *service, struct call *call)
{
    struct job *job = job_start(service, call);
    job->stage = JOB_LISTS;
    job->listing = (struct listing_job){
        .request = &call->request,
        .done = on_listed,
    };
    struct err err;
    if (listing_submit(service->listing, &job->listing, &err) < 0)
        job_fail(job, &err);
}

/* --- what needs no model --- */

static void make_json(struct reply *reply, const char *text)
{
    reply->content_type = "application/json";
    reply->cache_control = CACHE_NEVER;
    buf_put_text(&reply->body, text);
}

static void make_version(const struct service *service, struct reply *reply)
{
    const char *renderer = render_pool_renderer(service->renders);
    make_json(reply,
              "{\"name\":\"posed\",\"version\":\"" POSED_VERSION "\",\"build\":\"" POSED_BUILD "\",\"protocol\":");
    json_put_uint(&reply->body, PROTOCOL_VERSION);
    buf_put_text(&reply->body, ",\"packets\":");
    json_put_uint(&reply->body, PACKET_VERSION);
    buf_put_text(&reply->body, ",\"renderer\":");
    json_put_string(&reply->body, renderer[0] != '\0' ? renderer : NULL, strlen(renderer));
    const char *folder = uploads_folder(service->uploads);
    buf_put_text(&reply->body, ",\"uploads\":");
    json_put_string(&reply->body, folder, folder == NULL ? 0 : strlen(folder));
    buf_put_text(&reply->body, "}\n");
}

static void make_shutting_down(struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping");
    reply_error(reply, &err, NULL, 0);
    reply->cache_control = CACHE_NEVER;
}

static void make_ready(const struct service *service, struct reply *reply)
{
    if (service->is_draining)
        make_shutting_down(reply);
    else
        make_json(reply, "{\"status\":\"ok\"}\n");
}

static void make_stats(const struct service *service, struct reply *reply)
{
    make_json(reply, "");
    stats_set(STAT_CLIENT_MEMORY_BYTES, service->budget->used_bytes);
    stats_set(STAT_CLIENT_MEMORY_MAX_BYTES, service->budget->max_bytes);
    stats_put_json(&reply->body);
}

static void make_gallery(struct reply *reply)
{
    reply->content_type = "text/html; charset=utf-8";
    reply->cache_control = CACHE_REVALIDATE;
    gallery_page(&reply->body);
}

static void make_formats(struct reply *reply)
{
    reply->content_type = "application/json";
    reply->cache_control = CACHE_REVALIDATE;
    answer_formats(&reply->body);
}

/* Who asks for it otherwise than to open a WebSocket. */
static void make_no_stream(struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_BAD_REQUEST, "this is a WebSocket: a GET with 'Upgrade: websocket' opens it");
    reply_error(reply, &err, NULL, 0);
}

void service_handle(struct service *service, struct call *call)
{
    struct reply reply;
    call->waiting = NULL;
    reply_init(&reply);
    if (service->is_ending) {
        make_shutting_down(&reply);
        call->done(call, &reply);
        return;
    }
    switch (call->request.op) {
    case OP_HEALTHZ:
        make_json(&reply, "{\"status\":\"ok\"}\n");
        break;
    case OP_READYZ:
        make_ready(service, &reply);
        break;
    case OP_VERSION:
        make_version(service, &reply);
        break;
    case OP_GALLERY:
        make_gallery(&reply);
        break;
    case OP_FORMATS:
        make_formats(&reply);
        break;
    case OP_STATS:
        make_stats(service, &reply);
        break;
    case OP_STREAM:
        make_no_stream(&reply);
        break;
    case OP_MODELS:
        list_models(service, call);
        return;
    case OP_QUERY:
        service_batch(service, call);
        return;
    case OP_FILE:
        service_file(service, call);
        return;
    default:
        service_find_model(service, call);
        return;
    }
    call->done(call, &reply);
}

void service_cancel(struct service *service, struct call *call)
{
    if (call->request.op == OP_QUERY) {
        service_batch_cancel(service, call);
        return;
    }
    struct job *job = call->waiting;
    call->is_abandoned = true;
    if (call->request.op == OP_FILE)
        return; /* what is whole is stored */
    switch (job->stage) {
    case JOB_FINDS_MODEL:
        cache_cancel(&job->wait);
        break;
    case JOB_LISTS:
        if (!listing_cancel(service->listing, &job->listing))
            return;
        break;
    case JOB_QUEUES:
        service_answer_dequeue(job);
        break;
    case JOB_WORKS:
        service_answer_stop(job);
        return;
    case JOB_DRAWS:
        render_pool_cancel(service->renders, &job->render);
        break;
    }
    struct err err;
    err_set(&err, ERR_REQUEST_TIMEOUT, "nobody waits for the answer any more");
    job_fail(job, &err);
}

void service_listen(struct service *service, struct cache_listener *listener)
{
    cache_listen(service->cache, listener);
}

void service_unlisten(struct service *service, struct cache_listener *listener)
{
    cache_unlisten(service->cache, listener);
}

uint32_t service_pending(const struct service *service) { return service->job_count; }
void service_drain(struct service *service) { service->is_draining = true; }

/* --- life --- */

static void on_turn(uv_prepare_t *turn)
{
    struct service *service = turn->data;
    cache_next_turn(service->cache);
    service_answer_go_on(service); /* clients may have read what took the room */
    render_pool_go_on(service->renders);
}

/* NULL: there is none, and where that was not asked for the log says why. */
static struct disk_cache *open_disk(const struct config *config)
{
    char program[PATH_MAX], importer[IMPORTER_IDENTITY_SIZE];
    struct disk_cache *disk = NULL;
    struct err err;
    if (strcmp(config->cache_dir, "none") == 0)
        return NULL;
    snprintf(program, sizeof program, "%s/posed-import", config->worker_dir);
    if (importer_identity(program, importer, &err) < 0 || disk_cache_open(config, importer, &disk, &err) < 0)
        log_warn("no disk cache: %s", err.message);
    else
        log_info("disk cache in %s, at most %llu MiB", config->cache_dir,
                 (unsigned long long)(disk_cache_limit(disk) >> 20));
    return disk;
}

int service_new(uv_loop_t *loop, const struct config *config, struct budget *budget, struct service **out,
                struct err *err)
{
    *out = NULL;
    const int root_fd = root_open(config->root, err);
    if (root_fd < 0)
        return root_fd;
    struct uploads *uploads;
    if (uploads_new(loop, config, &uploads, err) < 0) {
        close(root_fd);
        return err->code;
    }
    struct service *service = mem_zalloc(1, sizeof *service);
    service->loop = loop;
    service->config = config;
    service->budget = budget;
    service->root_fd = root_fd;
    service->imports = import_pool_new(loop, config, root_fd);
    service->uploads = uploads;
    uploads_use(uploads, service->imports);
    service->cache = cache_new(loop, config, service->imports, root_fd, open_disk(config));
    service->listing = listing_new(loop, config, service->cache, root_fd);
    service->renders = render_pool_new(loop, config, budget);
    answer_init(&service->answer);
    service->turn.data = service;
    uv_prepare_init(loop, &service->turn);
    uv_prepare_start(&service->turn, on_turn);
    uv_unref((uv_handle_t *)&service->turn);
    *out = service;
    return 0;
}

void service_release(struct service *service)
{
    if (!service->is_closed || service->work_count > 0)
        return;
    answer_fini(&service->answer);
    close(service->root_fd);
    free(service);
}

static void on_closed(uv_handle_t *handle)
{
    struct service *service = handle->data;
    service->is_closed = true;
    service_release(service);
}

static struct job *find_without_work(const struct service *service)
{
    struct job *job;
    DL_FOREACH(service->jobs, job)
    if (job->answer == NULL)
        return job;
    return NULL;
}

void service_free(struct service *service)
{
    if (service == NULL)
        return;
    service->is_ending = true;
    import_pool_free(service->imports);
    render_pool_free(service->renders);
    listing_free(service->listing);
    uploads_free(service->uploads);
    cache_free(service->cache);
    struct err err;
    err_set(&err, ERR_SHUTTING_DOWN, "the server is stopping");
    for (struct job *job; (job = find_without_work(service)) != NULL;)
        job_fail(job, &err);
    service_batch_end(service);
    struct job *job;
    DL_FOREACH(service->jobs, job)
    service_answer_stop(job); /* a work thread may be reading the request: it is answered afterwards */
    uv_prepare_stop(&service->turn);
    uv_close((uv_handle_t *)&service->turn, on_closed);
}
