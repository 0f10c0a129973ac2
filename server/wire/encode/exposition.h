/* exposition.h - metrics as text: the format of Prometheus 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/) and OpenMetrics 1.0.0. Pure; one thread at a time. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

enum exposition_form { EXPOSITION_TEXT, EXPOSITION_OPENMETRICS };
enum metric_kind { METRIC_KIND_COUNTER, METRIC_KIND_GAUGE, METRIC_KIND_HISTOGRAM, METRIC_KIND_INFO };

extern const char EXPOSITION_TEXT_TYPE[], EXPOSITION_OPENMETRICS_TYPE[]; /* for Content-Type */

/* A family of samples of one name and kind. */
struct metric_family {
    enum metric_kind kind;
    const char *name; /* without _total and _info; one that ends in _seconds or _bytes has that unit */
    const char *help;
};

struct metric_label {
    const char *name, *value; /* value: any bytes; what is not UTF-8 becomes U+FFFD */
};
enum { METRIC_LABELS_MAX = 8 };

/* count observations by upper bound. */
struct metric_histogram {
    const double *bounds;    /* [bound_count], ascending, of six digits at most */
    const uint64_t *buckets; /* [bound_count + 1]: those up to each bound and above the one before; last, the rest */
    uint32_t bound_count;
    double sum;
};

struct exposition {
    struct buf *out; /* the caller's */
    enum exposition_form form;
    struct metric_family family; /* the one under way */
};

/* A family begins: samples follow, or none. Not for one that is there already. */
void exposition_begin(struct exposition *to, const struct metric_family *family);
/* A sample, of other families than histograms. value is finite. */
void exposition_put(struct exposition *to, const struct metric_label *labels, uint32_t label_count, double value);
/* A histogram's buckets, which become cumulative, sum and count; label_count < METRIC_LABELS_MAX. */
void exposition_put_histogram(struct exposition *to, const struct metric_label *labels, uint32_t label_count,
                              const struct metric_histogram *histogram);
/* Behind the last family. */
void exposition_end(struct exposition *to);
