/* wire/encode/exposition.h: the text of Prometheus and of OpenMetrics, byte by byte. */
#include "tests/unit/support/check.h"

#include "wire/encode/exposition.h"

#include <stdio.h>
#include <string.h>

static struct buf text;

static struct exposition begin(enum exposition_form form, enum metric_kind kind, const char *name, const char *help)
{
    struct exposition to = {.out = &text, .form = form};
    buf_fini(&text);
    exposition_begin(&to, &(struct metric_family){kind, name, help});
    return to;
}

static void check_text(const char *expected)
{
    buf_put_char(&text, '\0');
    assert_string_equal(text.data, expected);
    buf_fini(&text);
}

TEST(exposition_of_a_counter)
{
    struct exposition to = begin(EXPOSITION_TEXT, METRIC_KIND_COUNTER, "things", "all of them");
    exposition_put(&to, NULL, 0, 3);
    exposition_end(&to);
    check_text("# HELP things_total all of them\n"
               "# TYPE things_total counter\n"
               "things_total 3\n");
    to = begin(EXPOSITION_OPENMETRICS, METRIC_KIND_COUNTER, "things", "all of them");
    exposition_put(&to, NULL, 0, 3);
    exposition_end(&to);
    check_text("# HELP things all of them\n"
               "# TYPE things counter\n"
               "things_total 3\n"
               "# EOF\n");
}

TEST(exposition_of_information_is_a_gauge_in_the_older_format)
{
    const struct metric_label labels[] = {{"version", "1.2"}, {"build", "release"}};
    struct exposition to = begin(EXPOSITION_TEXT, METRIC_KIND_INFO, "build", "what runs");
    exposition_put(&to, labels, 2, 1);
    check_text("# HELP build_info what runs\n"
               "# TYPE build_info gauge\n"
               "build_info{version=\"1.2\",build=\"release\"} 1\n");
    to = begin(EXPOSITION_OPENMETRICS, METRIC_KIND_INFO, "build", "what runs");
    exposition_put(&to, labels, 2, 1);
    check_text("# HELP build what runs\n"
               "# TYPE build info\n"
               "build_info{version=\"1.2\",build=\"release\"} 1\n");
}

TEST(exposition_names_units_in_openmetrics)
{
    static const struct {
        const char *name, *unit;
    } rows[] = {{"wait_seconds", "seconds"}, {"sent_bytes", "bytes"}, {"bytes", NULL}, {"seconds_left", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char unit[64] = "";
        begin(EXPOSITION_OPENMETRICS, METRIC_KIND_GAUGE, rows[i].name, "h");
        buf_put_char(&text, '\0');
        if (rows[i].unit != NULL)
            snprintf(unit, sizeof unit, "\n# UNIT %s %s\n", rows[i].name, rows[i].unit);
        assert_true(strstr(text.data, rows[i].unit != NULL ? unit : "gauge\n") != NULL);
        assert_true((strstr(text.data, "# UNIT") != NULL) == (rows[i].unit != NULL));
        begin(EXPOSITION_TEXT, METRIC_KIND_GAUGE, rows[i].name, "h");
        buf_put_char(&text, '\0');
        assert_null(strstr(text.data, "UNIT"));
    }
    buf_fini(&text);
}

TEST(exposition_escapes)
{
    const struct metric_label label = {"path", "a\\b\"c\nd\xff\xc3\xa9"};
    struct exposition to = begin(EXPOSITION_TEXT, METRIC_KIND_GAUGE, "x", "say \"a\\b\"\nor");
    exposition_put(&to, &label, 1, 0.25);
    check_text("# HELP x say \"a\\\\b\"\\nor\n"
               "# TYPE x gauge\n"
               "x{path=\"a\\\\b\\\"c\\nd\xEF\xBF\xBD\xc3\xa9\"} 0.25\n");
    to = begin(EXPOSITION_OPENMETRICS, METRIC_KIND_GAUGE, "x", "say \"a\\b\"\nor");
    check_text("# HELP x say \\\"a\\\\b\\\"\\nor\n"
               "# TYPE x gauge\n");
}

TEST(exposition_of_a_histogram_adds_its_buckets_up)
{
    static const double bounds[] = {1e-05, 0.25, 1, 10};
    static const uint64_t buckets[] = {2, 0, 3, 0, 1};
    const struct metric_label label = {"loop", "1"};
    struct exposition to = begin(EXPOSITION_TEXT, METRIC_KIND_HISTOGRAM, "lag_seconds", "h");
    exposition_put_histogram(&to, &label, 1, &(struct metric_histogram){bounds, buckets, 4, 12.5});
    check_text("# HELP lag_seconds h\n"
               "# TYPE lag_seconds histogram\n"
               "lag_seconds_bucket{loop=\"1\",le=\"1e-05\"} 2\n"
               "lag_seconds_bucket{loop=\"1\",le=\"0.25\"} 2\n"
               "lag_seconds_bucket{loop=\"1\",le=\"1.0\"} 5\n"
               "lag_seconds_bucket{loop=\"1\",le=\"10.0\"} 5\n"
               "lag_seconds_bucket{loop=\"1\",le=\"+Inf\"} 6\n"
               "lag_seconds_sum{loop=\"1\"} 12.5\n"
               "lag_seconds_count{loop=\"1\"} 6\n");
}

TEST(exposition_of_a_histogram_without_labels)
{
    static const double bounds[] = {0.5};
    static const uint64_t buckets[] = {0, 0};
    struct exposition to = begin(EXPOSITION_OPENMETRICS, METRIC_KIND_HISTOGRAM, "wait_seconds", "h");
    exposition_put_histogram(&to, NULL, 0, &(struct metric_histogram){bounds, buckets, 1, 0});
    exposition_end(&to);
    check_text("# HELP wait_seconds h\n"
               "# TYPE wait_seconds histogram\n"
               "# UNIT wait_seconds seconds\n"
               "wait_seconds_bucket{le=\"0.5\"} 0\n"
               "wait_seconds_bucket{le=\"+Inf\"} 0\n"
               "wait_seconds_sum 0\n"
               "wait_seconds_count 0\n"
               "# EOF\n");
}
