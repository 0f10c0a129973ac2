/* service_ready.c - answers /readyz: whether this server can do what --ready requires, part by part. */
#include "daemon/service/job.h"

#include "wire/encode/json.h"

#include <stdio.h>

enum check_status { CHECK_OK, CHECK_OFF, CHECK_WARNING, CHECK_FAILED };
static const char *const STATUS_WORDS[] = {
    [CHECK_OK] = "ok", [CHECK_OFF] = "off", [CHECK_WARNING] = "warning", [CHECK_FAILED] = "failed"};

struct check {
    enum check_status status;
    struct err reason; /* its message; "": no reason */
};

static void set(struct check *check, enum check_status status, const char *reason)
{
    check->status = status;
    snprintf(check->reason.message, sizeof check->reason.message, "%s", reason);
}

/* The failure of a part makes the server unready only if --ready requires the part. */
static enum check_status wrong(const struct service *service, enum ready_part part)
{
    return (service->config->ready & part) != 0 ? CHECK_FAILED : CHECK_WARNING;
}

static void check_shutdown(const struct service *service, struct check *out)
{
    if (!service->is_leaving)
        return;
    service_refuse_late(&out->reason);
    out->status = CHECK_FAILED;
}

/* By default a warning: models in memory are still served, and all servers of a shared mount would leave the balancer
 * at once. With one mount per server, servers that can read theirs are preferable. */
static void check_root(const struct service *service, struct check *out)
{
    if (root_probe_check(service->root_probe, &out->reason) < 0)
        out->status = wrong(service, READY_MODELS);
}

/* By default a warning, because poses need no renderer. A shortage of memory or processes is temporary. */
static void check_renderer(const struct service *service, struct check *out)
{
    if (service->config->render_workers == 0) {
        set(out, CHECK_OFF, "--render-workers 0");
        return;
    }
    const int rc = render_pool_check_start(service->renders, &out->reason);
    if (rc == 0)
        set(out, CHECK_OK, "starting");
    else if (rc < 0)
        out->status = rc == ERR_OVERLOADED ? CHECK_WARNING : wrong(service, READY_PICTURES);
}

static void check_sandbox(const struct service *service, struct check *out)
{
    const struct config *config = service->config;
    if (config->sandbox == SANDBOX_OFF)
        set(out, CHECK_OFF, "--sandbox off");
    else if (config->sandbox_lack[0] != '\0')
        set(out, CHECK_WARNING, config->sandbox_lack);
}

/* Without the cache, models are imported again. */
static void check_cache(const struct service *service, struct check *out)
{
    const char *failure =
        service->disk_failure.code != 0 ? service->disk_failure.message : cache_disk_failure(service->cache);
    if (strcmp(service->config->cache_dir, "none") == 0)
        set(out, CHECK_OFF, "--cache-dir none");
    else if (failure != NULL)
        set(out, CHECK_WARNING, failure);
}

static const struct {
    const char *name;
    void (*fill)(const struct service *service, struct check *out);
} CHECKS[] = {
    {"shutdown", check_shutdown}, {"root", check_root},   {"renderer", check_renderer},
    {"sandbox", check_sandbox},   {"cache", check_cache},
};
enum { CHECK_COUNT = sizeof CHECKS / sizeof *CHECKS };

static void put_checks(struct buf *out, const struct check checks[CHECK_COUNT], bool is_ready)
{
    json_printf(out, "\"status\":%s,\"checks\":[", is_ready ? "ok" : "failed");
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        const char *reason = checks[i].reason.message;
        json_comma(out, i > 0);
        json_printf(out, "{\"name\":%s,\"status\":%s,\"reason\":%s}", CHECKS[i].name, STATUS_WORDS[checks[i].status],
                    reason[0] == '\0' ? NULL : reason);
    }
    buf_put_text(out, "]}\n");
}

/* Returns 0, or the error of an unready server. */
static int judge(const struct check checks[CHECK_COUNT], struct err *err)
{
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        const struct err *reason = &checks[i].reason;
        if (checks[i].status != CHECK_FAILED)
            continue;
        if (reason->code == ERR_SHUTTING_DOWN)
            return err_set(err, reason->code, "%s", reason->message);
        return err_set(err, ERR_UNAVAILABLE, "not ready: %s: %.400s", CHECKS[i].name, reason->message);
    }
    return 0;
}

void service_tell_ready(const struct service *service, const struct request *request, struct reply *reply)
{
    struct check checks[CHECK_COUNT] = {0};
    struct err err = {0};
    for (size_t i = 0; i < CHECK_COUNT; i++)
        CHECKS[i].fill(service, &checks[i]);
    const bool is_ready = judge(checks, &err) == 0;
    reply->content_type = "application/json";
    reply->cache_control = "no-store";
    if (!is_ready)
        reply_error(reply, &err, NULL, 0);
    if (!request->is_verbose && !is_ready)
        return;
    buf_clear(&reply->body);
    if (!request->is_verbose) {
        buf_put_text(&reply->body, "{\"status\":\"ok\"}\n");
        return;
    }
    buf_put_char(&reply->body, '{');
    if (!is_ready)
        json_printf(&reply->body, "\"error\":{\"code\":%s,\"message\":%s},", err_name(err.code), err.message);
    put_checks(&reply->body, checks, is_ready);
}
