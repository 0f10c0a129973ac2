/* stats.c - one block of counters per thread, summed when they are read. */
#include "daemon/support/stats.h"

#include "base/err.h"
#include "wire/encode/json.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct stat_row {
    const char *group, *name;
    enum metric_kind kind;
    const char *text;
} ROWS[STAT_COUNT] = {
#define X(symbol, kind, group, name, text) {group, name, METRIC_KIND_##kind, text},
#include "protocol/stats.def"
#undef X
};

static const int CODES[] = {
#define X(symbol, number, http, name, text) -(number),
#include "protocol/errors.def"
#undef X
};
enum { CODE_COUNT = sizeof CODES / sizeof *CODES, VALUE_COUNT = STAT_COUNT + STAT_ERRORS_COUNT * CODE_COUNT };

static const struct stat_end {
    const char *group, *name;
} ENDS[STAT_ERRORS_COUNT] = {
    [STAT_ERRORS_REQUESTS] = {"requests", "errors"},
    [STAT_ERRORS_IMPORTS] = {"imports", "failed"},
    [STAT_ERRORS_RENDERS] = {"renders", "failed"},
};

/* Only its thread writes it, so that counting needs no locked instruction. */
struct counts {
    atomic_uint_fast64_t values[VALUE_COUNT]; /* by enum statistic; behind them by place_of() */
    char apart[64];                           /* from the next thread's, by a cache line */
};
static struct counts counts[STATS_THREADS_MAX];
static _Thread_local struct counts *own = &counts[0];
static _Thread_local uint32_t own_number;
static atomic_uint_fast32_t thread_count = 1; /* from thread 0 to the last that counts */

/* Returns the index of the counter of CODES[code]. */
static int place_of(int ends, int code) { return STAT_COUNT + ends * CODE_COUNT + code; }

static uint64_t get(const atomic_uint_fast64_t *value) { return atomic_load_explicit(value, memory_order_relaxed); }

static void add(atomic_uint_fast64_t *value, uint64_t count)
{
    atomic_store_explicit(value, get(value) + count, memory_order_relaxed);
}

void stats_use_thread(uint32_t thread)
{
    own = &counts[thread];
    own_number = thread;
    uint_fast32_t known = atomic_load(&thread_count);
    while (known <= thread && !atomic_compare_exchange_weak(&thread_count, &known, thread + 1))
        ;
}

uint32_t stats_thread_count(void) { return (uint32_t)atomic_load(&thread_count); }

uint32_t stats_thread(void) { return own_number; }
void stats_add(enum statistic stat, uint64_t count) { add(&own->values[stat], count); }

void stats_set(enum statistic stat, uint64_t value)
{
    atomic_store_explicit(&own->values[stat], value, memory_order_relaxed);
}

/* One place for all threads, so that the sum is the largest. */
void stats_raise(enum statistic stat, uint64_t value)
{
    atomic_uint_fast64_t *largest = &counts[0].values[stat];
    uint_fast64_t known = get(largest);
    while (known < value && !atomic_compare_exchange_weak(largest, &known, value))
        ;
}

void stats_count_error(enum stat_errors ends, int code)
{
    for (int i = 0; i < CODE_COUNT; i++)
        if (CODES[i] == code)
            add(&own->values[place_of((int)ends, i)], 1);
}

static uint64_t sum_of(int place)
{
    uint64_t sum = 0;
    for (uint32_t thread = 0, count = stats_thread_count(); thread < count; thread++)
        sum += get(&counts[thread].values[place]);
    return sum;
}

static void put_name(struct buf *out, const char *before, const char *name)
{
    buf_put_text(out, before);
    json_put_string(out, name, strlen(name));
    buf_put_char(out, ':');
}

/* Appends the counters of error codes of the group, as its last member. */
static void put_ends(struct buf *out, const char *group)
{
    for (int e = 0; e < STAT_ERRORS_COUNT; e++) {
        if (strcmp(ENDS[e].group, group) != 0)
            continue;
        put_name(out, ",", ENDS[e].name);
        const char *before = "{";
        for (int i = 0; i < CODE_COUNT; i++) {
            const uint64_t sum = sum_of(place_of(e, i));
            if (sum == 0)
                continue;
            put_name(out, before, err_name(CODES[i]));
            json_put_uint(out, sum);
            before = ",";
        }
        buf_put_text(out, *before == '{' ? "{}" : "}");
    }
}

void stats_put_json(struct buf *out)
{
    for (int i = 0; i < STAT_COUNT; i++) {
        const bool is_first = i == 0 || strcmp(ROWS[i - 1].group, ROWS[i].group) != 0;
        const bool is_last = i + 1 == STAT_COUNT || strcmp(ROWS[i + 1].group, ROWS[i].group) != 0;
        if (is_first)
            put_name(out, i == 0 ? "{" : ",\n", ROWS[i].group);
        put_name(out, is_first ? "{" : ",", ROWS[i].name);
        json_put_uint(out, sum_of(i));
        if (is_last) {
            put_ends(out, ROWS[i].group);
            buf_put_char(out, '}');
        }
    }
    buf_put_text(out, "}\n");
}

/* Metrics have base units (https://prometheus.io/docs/practices/naming/): "_us" becomes "_seconds". */
static double put_metric_name(char *out, size_t size_bytes, const struct stat_row *row)
{
    static const double S_PER_US = 1e-6;
    const size_t length = strlen(row->name);
    const bool is_count = strcmp(row->name, "count") == 0;
    const bool is_time = length > 3 && strcmp(row->name + length - 3, "_us") == 0;
    snprintf(out, size_bytes, "posed_%s%s%.*s%s", row->group, is_count ? "" : "_",
             is_count  ? 0
             : is_time ? (int)length - 3
                       : (int)length,
             row->name, is_time ? "_seconds" : "");
    return is_time ? S_PER_US : 1;
}

void stats_put_metrics(struct exposition *out)
{
    for (int i = 0; i < STAT_COUNT; i++) {
        const struct stat_row *row = &ROWS[i];
        char name[64], help[256];
        const double unit = put_metric_name(name, sizeof name, row);
        snprintf(help, sizeof help, "%s: %s", row->group, row->text);
        exposition_begin(out, &(struct metric_family){row->kind, name, help});
        exposition_put(out, NULL, 0, unit * (double)sum_of(i));
    }
}

void stats_put_error_metrics(struct exposition *out, enum stat_errors ends)
{
    for (int i = 0; i < CODE_COUNT; i++) {
        const uint64_t sum = sum_of(place_of((int)ends, i));
        if (sum > 0)
            exposition_put(out, &(struct metric_label){"code", err_name(CODES[i])}, 1, (double)sum);
    }
}
