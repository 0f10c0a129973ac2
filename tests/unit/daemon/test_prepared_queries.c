/* Which queries are remembered, and which make room for others. */
#include "daemon/evaluation/prepared_queries.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include <stdio.h>
#include <string.h>

static struct query_key key_of(const char *target)
{
    const struct http_request http = {.method = "GET", .target = target, .target_bytes = strlen(target)};
    struct query_key key;
    assert_true(query_key_of_http(&http, &key));
    return key;
}

/* As a connection does: a query that was not found is parsed, answered and kept. */
static struct prepared_query *ask(struct prepared_queries *memo, struct query_hint *hint, const char *target)
{
    struct query_key key = key_of(target);
    struct query_hint place;
    struct request request = {0};
    struct prepared_query *found = prepared_queries_find(memo, &key, hint);
    prepared_queries_add(memo, &key, &place);
    if (found == NULL)
        request = parse_request(target);
    prepared_queries_fill(&place, &request);
    assert_null(request.model); /* it was moved, or ended */
    return found;
}

TEST(prepared_queries_keeps_the_request_of_the_first)
{
    struct prepared_queries *memo = prepared_queries_new();
    struct query_hint hint = {0}, other = {0};
    assert_null(ask(memo, &hint, "/v1/palette?model=a&t=1"));
    struct prepared_query *query = ask(memo, &hint, "/v1/palette?model=a&t=2");
    assert_non_null(query);
    assert_string_equal(query->request.model, "a");
    for (int i = 0; i < 4; i++) /* by its hash, and by the hint */
        assert_ptr_equal(ask(memo, &hint, "/v1/palette?model=a&t=3"), query);
    assert_ptr_equal(ask(memo, &other, "/v1/palette?model=a&t=4"), query);
    prepared_queries_free(memo);
}

TEST(prepared_queries_hinted_while_they_are_kept)
{
    struct prepared_queries *memo = prepared_queries_new(), *other = prepared_queries_new();
    struct query_hint hint = {0}, still = {0};
    char target[64];
    assert_null(prepared_queries_hinted(memo, &hint));
    ask(memo, &hint, "/v1/palette?model=a&t=1");
    assert_null(prepared_queries_hinted(memo, &hint)); /* it was not found */
    struct prepared_query *query = ask(memo, &hint, "/v1/palette?model=a&t=2");
    assert_non_null(query);
    assert_ptr_equal(prepared_queries_hinted(memo, &hint), query);
    assert_null(prepared_queries_hinted(other, &hint));
    ask(memo, &still, "/v1/palette?model=a");
    assert_non_null(ask(memo, &still, "/v1/palette?model=a"));
    assert_null(prepared_queries_hinted(memo, &still)); /* it has no time to vary */
    struct query_hint later = {0};
    for (int i = 0; i < 2000; i++) {
        snprintf(target, sizeof target, "/v1/palette?model=%d&t=1", i);
        ask(memo, &later, target);
    }
    assert_null(prepared_queries_hinted(memo, &hint));
    prepared_queries_free(memo);
    prepared_queries_free(other);
}

TEST(prepared_queries_keeps_no_request_that_cannot_be_prepared)
{
    struct prepared_queries *memo = prepared_queries_new();
    struct query_hint hint = {0};
    for (int i = 0; i < 3; i++)
        assert_null(ask(memo, &hint, "/v1/palette?model=a&t=1&layout=dualquat"));
    prepared_queries_free(memo);
}

TEST(prepared_queries_fills_no_place_that_is_gone)
{
    struct prepared_queries *memo = prepared_queries_new();
    struct query_hint hint = {0}, place;
    struct query_key key = key_of("/v1/palette?model=late&t=1");
    char target[64];
    assert_null(prepared_queries_find(memo, &key, &hint));
    prepared_queries_add(memo, &key, &place);
    for (int i = 0; i < 2000; i++) {
        snprintf(target, sizeof target, "/v1/palette?model=%d&t=1", i);
        ask(memo, &hint, target);
    }
    struct request request = parse_request("/v1/palette?model=late&t=1");
    prepared_queries_fill(&place, &request); /* which frees the request */
    assert_null(request.model);
    prepared_queries_free(memo);
}

TEST(prepared_queries_that_came_once_do_not_displace_the_one_found_last)
{
    struct prepared_queries *memo = prepared_queries_new();
    struct query_hint hint = {0}, other = {0};
    char target[64];
    ask(memo, &hint, "/v1/palette?model=again&t=1");
    struct prepared_query *query = ask(memo, &hint, "/v1/palette?model=again&t=2");
    assert_non_null(query);
    for (int i = 0; i < 2000; i++) {
        snprintf(target, sizeof target, "/v1/palette?model=%d&t=1", i);
        assert_null(ask(memo, &other, target));
    }
    assert_ptr_equal(ask(memo, &hint, "/v1/palette?model=again&t=3"), query);
    prepared_queries_free(memo);
}

TEST(prepared_queries_tells_queries_apart)
{
    static const char *const OTHERS[] = {"/v1/palette?model=b&t=1", "/v1/palette?model=a&t=1&clip=0",
                                         "/v1/palette?t=1&model=a", "/v1/palette?model=a&t=0:1:2",
                                         "/v1/palette?model=a",     "/v1/palette?model=a&t=1&"};
    struct prepared_queries *memo = prepared_queries_new();
    struct query_hint hint = {0};
    ask(memo, &hint, "/v1/palette?model=a&t=1");
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        assert_non_null(ask(memo, &hint, "/v1/palette?model=a&t=5"));
        assert_null(ask(memo, &hint, OTHERS[i]));
    }
    prepared_queries_free(memo);
}
