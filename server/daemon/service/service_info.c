/* service_info.c - answers operations that need no model: health, version, formats, statistics, the gallery page. */
#include "daemon/service/job.h"

#include "base/version.h"
#include "wire/bodies/bodies.h"
#include "wire/encode/json.h"
#include "wire/packet/packet.h"
#include "daemon/support/stats.h"

#include "gallery_html.h" /* made from gallery.html by the Makefile */

enum { PROTOCOL_VERSION = 1 };
static const char CACHE_REVALIDATE[] = "no-cache";
static const char CACHE_NEVER[] = "no-store";

static void make_json(struct reply *reply, const char *text)
{
    reply->content_type = "application/json";
    reply->cache_control = CACHE_NEVER;
    buf_put_text(&reply->body, text);
}

static void make_version(const struct service *service, struct reply *reply)
{
    const char *renderer = render_pool_renderer(service->renders);
    const char *kernel = kernel_find(service->config->kernel)->name;
    make_json(reply, "");
    json_printf(&reply->body,
                "{\"name\":\"posed\",\"version\":%s,\"build\":%s,\"protocol\":%d,\"packets\":%d,\"kernel\":%s,"
                "\"renderer\":%s,\"uploads\":%s}\n",
                POSED_VERSION, POSED_BUILD, PROTOCOL_VERSION, PACKET_VERSION, kernel,
                renderer[0] != '\0' ? renderer : NULL, uploads_folder(service->uploads));
}

static void make_shutting_down(struct reply *reply)
{
    struct err err;
    service_refuse_late(&err);
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
    stats_set(STAT_CLIENT_MEMORY_BYTES, atomic_load(&service->budget->used_bytes));
    stats_set(STAT_CLIENT_MEMORY_MAX_BYTES, service->budget->max_bytes);
    stats_put_json(&reply->body);
}

static void make_gallery(struct reply *reply)
{
    reply->content_type = "text/html; charset=utf-8";
    reply->cache_control = CACHE_REVALIDATE;
    buf_put(&reply->body, gallery_html, sizeof gallery_html - 1);
}

static void make_formats(struct reply *reply)
{
    reply->content_type = "application/json";
    reply->cache_control = CACHE_REVALIDATE;
    body_put_formats(&reply->body);
}

/* For a GET that does not open a WebSocket. */
static void make_no_stream(struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_BAD_REQUEST, "this is a WebSocket: a GET with 'Upgrade: websocket' opens it");
    reply_error(reply, &err, NULL, 0);
}

bool service_info(const struct service *service, enum op op, struct reply *reply)
{
    if (service->is_ending) {
        make_shutting_down(reply);
        return true;
    }
    switch (op) {
    case OP_HEALTHZ:
        make_json(reply, "{\"status\":\"ok\"}\n");
        break;
    case OP_READYZ:
        make_ready(service, reply);
        break;
    case OP_VERSION:
        make_version(service, reply);
        break;
    case OP_GALLERY:
        make_gallery(reply);
        break;
    case OP_FORMATS:
        make_formats(reply);
        break;
    case OP_STATS:
        make_stats(service, reply);
        break;
    case OP_STREAM:
        make_no_stream(reply);
        break;
    default:
        return false;
    }
    return true;
}
