#include "import/gltf_file/gltf_json.h"
#include "tests/unit/support/check.h"

#include <string.h>

static const uint8_t WORKED[] = {
    'g', 'l', 'T', 'F', 2,   0,   0,   0,   52,  0,   0,   0, /* magic, version, length */
    4,   0,   0,   0,   'J', 'S', 'O', 'N', '{', '}', ' ', ' ', 4, 0,  0,  0,
    'X', 'T', 'R', 'A', 1,   2,   3,   4, /* another chunk: passed over */
    8,   0,   0,   0,   'B', 'I', 'N', 0,   5,   6,   7,   8,   9, 10, 11, 12,
};

TEST(gltf_glb_worked)
{
    struct glb_chunks glb;
    struct err err = {0};
    assert_int_equal(sizeof WORKED, 52);
    assert_true(glb_is_glb(WORKED, sizeof WORKED));
    assert_int_equal(glb_split(WORKED, sizeof WORKED, &glb, &err), 0);
    assert_int_equal(glb.json_bytes, 4);
    assert_memory_equal(glb.json, "{}  ", 4);
    assert_int_equal(glb.bin_bytes, 8);
    assert_int_equal(glb.bin[0], 5);
    assert_false(glb.has_trailing_bytes);
}

TEST(gltf_glb_trailing_bytes)
{
    uint8_t longer[sizeof WORKED + 3] = {0};
    struct glb_chunks glb;
    struct err err = {0};
    memcpy(longer, WORKED, sizeof WORKED);
    assert_int_equal(glb_split(longer, sizeof longer, &glb, &err), 0);
    assert_true(glb.has_trailing_bytes);
    assert_int_equal(glb.bin_bytes, 8);
}

TEST(gltf_glb_every_truncation_is_refused)
{
    for (size_t size = 0; size < sizeof WORKED; size++) {
        struct glb_chunks glb;
        struct err err = {0};
        assert_true(glb_split(WORKED, size, &glb, &err) < 0);
        assert_true(err.message[0] != '\0');
    }
}

/* What the header says shortened as well: only the ends of chunks are whole files. */
TEST(gltf_glb_every_shorter_length)
{
    uint8_t bytes[sizeof WORKED];
    memcpy(bytes, WORKED, sizeof bytes);
    for (uint8_t size = 0; size < sizeof WORKED; size++) {
        struct glb_chunks glb;
        struct err err = {0};
        bytes[8] = size;
        const bool is_whole = size == 24 || size == 36;
        assert_int_equal(glb_split(bytes, sizeof bytes, &glb, &err) == 0, is_whole);
    }
}

TEST(gltf_glb_chunk_larger_than_the_file)
{
    uint8_t bytes[sizeof WORKED];
    struct glb_chunks glb;
    struct err err = {0};
    memcpy(bytes, WORKED, sizeof bytes);
    memset(bytes + 12, 0xff, 4);
    assert_int_equal(glb_split(bytes, sizeof bytes, &glb, &err), ERR_BAD_MODEL);
    assert_non_null(strstr(err.message, "4294967295"));
}

TEST(gltf_glb_version_1_and_order)
{
    uint8_t bytes[sizeof WORKED];
    struct glb_chunks glb;
    struct err err = {0};
    memcpy(bytes, WORKED, sizeof bytes);
    bytes[4] = 1;
    assert_int_equal(glb_split(bytes, sizeof bytes, &glb, &err), ERR_NOT_A_MODEL);
    assert_non_null(strstr(err.message, "version 1"));
    memcpy(bytes, WORKED, sizeof bytes);
    bytes[16] = 'B';
    assert_int_equal(glb_split(bytes, sizeof bytes, &glb, &err), ERR_BAD_MODEL);
}
