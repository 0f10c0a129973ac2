/* stats.h - counters and gauges: the rows of protocol/stats.def, and a counter for each error code.
 *
 * There is one set per process, like the log, so that no layer has to pass it on. Loop threads only: each thread has
 * its own counters, and readers sum them. Work threads pass their counts to the loop with their results. */
#pragma once

#include "base/buf.h"
#include "wire/encode/exposition.h"

#include <stdint.h>

enum statistic {
#define X(symbol, kind, group, name, text) symbol,
#include "protocol/stats.def"
#undef X
    STAT_COUNT
};

/* The kinds of work that an error code can end. */
enum stat_errors {
    STAT_ERRORS_REQUESTS, /* "requests.errors": error answers */
    STAT_ERRORS_IMPORTS,  /* "imports.failed": imports without a model */
    STAT_ERRORS_RENDERS,  /* "renders.failed": pictures without a picture */
    STAT_ERRORS_COUNT
};

enum { STATS_THREADS_MAX = 65 };

/* Sets the number of this thread's counters, from 0, which is the default. A gauge is a sum too: each thread sets its
 * own part, or only one thread sets it. */
void stats_use_thread(uint32_t thread);
uint32_t stats_thread(void);       /* returns the number of this thread */
uint32_t stats_thread_count(void); /* returns the largest number plus one */

void stats_add(enum statistic stat, uint64_t count);   /* counters */
void stats_set(enum statistic stat, uint64_t value);   /* gauges */
void stats_raise(enum statistic stat, uint64_t value); /* a gauge of the largest value of all threads so far */
/* code: an ERR_; 0 counts nothing. A new row of errors.def is counted without a change here. */
void stats_count_error(enum stat_errors ends, int code);

/* {"connections":{"open":3,..},"requests":{..,"errors":{"not_found":1}},..}: codes that never occurred are left out. */
void stats_put_json(struct buf *out);

/* Appends a family for each row of the table, posed_GROUP_NAME, or posed_GROUP if the name is "count". */
void stats_put_metrics(struct exposition *out);
/* Appends the samples of a family, with the label "code", without codes that never occurred. */
void stats_put_error_metrics(struct exposition *out, enum stat_errors ends);
