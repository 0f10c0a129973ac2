/* The content hash stands for everything that an answer is made from, and for nothing else. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "import/source/import.h"

#include <string.h>

enum { SIZE = 32 };

static void hash_of(const struct bake_builder *builder, uint8_t out[SIZE])
{
    memset(out, 0, SIZE);
    content_hash(builder, out);
}

/* sha256sum of the bytes that import.h describes, for a model of one info of zeros: each id as u32, each count
 * as u64, and 108 zeros behind the first. */
TEST(content_hash_of_almost_nothing)
{
    static const uint8_t expected[SIZE] = {0x06, 0x0e, 0xc0, 0xf5, 0xc3, 0x30, 0xe5, 0x06, 0xae, 0x30, 0x35,
                                           0x75, 0x3e, 0x0b, 0xe7, 0x12, 0x01, 0xc3, 0xd8, 0x3f, 0x32, 0x73,
                                           0x52, 0x81, 0x03, 0xb1, 0x56, 0x4c, 0xe0, 0x21, 0x6f, 0xaf};
    struct bake_builder builder;
    uint8_t hash[SIZE];
    bake_builder_init(&builder, 0);
    assert_non_null(bake_add_info(&builder, 1));
    hash_of(&builder, hash);
    assert_memory_equal(hash, expected, SIZE);
    bake_builder_fini(&builder);
}

TEST(content_hash_is_not_part_of_itself)
{
    struct fixture fixture;
    uint8_t hash[SIZE], again[SIZE];
    fixture_worked(&fixture);
    hash_of(&fixture.builder, hash);
    memset(fixture.builder.infos[0].content_hash, 0xa5, SIZE);
    hash_of(&fixture.builder, again);
    assert_memory_equal(hash, again, SIZE);
    fixture_fini(&fixture);
}

/* The last byte of each array, and one more element in it. */
TEST(content_hash_differs_with_each_section)
{
    struct fixture fixture;
    uint8_t hash[SIZE], other[SIZE];
    fixture_worked(&fixture);
    hash_of(&fixture.builder, hash);
    uint32_t seen = 0;
#define X(id, singular, plural, type, item_bytes)                                                                      \
    if (fixture.builder.singular##_count > 0 && id < MODEL_COMPILED_ID) {                                              \
        unsigned char *bytes = (unsigned char *)fixture.builder.plural;                                                \
        const size_t last = fixture.builder.singular##_count * sizeof(type) - 1;                                       \
        bytes[last] ^= 1;                                                                                              \
        hash_of(&fixture.builder, other);                                                                              \
        assert_memory_not_equal(hash, other, SIZE);                                                                    \
        bytes[last] ^= 1;                                                                                              \
        fixture.builder.singular##_count--;                                                                            \
        hash_of(&fixture.builder, other);                                                                              \
        assert_memory_not_equal(hash, other, SIZE);                                                                    \
        fixture.builder.singular##_count++;                                                                            \
        seen++;                                                                                                        \
    }
#include "anim/model/model_sections.def"
#undef X
    assert_true(seen >= 30);
    hash_of(&fixture.builder, other);
    assert_memory_equal(hash, other, SIZE);
    fixture_fini(&fixture);
}
