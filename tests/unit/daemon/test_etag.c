#include "tests/unit/support/check.h"

#include "daemon/evaluation/evaluator.h"
#include "wire/reply/answer_version.h"

#include <string.h>

static const struct etag_source SOURCE = {
    .hash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
    .canonical = "fedcba9876543210",
    .renderer = "",
    .format = "json",
    .maker = ANSWER_MAKER,
};

TEST(etag_is_a_strong_tag_of_hash_and_request)
{
    char tag[ETAG_SIZE];
    etag_make(&SOURCE, tag);
    assert_memory_equal(tag, "\"0011223344556677-fedcba9876543210-", 35);
    const size_t size = strlen(tag);
    assert_true(size < ETAG_SIZE - 1); /* not cut */
    assert_string_equal(tag + size - 6, "-json\"");
}

/* A copy must never be taken for another answer. */
TEST(etag_differs_with_every_source)
{
    char tag[ETAG_SIZE], other[ETAG_SIZE];
    etag_make(&SOURCE, tag);
    static const char *const CLIPS[] = {"0123", "4567", "0123"};
    enum { COUNT = 9 };
    struct etag_source sources[COUNT] = {SOURCE, SOURCE, SOURCE, SOURCE, SOURCE, SOURCE, SOURCE, SOURCE, SOURCE};
    sources[0].hash = "0011223344556678";
    sources[1].canonical = "fedcba9876543211";
    sources[2].renderer = "llvmpipe";
    sources[3].format = "bin";
    for (size_t i = 0; i < 4; i++) { /* one file, another, two of them, the same two the other way round */
        sources[4 + i].clips = CLIPS + (i == 1 || i == 3 ? 1 : 0);
        sources[4 + i].clips_count = i < 2 ? 1 : 2;
    }
    sources[8].maker = "posed " POSED_RELEASE " answers 0";
    for (size_t i = 0; i < COUNT; i++) {
        etag_make(&sources[i], other);
        assert_string_not_equal(tag, other);
        for (size_t k = 0; k < i; k++) {
            char third[ETAG_SIZE];
            etag_make(&sources[k], third);
            assert_string_not_equal(third, other);
        }
    }
    etag_make(&SOURCE, other);
    assert_string_equal(tag, other);
}
