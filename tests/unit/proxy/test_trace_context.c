/* server/wire/proxy: traceparent, and the texts of --cache-control. */
#include "tests/unit/support/check.h"

#include "wire/proxy/cache_policy.h"
#include "wire/proxy/trace_context.h"

#include <stdio.h>
#include <string.h>

#define TRACE  "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"
static const char GOOD[] = "00-" TRACE "-" PARENT "-01";

TEST(trace_context_good)
{
    char text[TRACEPARENT_SIZE], id[TRACE_ID_SIZE];
    assert_true(trace_context_read(GOOD, text));
    assert_string_equal(text, GOOD);
    trace_context_id(text, id);
    assert_string_equal(id, TRACE);
    assert_true(trace_context_read("00-" TRACE "-" PARENT "-fe", text));
    assert_string_equal(text, "00-" TRACE "-" PARENT "-fe");
    /* of a later version what version 00 has */
    assert_true(trace_context_read("01-" TRACE "-" PARENT "-0d", text));
    assert_string_equal(text, "00-" TRACE "-" PARENT "-01");
    assert_true(trace_context_read("cc-" TRACE "-" PARENT "-0e-what-ever", text));
    assert_string_equal(text, "00-" TRACE "-" PARENT "-00");
}

TEST(trace_context_bad)
{
    static const char *const BAD[] = {"",
                                      "-",
                                      "00-" TRACE "-" PARENT "-0",
                                      "00-" TRACE "-" PARENT "-01-",
                                      "00-" TRACE "-" PARENT "-01,",
                                      "00-" TRACE "-" PARENT "-01, 00-" TRACE "-" PARENT "-01",
                                      "ff-" TRACE "-" PARENT "-01",
                                      "01-" TRACE "-" PARENT "-01.",
                                      "00-00000000000000000000000000000000-" PARENT "-01",
                                      "00-" TRACE "-0000000000000000-01",
                                      "00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01",
                                      " 00-" TRACE "-" PARENT "-01"};
    char text[TRACEPARENT_SIZE], id[TRACE_ID_SIZE];
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        if (trace_context_read(BAD[i], text) || text[0] != '\0')
            fail_msg("'%s' is no traceparent", BAD[i]);
        trace_context_id(text, id);
        assert_string_equal(id, "");
    }
    assert_false(trace_context_read(NULL, text));
    for (size_t at = 0; at < sizeof GOOD - 1; at++) { /* cut, or with another byte in place of a digit or the dash */
        char changed[sizeof GOOD];
        memcpy(changed, GOOD, sizeof GOOD);
        changed[at] = '_';
        assert_false(trace_context_read(changed, text));
        changed[at] = '\0';
        assert_false(trace_context_read(changed, text));
    }
}

TEST(cache_policy_texts)
{
    static const struct {
        const char *text, *plain, *private_plain;
    } LISTS[] = {
        {"no-cache", "no-cache", "no-cache"},
        {"max-age=60", "public, max-age=60", "private, max-age=60"},
        {"max-age=0", "public, max-age=0", "private, max-age=0"},
        {"max-age=60,stale-while-revalidate=600", "public, max-age=60, stale-while-revalidate=600",
         "private, max-age=60, stale-while-revalidate=600"},
        {"STALE-IF-ERROR=31536000 , stale-while-revalidate=31536000, Max-Age=31536000",
         "public, max-age=31536000, stale-while-revalidate=31536000, stale-if-error=31536000",
         "private, max-age=31536000, stale-while-revalidate=31536000, stale-if-error=31536000"},
    };
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        struct cache_policy policy;
        struct err err;
        assert_int_equal(cache_policy_parse(LISTS[i].text, false, &policy, &err), 0);
        assert_string_equal(policy.plain, LISTS[i].plain);
        assert_string_equal(policy.immutable, "public, max-age=31536000, immutable");
        assert_int_equal(cache_policy_parse(LISTS[i].text, true, &policy, &err), 0);
        assert_string_equal(policy.plain, LISTS[i].private_plain);
        assert_string_equal(policy.immutable, "private, max-age=31536000, immutable");
    }
}

TEST(cache_policy_refused)
{
    static const char *const BAD[] = {"",
                                      "max-age",
                                      "max-age=",
                                      "max-age=-1",
                                      "max-age=1.5",
                                      "max-age=60s",
                                      "max-age=31536001",
                                      "max-age=999999999",
                                      "max-age=60;stale-while-revalidate=1",
                                      "stale-while-revalidate=60",
                                      "max-age=60,max-age=60",
                                      "max-age=60,",
                                      "no-cache,max-age=60",
                                      "public, max-age=60",
                                      "max-age=60, immutable",
                                      "max-age=60\r\nX: y",
                                      "max-age =60"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct cache_policy policy;
        struct err err = {0};
        if (cache_policy_parse(BAD[i], false, &policy, &err) != ERR_BAD_PARAMETER || err.message[0] == '\0')
            fail_msg("'%s' is no --cache-control", BAD[i]);
    }
}
