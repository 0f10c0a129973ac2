#include "wire/encode/frames.h"
#include "base/bytes.h"
#include "tests/unit/support/check.h"

static const uint8_t HASH[32];
static const double TIMES[] = {1, 2, 3};

static struct frames frames_of(struct frames_block *blocks, uint32_t block_count, uint32_t frame_count)
{
    return (struct frames){.kind = FRAMES_MESH,
                           .content_hash = HASH,
                           .times_s = TIMES,
                           .frame_count = frame_count,
                           .blocks = blocks,
                           .block_count = block_count};
}

TEST(frames_plan_aligns_every_block)
{
    struct frames_block blocks[] = {{.kind = BLOCK_REST, .count = 1, .item_bytes = 12},
                                    {.kind = BLOCK_INDICES, .count = 5, .item_bytes = 4},
                                    {.kind = BLOCK_POSITIONS, .count = 1, .item_bytes = 12},
                                    {.kind = BLOCK_NORMALS, .count = 3, .item_bytes = 12}};
    struct frames frames = frames_of(blocks, 4, 3);
    assert_true(frames_plan(&frames, 10000));
    assert_int_equal(frames.header_bytes, 96 + 4 * 32 + 3 * 16);
    assert_int_equal(blocks[0].offset, 272);
    assert_int_equal(blocks[1].offset, 288);
    assert_int_equal(frames.frames_offset, 320);
    assert_int_equal(blocks[2].offset, 0);
    assert_int_equal(blocks[3].offset, 16);
    assert_int_equal(frames.frame_bytes, 64);
    assert_int_equal(frames.size_bytes, 320 + 3 * 64);
    assert_true(frames_plan(&frames, 512));
    assert_false(frames_plan(&frames, 511));
}

TEST(frames_plan_survives_the_largest_counts)
{
    struct frames_block blocks[64];
    for (int i = 0; i < 64; i++)
        blocks[i] = (struct frames_block){.kind = BLOCK_POSITIONS, .count = UINT32_MAX, .item_bytes = UINT32_MAX};
    struct frames frames = frames_of(blocks, 64, 3);
    assert_false(frames_plan(&frames, UINT64_MAX));
    frames = frames_of(blocks, 1, UINT32_MAX);
    assert_false(frames_plan(&frames, UINT64_MAX));
    blocks[0].item_bytes = 12;
    frames = frames_of(blocks, 1, 10000);
    assert_true(frames_plan(&frames, UINT64_MAX));
    assert_true(frames.size_bytes == frames.frames_offset + 10000 * UINT64_C(51539607552));
    frames = frames_of(blocks, UINT32_MAX / 16, 1);
    assert_false(frames_plan(&frames, UINT64_MAX)); /* before it reads the blocks */
}

TEST(frames_are_as_long_as_planned)
{
    struct frames_block blocks[] = {{.kind = BLOCK_NODES, .count = 1, .item_bytes = 4},
                                    {.kind = BLOCK_LOCAL, .count = 1, .item_bytes = 40}};
    struct frames frames = frames_of(blocks, 2, 3);
    const float local[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct buf out = {0};
    assert_true(frames_plan(&frames, 10000));
    frames_put_header(&out, &frames);
    frames_start_block(&out, &frames, &blocks[0], 0);
    buf_put_u32(&out, 77);
    for (uint32_t f = 0; f < 3; f++) {
        frames_start_block(&out, &frames, &blocks[1], f);
        buf_put(&out, local, sizeof local);
    }
    frames_finish(&out, &frames);
    assert_true(out.size_bytes == frames.size_bytes);
    assert_true(get_u64(out.data + 48) == out.size_bytes);
    assert_int_equal(get_u32(out.data + blocks[0].offset), 77);
    assert_true(get_f32(out.data + frames.frames_offset + 2 * frames.frame_bytes + 36) == 10);
    assert_true(get_f64(out.data + 96 + 2 * 32 + 16) == 2 && get_f64(out.data + 96 + 2 * 32 + 24) == 0);
    buf_fini(&out);
}

TEST(frames_without_times_or_blocks)
{
    struct frames frames = frames_of(NULL, 0, 0);
    struct buf out = {0};
    assert_true(frames_plan(&frames, 96));
    frames_put_header(&out, &frames);
    frames_finish(&out, &frames);
    assert_int_equal(out.size_bytes, 96);
    buf_fini(&out);
}
