/* metrics.c - one block of labelled counters and histograms per thread, summed when they are read. */
#include "daemon/support/metrics.h"

#include "daemon/support/stats.h"

#include <stdatomic.h>
#include <stdio.h>

#define NS_PER_S 1e9

static const struct metric_family FAMILIES[METRIC_COUNT] = {
#define X(symbol, kind, name, labels, text) {METRIC_KIND_##kind, name, text},
#include "protocol/metrics.def"
#undef X
};

static const char *const QUEUES[METRIC_QUEUE_COUNT] = {[METRIC_QUEUE_IMPORTS] = "imports",
                                                       [METRIC_QUEUE_RENDERS] = "renders",
                                                       [METRIC_QUEUE_ANSWERS] = "answers",
                                                       [METRIC_QUEUE_LISTINGS] = "listings",
                                                       [METRIC_QUEUE_ENVIRONMENTS] = "environments"};
static const char *const OUTCOMES[METRIC_OUTCOME_COUNT] = {
    [METRIC_SUCCESS] = "success", [METRIC_ERROR] = "error", [METRIC_CANCELLED] = "cancelled"};

/* The most frequent first: these are compared one after the other. 0 stands for any other. */
static const int STATUSES[] = {200, 304, 404, 206, 101, 201, 204, 400, 401, 403, 405, 408, 409,
                               413, 414, 415, 417, 421, 422, 431, 499, 500, 503, 507, 0};
enum { STATUS_COUNT = sizeof STATUSES / sizeof *STATUSES };

/* Upper bounds: from a pose in memory to an import that exceeds its time limit. */
static const struct bound {
    uint64_t ns;
    double s;
} BOUNDS[] = {
    {10000, 1e-05},    {100000, 1e-04},   {250000, 2.5e-04}, {500000, 5e-04},   {1000000, 0.001},
    {2500000, 0.0025}, {5000000, 0.005},  {10000000, 0.01},  {25000000, 0.025}, {50000000, 0.05},
    {100000000, 0.1},  {250000000, 0.25}, {500000000, 0.5},  {1000000000, 1},   {2500000000, 2.5},
    {5000000000, 5},   {10000000000, 10}, {30000000000, 30}, {60000000000, 60},
};
enum { BOUND_COUNT = sizeof BOUNDS / sizeof *BOUNDS };

struct histogram {
    atomic_uint_fast64_t buckets[BOUND_COUNT + 1], sum_ns;
};

/* Only its thread writes it. */
struct block {
    atomic_uint_fast64_t requests[METRIC_OP_COUNT][STATUS_COUNT], body_bytes[METRIC_OP_COUNT];
    struct histogram durations[METRIC_OP_COUNT], waits[METRIC_QUEUE_COUNT];
    struct histogram imports[METRIC_OUTCOME_COUNT], renders[METRIC_OUTCOME_COUNT], lag;
    char apart[64]; /* from the next thread's, by a cache line */
};
static struct block blocks[STATS_THREADS_MAX];

/* --- counting --- */

static struct block *own(void) { return &blocks[stats_thread()]; }

static uint64_t get(const atomic_uint_fast64_t *value) { return atomic_load_explicit(value, memory_order_relaxed); }

static void add(atomic_uint_fast64_t *value, uint64_t count)
{
    atomic_store_explicit(value, get(value) + count, memory_order_relaxed);
}

static void observe(struct histogram *histogram, uint64_t duration_ns)
{
    int bucket = 0;
    while (bucket < BOUND_COUNT && duration_ns > BOUNDS[bucket].ns)
        bucket++;
    add(&histogram->buckets[bucket], 1);
    add(&histogram->sum_ns, duration_ns);
}

void metrics_count_request(int operation, int status, uint64_t duration_ns, uint64_t body_bytes)
{
    struct block *block = own();
    int place = 0;
    while (place < STATUS_COUNT - 1 && STATUSES[place] != status)
        place++;
    add(&block->requests[operation][place], 1);
    add(&block->body_bytes[operation], body_bytes);
    observe(&block->durations[operation], duration_ns);
}

void metrics_count_import(enum metric_outcome outcome, uint64_t duration_ns)
{
    observe(&own()->imports[outcome], duration_ns);
}

void metrics_count_render(enum metric_outcome outcome, uint64_t duration_ns)
{
    observe(&own()->renders[outcome], duration_ns);
}

void metrics_count_wait(enum metric_queue queue, uint64_t duration_ns) { observe(&own()->waits[queue], duration_ns); }
void metrics_count_loop_lag(uint64_t lag_ns) { observe(&own()->lag, lag_ns); }

/* --- reading --- */

/* The same place in another thread's block. */
static const void *in_block(uint32_t thread, const void *in_first)
{
    return (const char *)&blocks[thread] + ((const char *)in_first - (const char *)blocks);
}

/* of_first: a value of the first block. */
static uint64_t sum_value(const atomic_uint_fast64_t *of_first)
{
    uint64_t sum = 0;
    for (uint32_t thread = 0, count = stats_thread_count(); thread < count; thread++)
        sum += get(in_block(thread, of_first));
    return sum;
}

struct read_histogram {
    uint64_t buckets[BOUND_COUNT + 1], count;
    double sum_s;
};

static void add_histogram(struct read_histogram *to, const struct histogram *from)
{
    for (int i = 0; i <= BOUND_COUNT; i++) {
        const uint64_t count = get(&from->buckets[i]);
        to->buckets[i] += count;
        to->count += count;
    }
    to->sum_s += (double)get(&from->sum_ns) / NS_PER_S;
}

static struct read_histogram sum_histogram(const struct histogram *of_first)
{
    struct read_histogram sum = {0};
    for (uint32_t thread = 0, count = stats_thread_count(); thread < count; thread++)
        add_histogram(&sum, in_block(thread, of_first));
    return sum;
}

static void put_histogram(struct exposition *out, const char *label, const char *value,
                          const struct read_histogram *read)
{
    double bounds[BOUND_COUNT];
    for (int i = 0; i < BOUND_COUNT; i++)
        bounds[i] = BOUNDS[i].s;
    exposition_put_histogram(
        out, &(struct metric_label){label, value}, 1,
        &(struct metric_histogram){
            .bounds = bounds, .buckets = read->buckets, .bound_count = BOUND_COUNT, .sum = read->sum_s});
}

void metrics_begin(struct exposition *out, enum metric metric) { exposition_begin(out, &FAMILIES[metric]); }

static const char *operation_name(int operation)
{
    return operation == METRIC_OP_PACKET ? "packet" : operation == METRIC_OP_NONE ? "none" : OP_INFO[operation].name;
}

void metrics_put_requests(struct exposition *out)
{
    for (int op = 0; op < METRIC_OP_COUNT; op++) {
        for (int i = 0; i < STATUS_COUNT; i++) {
            const uint64_t count = sum_value(&blocks[0].requests[op][i]);
            char status[16];
            if (count == 0)
                continue;
            snprintf(status, sizeof status, "%d", STATUSES[i]);
            const struct metric_label labels[] = {{"operation", operation_name(op)},
                                                  {"status", STATUSES[i] == 0 ? "other" : status}};
            exposition_put(out, labels, 2, (double)count);
        }
    }
}

void metrics_put_request_duration(struct exposition *out)
{
    for (int op = 0; op < METRIC_OP_COUNT; op++) {
        const struct read_histogram read = sum_histogram(&blocks[0].durations[op]);
        if (read.count > 0)
            put_histogram(out, "operation", operation_name(op), &read);
    }
}

void metrics_put_response_bytes(struct exposition *out)
{
    for (int op = 0; op < METRIC_OP_COUNT; op++) {
        const uint64_t bytes = sum_value(&blocks[0].body_bytes[op]);
        if (bytes > 0)
            exposition_put(out, &(struct metric_label){"operation", operation_name(op)}, 1, (double)bytes);
    }
}

void metrics_put_import_duration(struct exposition *out)
{
    for (int i = 0; i < METRIC_OUTCOME_COUNT; i++) {
        const struct read_histogram read = sum_histogram(&blocks[0].imports[i]);
        put_histogram(out, "outcome", OUTCOMES[i], &read);
    }
}

void metrics_put_render_duration(struct exposition *out)
{
    for (int i = 0; i < METRIC_OUTCOME_COUNT; i++) {
        const struct read_histogram read = sum_histogram(&blocks[0].renders[i]);
        put_histogram(out, "outcome", OUTCOMES[i], &read);
    }
}

void metrics_put_queue_wait(struct exposition *out)
{
    for (int i = 0; i < METRIC_QUEUE_COUNT; i++) {
        const struct read_histogram read = sum_histogram(&blocks[0].waits[i]);
        put_histogram(out, "queue", QUEUES[i], &read);
    }
}

void metrics_put_loop_lag(struct exposition *out)
{
    for (uint32_t thread = 0, count = stats_thread_count(); thread < count; thread++) {
        struct read_histogram read = {0};
        char number[16];
        add_histogram(&read, &blocks[thread].lag);
        snprintf(number, sizeof number, "%u", thread + 1);
        if (read.count > 0)
            put_histogram(out, "loop", number, &read);
    }
}
