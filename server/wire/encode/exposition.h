/* exposition.h - writes metrics as text: the Prometheus format 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/) and OpenMetrics 1.0.0. Pure; one thread at a time. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

enum exposition_form { EXPOSITION_TEXT, EXPOSITION_OPENMETRICS };
enum metric_kind { METRIC_KIND_COUNTER, METRIC_KIND_GAUGE, METRIC_KIND_HISTOGRAM, METRIC_KIND_INFO };

extern const char EXPOSITION_TEXT_TYPE[], EXPOSITION_OPENMETRICS_TYPE[]; /* for Content-Type */

/* A family of samples with one name and kind. */
struct metric_family {
    enum metric_kind kind;
    const char *name; /* without _total and _info; a suffix _seconds or _bytes gives the unit */
    const char *help;
};

struct metric_label {
    const char *name, *value; /* value: any bytes; invalid UTF-8 becomes U+FFFD */
};
enum { METRIC_LABELS_MAX = 8 };

/* Observations counted by upper bound. */
struct metric_histogram {
    const double *bounds;    /* [bound_count], ascending, at most six digits each */
    const uint64_t *buckets; /* [bound_count + 1]: the count between the previous bound and this one; the last entry
                                counts the rest */
    uint32_t bound_count;
    double sum;
};

struct exposition {
    struct buf *out; /* the caller's */
    enum exposition_form form;
    struct metric_family family; /* the current family */
};

/* Begins a family; any number of samples follow. Each family may begin only once. */
void exposition_begin(struct exposition *to, const struct metric_family *family);
/* Writes a sample of a counter, gauge or info family. value is finite. */
void exposition_put(struct exposition *to, const struct metric_label *labels, uint32_t label_count, double value);
/* Writes a histogram: cumulative buckets, sum and count. label_count < METRIC_LABELS_MAX. */
void exposition_put_histogram(struct exposition *to, const struct metric_label *labels, uint32_t label_count,
                              const struct metric_histogram *histogram);
/* Ends the text after the last family. */
void exposition_end(struct exposition *to);
