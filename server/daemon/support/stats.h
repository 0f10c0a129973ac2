/* stats.h - counters and gauges: the rows of protocol/stats.def, and how often each error code ended something.
 *
 * One set per process, like the log, so that no layer has to pass it on. Loop threads only: each thread has counters of
 * its own, and readers sum them. Work threads hand their counts to the loop with their results. */
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

/* What an error code can have ended. */
enum stat_errors {
    STAT_ERRORS_REQUESTS, /* "requests.errors": error answers */
    STAT_ERRORS_IMPORTS,  /* "imports.failed": imports without a model */
    STAT_ERRORS_RENDERS,  /* "renders.failed": pictures without a picture */
    STAT_ERRORS_COUNT
};

enum { STATS_THREADS_MAX = 65 };

/* Which counts are this thread's, from 0; a thread that does not say has number 0. A gauge is a sum, too: of what is
 * each thread's own, or of a thing that only one of them has. */
void stats_use_thread(uint32_t thread);
uint32_t stats_thread(void);       /* that number, of this thread */
uint32_t stats_thread_count(void); /* the largest that was said, and one */

void stats_add(enum statistic stat, uint64_t count);   /* counters */
void stats_set(enum statistic stat, uint64_t value);   /* gauges */
void stats_raise(enum statistic stat, uint64_t value); /* a gauge that is the largest value of all threads so far */
/* code: an ERR_; 0 counts nothing. A new row of errors.def is counted without a change here. */
void stats_count_error(enum stat_errors ends, int code);

/* {"connections":{"open":3,..},"requests":{..,"errors":{"not_found":1}},..}: codes that never occurred are left out. */
void stats_put_json(struct buf *out);

/* A family for each row of the table, posed_GROUP_NAME, but posed_GROUP where the name is "count". */
void stats_put_metrics(struct exposition *out);
/* The samples of a family, with the label "code": codes that never occurred are left out. */
void stats_put_error_metrics(struct exposition *out, enum stat_errors ends);
