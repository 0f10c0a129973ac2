/* protocol/metrics.md lists the families of both tables, and no others. Run from the project's root. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER   "counter"
#define GAUGE     "gauge"
#define HISTOGRAM "histogram"
#define INFO      "info"

static const char *suffix_of(const char *kind)
{
    return strcmp(kind, COUNTER) == 0 ? "_total" : strcmp(kind, INFO) == 0 ? "_info" : "";
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)) != NULL; text += strlen(what))
        count++;
    return count;
}

static void check_row(const char *text, const char *row)
{
    if (strstr(text, row) == NULL)
        fail_msg("metrics.md should have the line: %s", row);
}

/* "`operation` `status`" of "operation status", "-" of none. */
static const char *quoted(const char *labels, char out[128])
{
    size_t at = 0;
    snprintf(out, 128, labels[0] == '\0' ? "-" : "`");
    for (at = strlen(out); *labels != '\0'; labels++)
        at += (size_t)snprintf(out + at, 128 - at, *labels == ' ' ? "` `" : "%c", *labels);
    if (out[0] == '`')
        snprintf(out + at, 128 - at, "`");
    return out;
}

TEST(metrics_document_has_every_family)
{
    static const struct {
        const char *kind, *name, *labels, *text;
    } families[] = {
#define X(symbol, kind, name, labels, text) {kind, name, labels, text},
#include "protocol/metrics.def"
#undef X
    };
    static const struct {
        const char *kind, *group, *name, *text;
    } rows[] = {
#define X(symbol, kind, group, name, text) {kind, group, name, text},
#include "protocol/stats.def"
#undef X
    };
    char *document = document_read("protocol/metrics.md"), row[512], labels[128];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        snprintf(row, sizeof row, "\n| %s | `%s%s` | %s | %s |\n", families[i].kind, families[i].name,
                 suffix_of(families[i].kind), quoted(families[i].labels, labels), families[i].text);
        check_row(document, row);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_count = strcmp(rows[i].name, "count") == 0;
        const char *us = strstr(rows[i].name, "_us"); /* a metric is in seconds */
        snprintf(row, sizeof row, "\n| %s | `posed_%s%s%.*s%s%s` | %s: %s |\n", rows[i].kind, rows[i].group,
                 is_count ? "" : "_",
                 is_count ? 0 : (int)(us != NULL ? (size_t)(us - rows[i].name) : strlen(rows[i].name)), rows[i].name,
                 us != NULL ? "_seconds" : "", suffix_of(rows[i].kind), rows[i].group, rows[i].text);
        check_row(document, row);
    }
    assert_int_equal(count_of(document, "\n| counter |") + count_of(document, "\n| gauge |") +
                         count_of(document, "\n| histogram |") + count_of(document, "\n| info |"),
                     sizeof families / sizeof *families + sizeof rows / sizeof *rows);
    free(document);
}
