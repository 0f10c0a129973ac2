/* service_metrics.c - writes all counters of the process for Prometheus: the rows of protocol/stats.def and the
 * families of protocol/metrics.def, in the order of the tables. */
#include "daemon/service/job.h"

#include "anim/kernel/kernel.h"
#include "base/version.h"
#include "daemon/process/worker_usage.h"
#include "daemon/support/metrics.h"
#include "daemon/support/process_usage.h"
#include "wire/packet/packet.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* --- the server --- */

static void put_build(const struct service *service, struct exposition *out)
{
    char protocol[16], packets[16];
    snprintf(protocol, sizeof protocol, "%d", SERVICE_PROTOCOL_VERSION);
    snprintf(packets, sizeof packets, "%d", PACKET_VERSION);
    const struct metric_label labels[] = {{"version", posed_version()},
                                          {"build", POSED_BUILD},
                                          {"kernel", kernel_find(service->config->kernel)->name},
                                          {"protocol", protocol},
                                          {"packets", packets}};
    exposition_put(out, labels, sizeof labels / sizeof *labels, 1);
}

static void put_renderer(const struct service *service, struct exposition *out)
{
    const char *driver = render_pool_renderer(service->renders);
    if (driver[0] != '\0')
        exposition_put(out, &(struct metric_label){"driver", driver}, 1, 1);
}

static enum metric limit_family(const char *unit)
{
    const bool is_time = strcmp(unit, "ms") == 0 || strcmp(unit, "s") == 0;
    return is_time ? METRIC_LIMIT_SECONDS : strcmp(unit, "bytes") == 0 ? METRIC_LIMIT_BYTES : METRIC_LIMIT;
}

/* Writes the limits that are options and belong to this family. */
static void put_limits(const struct service *service, enum metric family, struct exposition *out)
{
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_info *info = &LIMIT_INFO[i];
        const double scale = strcmp(info->unit, "ms") == 0 ? 1000 : 1;
        if (info->option[0] != '\0' && limit_family(info->unit) == family)
            exposition_put(out, &(struct metric_label){"limit", info->option}, 1,
                           (double)service->config->limits.value[i] / scale);
    }
}

/* --- the process --- */

static void put_cpu(struct exposition *out)
{
    struct timespec used;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
        exposition_put(out, NULL, 0, (double)used.tv_sec + (double)used.tv_nsec / 1e9);
}

static void put_memory(struct exposition *out, bool is_resident)
{
    struct process_memory memory;
    if (process_usage_memory(getpid(), &memory))
        exposition_put(out, NULL, 0, (double)(is_resident ? memory.resident_bytes : memory.virtual_bytes));
}

static void put_fds(struct exposition *out)
{
    const int count = process_usage_fds(getpid());
    if (count >= 0)
        exposition_put(out, NULL, 0, count);
}

static void put_max_fds(struct exposition *out)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY)
        exposition_put(out, NULL, 0, (double)files.rlim_cur);
}

/* Computed once, because a later result would move with the wall clock. */
static void put_start(struct exposition *out)
{
    static double start_s;
    if (start_s == 0)
        start_s = process_usage_start_s(getpid());
    if (start_s != 0)
        exposition_put(out, NULL, 0, start_s);
}

/* --- the families --- */

static bool put_counted(enum metric metric, struct exposition *out)
{
    static void (*const PUTS[METRIC_COUNT])(struct exposition *) = {
        [METRIC_REQUESTS] = metrics_put_requests,
        [METRIC_REQUEST_DURATION] = metrics_put_request_duration,
        [METRIC_RESPONSE_BYTES] = metrics_put_response_bytes,
        [METRIC_IMPORT_DURATION] = metrics_put_import_duration,
        [METRIC_RENDER_DURATION] = metrics_put_render_duration,
        [METRIC_QUEUE_WAIT] = metrics_put_queue_wait,
        [METRIC_LOOP_LAG] = metrics_put_loop_lag,
        [METRIC_WORKER_STARTS] = worker_usage_put_starts,
        [METRIC_WORKER_ENDS] = worker_usage_put_ends,
        [METRIC_WORKER_PROCESSES] = worker_usage_put_processes,
        [METRIC_WORKER_CPU] = worker_usage_put_cpu,
        [METRIC_WORKER_MEMORY] = worker_usage_put_memory,
        [METRIC_WORKER_FDS] = worker_usage_put_fds,
        [METRIC_PROCESS_CPU] = put_cpu,
        [METRIC_PROCESS_FDS] = put_fds,
        [METRIC_PROCESS_MAX_FDS] = put_max_fds,
        [METRIC_PROCESS_START] = put_start,
    };
    if (PUTS[metric] == NULL)
        return false;
    PUTS[metric](out);
    return true;
}

static void put_samples(const struct service *service, enum metric metric, struct exposition *out)
{
    switch (metric) {
    case METRIC_REQUEST_ERRORS:
        stats_put_error_metrics(out, STAT_ERRORS_REQUESTS);
        break;
    case METRIC_IMPORTS_FAILED:
        stats_put_error_metrics(out, STAT_ERRORS_IMPORTS);
        break;
    case METRIC_RENDERS_FAILED:
        stats_put_error_metrics(out, STAT_ERRORS_RENDERS);
        break;
    case METRIC_BUILD:
        put_build(service, out);
        break;
    case METRIC_RENDERER:
        put_renderer(service, out);
        break;
    case METRIC_DRAINING:
        exposition_put(out, NULL, 0, service->is_draining);
        break;
    case METRIC_LIMIT:
    case METRIC_LIMIT_BYTES:
    case METRIC_LIMIT_SECONDS:
        put_limits(service, metric, out);
        break;
    case METRIC_PROCESS_MEMORY:
        put_memory(out, true);
        break;
    case METRIC_PROCESS_ADDRESSES:
        put_memory(out, false);
        break;
    default:
        break;
    }
}

void service_put_metrics(const struct service *service, enum exposition_form form, struct buf *out)
{
    struct exposition to = {.out = out, .form = form};
    stats_put_metrics(&to);
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        metrics_begin(&to, metric);
        if (!put_counted(metric, &to))
            put_samples(service, metric, &to);
    }
    exposition_end(&to);
}
