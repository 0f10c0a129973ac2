/* server/wire/http/url_time.h. */
#include "tests/unit/support/check.h"

#include "wire/encode/number.h"
#include "wire/http/url.h"
#include "wire/http/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With memory that ends behind the target. */
static bool find(const char *target, struct url_time *time)
{
    const size_t size = strlen(target);
    char *bytes = malloc(size > 0 ? size : 1);
    assert_non_null(bytes);
    memcpy(bytes, target, size);
    const bool is_found = url_find_time(bytes, size, time);
    free(bytes);
    return is_found;
}

static void check_found(const char *target, const char *value, double expected)
{
    struct url_time time;
    assert_true(find(target, &time));
    assert_int_equal(time.at, strstr(target, value) - target);
    assert_int_equal(time.size_bytes, strlen(value));
    assert_memory_equal(&time.time_s, &expected, sizeof expected);
}

TEST(query_time_finds_plain_numbers)
{
    check_found("/v1/palette?model=a&t=0.25&clip=0", "0.25", 0.25);
    check_found("/p?t=17", "17", 17);
    check_found("/p?at=3&t=.5", ".5", 0.5);
    check_found("/p?model=t&t=5.", "5.", 5);
    check_found("/p?t=-0", "-0", -0.0);
    check_found("/p?t=-1.5&t=2", "-1.5", -1.5);
    check_found("/p?t=999999999999999", "999999999999999", 999999999999999);
    check_found("/p?t=0.00000000000001", "0.00000000000001", 1e-14);
    check_found("/p?t=0.14285714285714285&x", "0.14285714285714285", 1.0 / 7);
    check_found("/p?t=-1e-05", "-1e-05", -1e-5);
    check_found("/p?t=5E3", "5E3", 5000);
    check_found("/p?t=1234567890123456", "1234567890123456", 1234567890123456);
}

TEST(query_time_finds_nothing_else)
{
    static const char *const TARGETS[] = {
        "",           "/p",         "/p?",
        "/p?t",       "/p?t=",      "/p?t=-",
        "/p?t=.",     "/p?t=-.",    "/p?t=1e+3",
        "/p?t=+1",    "/p?t=1.2.3", "/p?t=0:1:2",
        "/p?t=1,2",   "/p?t=%31",   "/p?%74=1",
        "/p?T=1",     "/p?tt=1",    "/p?t=inf",
        "/p&t=1",     "/p?t=0x10",  "/p?t= 1",
        "/p?t=1 ",    "/p?x=&t",    "/p?t=--1",
        "/t=1?a=b",   "/p?t=1-",    "/p?t=auto&t=1",
        "/p?t=1e999", "/p?t=1e",    "/p?t=0.00000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS; i++) {
        struct url_time time;
        if (find(TARGETS[i], &time))
            fail_msg("%s is %g", TARGETS[i], time.time_s);
    }
}

/* Whatever it finds is bit for bit what the parser of parameters reads. */
TEST(query_time_reads_as_query_double_does)
{
    srand48(7);
    for (int i = 0; i < 300000; i++) {
        char target[64];
        const int whole = (int)(drand48() * 8), part = (int)(drand48() * 18);
        const double scale = pow(10, whole);
        snprintf(target, sizeof target, "/p?t=%s%.*f", drand48() < 0.3 ? "-" : "", part, drand48() * scale);
        struct url_time time;
        double expected;
        assert_true(find(target, &time));
        assert_true(number_parse_double(target + 5, &expected));
        assert_memory_equal(&time.time_s, &expected, sizeof expected);
    }
}
