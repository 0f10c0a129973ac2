/* daemon/support/metrics.h: counts of several threads, the statuses and the edges of buckets. */
#include "tests/unit/support/check.h"

#include "daemon/support/metrics.h"
#include "daemon/support/stats.h"

#include <stdio.h>
#include <string.h>

/* Returns the value of the line that begins with `series`, or 0. */
static double value_of(void (*put)(struct exposition *out), enum metric metric, const char *series)
{
    struct buf text;
    buf_init(&text, 0);
    struct exposition to = {.out = &text};
    metrics_begin(&to, metric);
    put(&to);
    buf_put_char(&text, '\0');
    const char *found = strstr(text.data, series);
    double value = 0;
    if (found != NULL)
        assert_int_equal(sscanf(found + strlen(series), " %lf", &value), 1);
    buf_fini(&text);
    return value;
}

static double requests(const char *operation, int status)
{
    char series[128];
    snprintf(series, sizeof series, "\nposed_requests_total{operation=\"%s\",status=\"%d\"}", operation, status);
    return value_of(metrics_put_requests, METRIC_REQUESTS, series);
}

TEST(metrics_know_every_status)
{
    static const int STATUSES[] = {
        101, 200, 204, 304, 499,
#define X(symbol, number, http, name, text) http,
#include "protocol/errors.def"
#undef X
    };
    for (size_t i = 0; i < sizeof STATUSES / sizeof *STATUSES; i++) {
        const double before = requests("texture", STATUSES[i]);
        metrics_count_request(OP_TEXTURE, STATUSES[i], 1, 0);
        if (requests("texture", STATUSES[i]) - before != 1)
            fail_msg("metrics.c does not know status %d", STATUSES[i]);
    }
    metrics_count_request(OP_TEXTURE, 299, 1, 0);
    assert_true(value_of(metrics_put_requests, METRIC_REQUESTS,
                         "\nposed_requests_total{operation=\"texture\",status=\"other\"}") == 1);
}

TEST(metrics_name_every_operation)
{
    for (int op = 0; op < METRIC_OP_COUNT; op++) {
        if (op == OP_LAYER || op == OP_REFERENCE)
            continue; /* parts of a body */
        const char *name = op == METRIC_OP_PACKET ? "packet" : op == METRIC_OP_NONE ? "none" : OP_INFO[op].name;
        const double before = requests(name, 507);
        metrics_count_request(op, 507, 1, 0);
        assert_true(requests(name, 507) - before == 1);
    }
}

TEST(metrics_of_all_threads_are_summed)
{
    const double before = requests("compare", 200);
    for (uint32_t thread = 0; thread < STATS_THREADS_MAX; thread++) {
        stats_use_thread(thread);
        metrics_count_request(OP_COMPARE, 200, 5, 3);
    }
    stats_use_thread(0);
    assert_true(requests("compare", 200) - before == STATS_THREADS_MAX);
    assert_true(value_of(metrics_put_response_bytes, METRIC_RESPONSE_BYTES,
                         "\nposed_response_body_bytes_total{operation=\"compare\"}") >= 3 * STATS_THREADS_MAX);
}

static double waits(const char *bound)
{
    char series[128];
    snprintf(series, sizeof series, "\nposed_queue_wait_seconds_bucket{queue=\"environments\",le=\"%s\"}", bound);
    return value_of(metrics_put_queue_wait, METRIC_QUEUE_WAIT, series);
}

TEST(metrics_put_a_bound_into_its_bucket)
{
    const double first = waits("1e-05"), second = waits("0.0001"), last = waits("60.0"), all = waits("+Inf");
    metrics_count_wait(METRIC_QUEUE_ENVIRONMENTS, 0);
    metrics_count_wait(METRIC_QUEUE_ENVIRONMENTS, 10000);
    metrics_count_wait(METRIC_QUEUE_ENVIRONMENTS, 10001);
    metrics_count_wait(METRIC_QUEUE_ENVIRONMENTS, UINT64_C(60000000000));
    metrics_count_wait(METRIC_QUEUE_ENVIRONMENTS, UINT64_C(60000000001));
    assert_true(waits("1e-05") - first == 2);
    assert_true(waits("0.0001") - second == 3);
    assert_true(waits("60.0") - last == 4);
    assert_true(waits("+Inf") - all == 5);
}
