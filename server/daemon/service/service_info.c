/* service_info.c - answers operations that need no model: health, version, formats, statistics, pages for people. */
#include "daemon/service/job.h"

#include "base/version.h"
#include "daemon/page/page.h"
#include "wire/bodies/bodies.h"
#include "wire/encode/json.h"
#include "wire/packet/packet.h"
#include "wire/reply/answer_version.h"
#include "daemon/support/stats.h"

static const char CACHE_REVALIDATE[] = "no-cache";

/* Returns where the body goes. */
static struct buf *begin(struct reply *reply, const char *content_type, const char *cache_control)
{
    reply->content_type = content_type;
    reply->cache_control = cache_control;
    return &reply->body;
}

static struct buf *begin_json(struct reply *reply) { return begin(reply, "application/json", "no-store"); }

static void make_version(const struct service *service, struct reply *reply)
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

/* What is counted elsewhere. */
static void complete_stats(const struct service *service)
{
    stats_set(STAT_CLIENT_MEMORY_BYTES, atomic_load(&service->budget->used_bytes));
    stats_set(STAT_CLIENT_MEMORY_MAX_BYTES, service->budget->max_bytes);
    view_cache_count(service->views);
}

static void make_metrics(const struct service *service, enum format format, struct reply *reply)
{
    const bool is_open = format == FORMAT_OPENMETRICS;
    struct buf *body = begin(reply, is_open ? EXPOSITION_OPENMETRICS_TYPE : EXPOSITION_TEXT_TYPE, "no-store");
    reply->is_vary_accept = true;
    complete_stats(service);
    service_put_metrics(service, is_open ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT, body);
}

void service_health(struct reply *reply) { buf_put_text(begin_json(reply), "{\"status\":\"ok\"}\n"); }

bool service_info(const struct service *service, const struct request *request, struct reply *reply)
{
    const enum op op = request->op;
    struct err err = {0};
    if (service->is_ending)
        service_refuse_late(&err);
    else if (op == OP_STREAM) /* a GET that opens no WebSocket */
        err_set(&err, ERR_BAD_REQUEST, "this is a WebSocket: a GET with 'Upgrade: websocket' opens it");
    if (err.code != 0) {
        reply_error(reply, &err, NULL, 0);
        return true;
    }
    switch (op) {
    case OP_HEALTHZ:
        service_health(reply);
        break;
    case OP_READYZ:
        service_ready(service, request, reply);
        break;
    case OP_VERSION:
        make_version(service, reply);
        break;
    case OP_GALLERY:
    case OP_MODEL_PAGE:
    case OP_EMBED:
    case OP_ASSET:
        page_answer(service->config, service->access, request, reply);
        break;
    case OP_FORMATS:
        body_put_formats(begin(reply, "application/json", CACHE_REVALIDATE));
        break;
    case OP_STATS:
        complete_stats(service);
        stats_put_json(begin_json(reply));
        break;
    case OP_METRICS:
        make_metrics(service, request->format, reply);
        break;
    default:
        return false;
    }
    return true;
}
