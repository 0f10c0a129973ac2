/* What is remembered of queries, and what makes room for what. */
#include "daemon/service/prepared_queries.h"
#include "tests/unit/support/check.h"

#include <string.h>

static struct query_key key_of(const char *target)
{
    const struct http_request http = {.method = "GET", .target = target, .target_bytes = strlen(target)};
    struct query_key key;
    assert_true(query_key_of_http(&http, &key));
    return key;
}

/* As a connection does: what is not there, or cannot be answered again, is parsed and added. */
static struct prepared_query *ask(struct prepared_queries *memo, struct query_hint *hint, const char *target,
                                  struct prepared_query **added)
{
    struct query_key key = key_of(target);
    struct prepared_query *found = prepared_queries_find(memo, &key, hint);
    *added = prepared_queries_add(memo, &key);
    return found;
}

TEST(prepared_queries_adds_a_query_once)
{
    struct prepared_queries *memo = prepared_queries_new();
    struct query_hint hint = {0}, other = {0};
    struct prepared_query *query, *again;
    assert_null(ask(memo, &hint, "/v1/palette?model=a&t=1", &query));
    assert_null(query);
    assert_null(ask(memo, &hint, "/v1/palette?model=a&t=2", &query));
    assert_non_null(query);
    for (int i = 0; i < 4; i++) { /* by its hash, and by the hint */
        assert_ptr_equal(ask(memo, &hint, "/v1/palette?model=a&t=3", &again), query);
        assert_null(again);
    }
    assert_ptr_equal(ask(memo, &other, "/v1/palette?model=a&t=4", &again), query);
    assert_null(again);
    prepared_queries_free(memo);
}

TEST(prepared_queries_tells_queries_apart)
{
    static const char *const OTHERS[] = {"/v1/palette?model=b&t=1", "/v1/palette?model=a&t=1&clip=0",
                                         "/v1/palette?t=1&model=a", "/v1/palette?model=a&t=0:1:2",
                                         "/v1/palette?model=a",     "/v1/palette?model=a&t=1&"};
    struct prepared_queries *memo = prepared_queries_new();
    struct query_hint hint = {0};
    struct prepared_query *query;
    ask(memo, &hint, "/v1/palette?model=a&t=1", &query);
    ask(memo, &hint, "/v1/palette?model=a&t=1", &query);
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        struct prepared_query *added;
        assert_non_null(ask(memo, &hint, "/v1/palette?model=a&t=5", &added));
        assert_null(ask(memo, &hint, OTHERS[i], &added));
    }
    prepared_queries_free(memo);
}
