/* metrics.h - counters with labels and histograms of durations: families of protocol/metrics.def.
 *
 * Like stats.h: one set per process, for loop threads; each counts without a lock in its own block, and readers sum the
 * blocks. Durations go into fixed buckets. */
#pragma once

#include "wire/encode/exposition.h"
#include "wire/request/request.h"

#include <stdint.h>

enum metric {
#define X(symbol, kind, name, labels, text) symbol,
#include "protocol/metrics.def"
#undef X
    METRIC_COUNT
};

/* An operation: an enum op, or one of these. */
enum {
    METRIC_OP_PACKET = OP_ALL_COUNT, /* a packet that the connection answers itself */
    METRIC_OP_NONE,                  /* a malformed request */
    METRIC_OP_COUNT
};

/* Label values, in the order of the names in metrics.c. */
enum metric_queue {
    METRIC_QUEUE_IMPORTS,
    METRIC_QUEUE_RENDERS,
    METRIC_QUEUE_ANSWERS,
    METRIC_QUEUE_LISTINGS,
    METRIC_QUEUE_ENVIRONMENTS,
    METRIC_QUEUE_COUNT
};
enum metric_outcome { METRIC_SUCCESS, METRIC_ERROR, METRIC_CANCELLED, METRIC_OUTCOME_COUNT };

/* Counts a request that ended. operation: below METRIC_OP_COUNT. */
void metrics_count_request(int operation, int status, uint64_t duration_ns, uint64_t body_bytes);
void metrics_count_import(enum metric_outcome outcome, uint64_t duration_ns);
void metrics_count_render(enum metric_outcome outcome, uint64_t duration_ns);
void metrics_count_wait(enum metric_queue queue, uint64_t duration_ns);
void metrics_count_loop_lag(uint64_t lag_ns); /* of this thread's loop */

/* Begins a family. */
void metrics_begin(struct exposition *out, enum metric metric);
/* Each writes the samples of one family of this module, only for operations, statuses and loops that occurred. */
void metrics_put_requests(struct exposition *out);
void metrics_put_request_duration(struct exposition *out);
void metrics_put_response_bytes(struct exposition *out);
void metrics_put_import_duration(struct exposition *out);
void metrics_put_render_duration(struct exposition *out);
void metrics_put_queue_wait(struct exposition *out);
void metrics_put_loop_lag(struct exposition *out);
