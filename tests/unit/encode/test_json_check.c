#include "tests/unit/support/check.h"

#include "base/json_check.h"

#include <stdlib.h>
#include <string.h>

/* Exactly as long, so that ASan sees a read past the end. */
static bool is_json(const char *text, size_t size)
{
    char *copy = malloc(size == 0 ? 1 : size);
    memcpy(copy, text, size);
    const bool is = json_is_compact(copy, size);
    free(copy);
    return is;
}

TEST(json_check_takes_values)
{
    static const char *const GOOD[] = {
        "0",
        "-0",
        "12",
        "-1.5e+9",
        "1E-2",
        "\"\"",
        "\"a\\u00e9\\n\\\"\"",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "[[],{}]",
        "[1,\"a\",null,{\"b\":[true,{}]}]",
        "{\"a\":1,\"a\":{\"b\":[]},\"\":0}",
    };
    static const char *const BAD[] = {
        "",     " 0",        "0 ",     "01",     "-",       "1.",          ".5",       "1e",         "+1",    "NaN",
        "tru",  "truE",      "\"",     "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "[",        "]",          "[1",    "[1,",
        "[1,]", "[,1]",      "[1 ,2]", "{",      "{\"a\"",  "{\"a\":",     "{\"a\":1", "{\"a\":1,}", "{a:1}", "{1:1}",
        "[1}",  "{\"a\":1]", "1,2",    "{}{}",   "[1]]",    "nul",         "\"\\",     "\"\\u12",
    };
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        if (!is_json(GOOD[i], strlen(GOOD[i])))
            fail_msg("%s is refused", GOOD[i]);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (is_json(BAD[i], strlen(BAD[i])))
            fail_msg("%s is taken", BAD[i]);
}

TEST(json_check_bounds_depth)
{
    char text[2 * JSON_DEPTH_MAX + 2];
    const size_t most = JSON_DEPTH_MAX;
    memset(text, '[', most + 1);
    memset(text + most + 1, ']', most + 1);
    assert_true(is_json(text + 1, 2 * most));
    assert_false(is_json(text, 2 * most + 2));
}

TEST(json_check_truncated)
{
    static const char TEXT[] = "{\"a\":[1,-2.5e3,\"b\\u00e9\"],\"c\":{\"d\":null,\"e\":true}}";
    for (size_t size = 0; size < sizeof TEXT - 1; size++)
        assert_false(is_json(TEXT, size));
    assert_true(is_json(TEXT, sizeof TEXT - 1));
}
