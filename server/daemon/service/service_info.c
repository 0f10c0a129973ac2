/* service_info.c - answers operations without a model: health, version, formats, statistics, pages for people. */
#include "daemon/service/job.h"

#include "base/version.h"
#include "daemon/page/page.h"
#include "wire/models/model_bodies.h"
#include "wire/encode/json.h"
#include "wire/packet/packet.h"
#include "wire/reply/answer_version.h"
#include "daemon/support/stats.h"

static const char CACHE_REVALIDATE[] = "no-cache";

/* Returns the buffer for the body. */
static struct buf *begin(struct reply *reply, const char *content_type, const char *cache_control)
{
    reply->content_type = content_type;
    reply->cache_control = cache_control;
    return &reply->body;
}

static struct buf *begin_json(struct reply *reply) { return begin(reply, "application/json", "no-store"); }

void service_tell_version(const struct service *service, const struct request *request __attribute__((unused)),
                          struct reply *reply)
{
    const char *renderer = render_pool_renderer(service->renders);
    json_printf(
        begin_json(reply),
        "{\"name\":\"posed\",\"version\":%s,\"build\":%s,\"protocol\":%d,\"packets\":%d,\"answers\":%d,\"kernel\":%s,"
        "\"renderer\":%s,\"uploads\":%s,\"uploads_lack\":%s}\n",
        posed_version(), POSED_BUILD, SERVICE_PROTOCOL_VERSION, PACKET_VERSION, ANSWER_VERSION,
        kernel_find(service->config->kernel)->name, renderer[0] != '\0' ? renderer : NULL,
        uploads_folder(service->uploads), uploads_lack(service->uploads));
}

/* Collects statistics that other modules count. */
static void complete_stats(const struct service *service)
{
    stats_set(STAT_CLIENT_MEMORY_BYTES, atomic_load(&service->budget->used_bytes));
    stats_set(STAT_CLIENT_MEMORY_MAX_BYTES, service->budget->max_bytes);
    retargeted_clip_cache_count(service->retargeted_clips);
}

void service_tell_metrics(const struct service *service, const struct request *request, struct reply *reply)
{
    const bool is_open = request->format == FORMAT_OPENMETRICS;
    struct buf *body = begin(reply, is_open ? EXPOSITION_OPENMETRICS_TYPE : EXPOSITION_TEXT_TYPE, "no-store");
    reply->is_vary_accept = true;
    complete_stats(service);
    service_put_metrics(service, is_open ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT, body);
}

void service_health(struct reply *reply) { buf_put_text(begin_json(reply), "{\"status\":\"ok\"}\n"); }

void service_tell_health(const struct service *service __attribute__((unused)),
                         const struct request *request __attribute__((unused)), struct reply *reply)
{
    service_health(reply);
}

void service_tell_formats(const struct service *service __attribute__((unused)),
                          const struct request *request __attribute__((unused)), struct reply *reply)
{
    body_put_formats(begin(reply, "application/json", CACHE_REVALIDATE));
}

void service_tell_stats(const struct service *service, const struct request *request __attribute__((unused)),
                        struct reply *reply)
{
    complete_stats(service);
    stats_put_json(begin_json(reply));
}

void service_tell_no_stream(const struct service *service __attribute__((unused)),
                            const struct request *request __attribute__((unused)), struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_BAD_REQUEST, "this is a WebSocket: a GET with 'Upgrade: websocket' opens it");
    reply_error(reply, &err, NULL, 0);
}

/* --- pages --- */

void service_tell_gallery(const struct service *service, const struct request *request, struct reply *reply)
{
    page_answer(service->config, service->access, request, PAGE_GALLERY, reply);
}

void service_tell_model_page(const struct service *service, const struct request *request, struct reply *reply)
{
    page_answer(service->config, service->access, request, PAGE_MODEL, reply);
}

void service_tell_embed(const struct service *service, const struct request *request, struct reply *reply)
{
    page_answer(service->config, service->access, request, PAGE_EMBED, reply);
}

void service_tell_asset(const struct service *service __attribute__((unused)), const struct request *request,
                        struct reply *reply)
{
    page_answer_asset(request, reply);
}
