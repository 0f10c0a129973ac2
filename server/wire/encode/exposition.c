#include "wire/encode/exposition.h"

#include "base/utf8.h"
#include "wire/encode/json.h"

#include <stdio.h>

const char EXPOSITION_TEXT_TYPE[] = "text/plain; version=0.0.4; charset=utf-8";
const char EXPOSITION_OPENMETRICS_TYPE[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/* Returns the unit at the end of the name, or NULL. */
static const char *unit_of(const char *name)
{
    static const char *const UNITS[] = {"seconds", "bytes"};
    const char *last = strrchr(name, '_');
    for (size_t i = 0; last != NULL && i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(last + 1, UNITS[i]) == 0)
            return UNITS[i];
    return NULL;
}

/* Returns the suffix that samples of this kind add to the family's name. */
static const char *suffix_of(enum metric_kind kind)
{
    return kind == METRIC_KIND_COUNTER ? "_total" : kind == METRIC_KIND_INFO ? "_info" : "";
}

/* Escapes backslash and newline; also quotes in quoted text, and in OpenMetrics always. */
static void put_escaped(struct buf *out, const char *text, bool escapes_quotes)
{
    for (size_t left = strlen(text), sequence; left > 0; text += sequence, left -= sequence) {
        sequence = utf8_sequence(text, left);
        if (sequence == 0) {
            buf_put_text(out, "\xEF\xBF\xBD");
            sequence = 1;
        } else if (*text == '\n') {
            buf_put_text(out, "\\n");
        } else {
            if (*text == '\\' || (*text == '"' && escapes_quotes))
                buf_put_char(out, '\\');
            buf_put(out, text, sequence);
        }
    }
}

static void put_comment(struct exposition *to, const char *what)
{
    const struct metric_family *family = &to->family;
    buf_printf(to->out, "# %s %s%s ", what, family->name, to->form == EXPOSITION_TEXT ? suffix_of(family->kind) : "");
}

/* In the older format a family has the name of its samples, and there is no info kind. */
void exposition_begin(struct exposition *to, const struct metric_family *family)
{
    static const char *const KINDS[] = {[METRIC_KIND_COUNTER] = "counter",
                                        [METRIC_KIND_GAUGE] = "gauge",
                                        [METRIC_KIND_HISTOGRAM] = "histogram",
                                        [METRIC_KIND_INFO] = "info"};
    const bool is_text = to->form == EXPOSITION_TEXT;
    const char *unit = unit_of(family->name);
    to->family = *family;
    put_comment(to, "HELP");
    put_escaped(to->out, family->help, !is_text);
    buf_put_char(to->out, '\n');
    put_comment(to, "TYPE");
    buf_put_text(to->out, KINDS[is_text && family->kind == METRIC_KIND_INFO ? METRIC_KIND_GAUGE : family->kind]);
    buf_put_char(to->out, '\n');
    if (is_text || unit == NULL)
        return;
    put_comment(to, "UNIT");
    buf_printf(to->out, "%s\n", unit);
}

static void put_sample(struct exposition *to, const char *suffix, const struct metric_label *labels,
                       uint32_t label_count, double value)
{
    struct buf *out = to->out;
    buf_printf(out, "%s%s", to->family.name, suffix);
    for (uint32_t i = 0; i < label_count; i++) {
        buf_printf(out, "%s%s=\"", i == 0 ? "{" : ",", labels[i].name);
        put_escaped(out, labels[i].value, true);
        buf_put_char(out, '"');
    }
    buf_put_text(out, label_count > 0 ? "} " : " ");
    json_put_double(out, value);
    buf_put_char(out, '\n');
}

void exposition_put(struct exposition *to, const struct metric_label *labels, uint32_t label_count, double value)
{
    put_sample(to, suffix_of(to->family.kind), labels, label_count, value);
}

enum { BOUND_SIZE = 32 };

/* Formats a bound as Prometheus' own libraries do ("1.0" for 1, which OpenMetrics requires). Both formats use it, so
 * that a series keeps its labels. */
static void bound_text(double bound, char out[BOUND_SIZE])
{
    const int length = snprintf(out, BOUND_SIZE - 2, "%g", bound);
    if (strpbrk(out, ".e") == NULL)
        snprintf(out + length, (size_t)(BOUND_SIZE - length), ".0");
}

void exposition_put_histogram(struct exposition *to, const struct metric_label *labels, uint32_t label_count,
                              const struct metric_histogram *histogram)
{
    struct metric_label all[METRIC_LABELS_MAX];
    char bound[BOUND_SIZE];
    uint64_t count = 0;
    for (uint32_t i = 0; i < label_count; i++)
        all[i] = labels[i];
    for (uint32_t i = 0; i <= histogram->bound_count; i++) {
        const bool is_last = i == histogram->bound_count;
        if (!is_last)
            bound_text(histogram->bounds[i], bound);
        count += histogram->buckets[i];
        all[label_count] = (struct metric_label){"le", is_last ? "+Inf" : bound};
        put_sample(to, "_bucket", all, label_count + 1, (double)count);
    }
    put_sample(to, "_sum", labels, label_count, histogram->sum);
    put_sample(to, "_count", labels, label_count, (double)count);
}

void exposition_end(struct exposition *to)
{
    if (to->form == EXPOSITION_OPENMETRICS)
        buf_put_text(to->out, "# EOF\n");
}
