/* server/wire/http/url.h and accept.h. */
#include "tests/unit/support/check.h"

#include "wire/request/accept.h"
#include "wire/encode/number.h"
#include "wire/http/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(query_splits)
{
    static const char text[] = "&a=1&&b&=c&d=e=f&";
    static const char *const expected[][2] = {{"a", "1"}, {"b", ""}, {"", "c"}, {"d", "e=f"}};
    const char *at = text;
    size_t size = sizeof text - 1;
    struct url_param part;
    for (size_t i = 0; i < 4; i++) {
        assert_true(url_next_param(&at, &size, &part));
        assert_int_equal(part.name_bytes, strlen(expected[i][0]));
        assert_memory_equal(part.name, expected[i][0], part.name_bytes);
        assert_int_equal(part.value_bytes, strlen(expected[i][1]));
        assert_memory_equal(part.value, expected[i][1], part.value_bytes);
    }
    assert_false(url_next_param(&at, &size, &part));
}

/* Decodes into a heap block of exactly the promised size. */
static void check_decode(const char *text, const char *expected, const char *message)
{
    const size_t size = strlen(text);
    char *in = malloc(size + 1), *out = malloc(size + 1);
    assert_non_null(in);
    assert_non_null(out);
    memcpy(in, text, size);
    struct err err = {0};
    const ptrdiff_t rc = url_decode(in, size, true, out, &err);
    if (expected != NULL) {
        assert_int_equal(rc, strlen(expected));
        assert_string_equal(out, expected);
    } else {
        assert_int_equal(rc, ERR_BAD_PARAMETER);
        assert_non_null(strstr(err.message, message == NULL ? "?" : message));
    }
    free(in);
    free(out);
}

TEST(query_decodes)
{
    check_decode("", "", NULL);
    check_decode("a+b%2Bc%2f%2F", "a b+c//", NULL);
    check_decode("%C3%A4%e2%82%ac", "\xc3\xa4\xe2\x82\xac", NULL);
    check_decode("100%25", "100%", NULL);
    check_decode("%", NULL, "'%'");
    check_decode("a%4", NULL, "'%4'");
    check_decode("%4g0", NULL, "'%4g'");
    check_decode("%+1", NULL, "'%+1'");
    check_decode("a%00b", NULL, "NUL");
    check_decode("%ff", NULL, "UTF-8");
    check_decode("%c3", NULL, "UTF-8");
    check_decode("%ed%a0%80", NULL, "UTF-8");
    check_decode("%c0%af", NULL, "UTF-8");
}

TEST(query_decodes_every_escape)
{
    for (int value = 1; value < 128; value++) {
        char text[4], expected[2] = {(char)value, '\0'};
        snprintf(text, sizeof text, value % 2 ? "%%%02x" : "%%%02X", (unsigned)value);
        check_decode(text, expected, NULL);
    }
}

TEST(query_doubles)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},      {"-1.5", -1.5}, {".5", .5},    {"5.", 5},
                {"1e3", 1000}, {"1E-2", .01},  {"00.10", .1}, {"1e-999", 0}};
    static const char *const bad[] = {"",    "-",   ".",     "+1",  " 1",  "1 ",    "1e", "1e+", "inf",  "nan",
                                      "NaN", "0x1", "1e999", "--1", "1,5", "1.2.3", "1f", "e5",  "-.e1", "infinity"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = -77;
        assert_true(number_parse_double(good[i].text, &value));
        CHECK_NEAR(value, good[i].value, 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value;
        if (number_parse_double(bad[i], &value))
            fail_msg("'%s' is taken for %g", bad[i], value);
    }
}

TEST(query_uints)
{
    uint64_t value = 7;
    assert_true(number_parse_uint("18446744073709551615", UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
    assert_false(number_parse_uint("18446744073709551616", UINT64_MAX, &value));
    assert_false(number_parse_uint("99999999999999999999999", UINT64_MAX, &value));
    assert_true(number_parse_uint("0010", 10, &value));
    assert_int_equal(value, 10);
    assert_false(number_parse_uint("11", 10, &value));
    assert_false(number_parse_uint("", 10, &value));
    assert_false(number_parse_uint("-1", 10, &value));
    assert_false(number_parse_uint("1 ", 10, &value));
    assert_true(number_is_digits("0123"));
    assert_false(number_is_digits(""));
    assert_false(number_is_digits("1a"));
}

TEST(accept_chooses_the_format)
{
    static const struct {
        const char *accept;
        enum format format;
    } rows[] = {
        {NULL, FORMAT_JSON},
        {"", FORMAT_JSON},
        {"*/*", FORMAT_JSON},
        {"application/*", FORMAT_JSON},
        {"application/json", FORMAT_JSON},
        {"image/png", FORMAT_JSON},
        {"application/vnd.posed.frames", FORMAT_BIN},
        {"Application/vnd.posed.FRAMES ; v=1", FORMAT_BIN},
        {"application/vnd.posed.frames, */*", FORMAT_BIN},
        {"application/json, application/vnd.posed.frames", FORMAT_BIN},
        {"application/vnd.posed.frames;q=0", FORMAT_JSON},
        {"application/vnd.posed.frames;q=0.5, application/json", FORMAT_JSON},
        {"application/vnd.posed.frames;q=0.5, application/json;q=0.4", FORMAT_BIN},
        {"application/vnd.posed.frames; q=0.5 , */*;q=0.8", FORMAT_JSON},
        {"application/vnd.posed.frames; q=0.5 , */*;q=0.8, application/*;q=0.1", FORMAT_BIN},
        {"application/vnd.posed.frames;q=2", FORMAT_JSON},
        {"application/vnd.posed.frames;q=0.x", FORMAT_JSON},
        {"application/vnd.posed.frames;q=1.001", FORMAT_JSON},
        {"application/vnd.posed.frames;q=", FORMAT_JSON},
        {"application/vnd.posed.framesx", FORMAT_JSON},
        {",,;,;q,", FORMAT_JSON},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (accept_format(rows[i].accept, false) != rows[i].format)
            fail_msg("Accept: %s gives the wrong format", rows[i].accept);
}

TEST(accept_of_metrics)
{
    static const struct {
        const char *accept;
        enum format format;
    } rows[] = {
        {NULL, FORMAT_METRICS},
        {"*/*", FORMAT_METRICS},
        {"text/plain", FORMAT_METRICS},
        {"application/*", FORMAT_METRICS},
        {"application/openmetrics-text", FORMAT_OPENMETRICS},
        {"application/openmetrics-text;q=0, text/plain", FORMAT_METRICS},
        {"application/openmetrics-text;q=0.4, text/plain;q=0.5", FORMAT_METRICS},
        /* Prometheus 2.42 and 2.50 */
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
         "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         FORMAT_OPENMETRICS},
        {"text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,*/*;q=0.1", FORMAT_METRICS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (accept_metrics_format(rows[i].accept) != rows[i].format)
            fail_msg("Accept: %s gives the wrong format of metrics", rows[i].accept);
}

TEST(accept_of_an_operation_that_has_glb)
{
    static const struct {
        const char *accept;
        enum format with_glb, without;
    } rows[] = {
        {"model/gltf-binary", FORMAT_GLB, FORMAT_JSON},
        {"Model/GLTF-Binary;q=0.5, */*;q=0.1", FORMAT_GLB, FORMAT_JSON},
        {"model/gltf-binary;q=0.5, application/json", FORMAT_JSON, FORMAT_JSON},
        {"model/gltf-binary;q=0", FORMAT_JSON, FORMAT_JSON},
        {"model/gltf-binary, application/vnd.posed.frames", FORMAT_BIN, FORMAT_BIN},
        {"model/gltf-binary, application/vnd.posed.frames;q=0.9", FORMAT_GLB, FORMAT_BIN},
        {"model/*", FORMAT_JSON, FORMAT_JSON},
        {"*/*", FORMAT_JSON, FORMAT_JSON},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (accept_format(rows[i].accept, true) != rows[i].with_glb ||
            accept_format(rows[i].accept, false) != rows[i].without)
            fail_msg("Accept: %s gives the wrong format", rows[i].accept);
}
