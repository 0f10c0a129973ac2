/* The compiled sections as hostile bytes: each rule of protocol/baked-model.md from section 36 on. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/walk_model.h"

#include <stdlib.h>
#include <string.h>

static void check_refused(const struct fixture *f, const char *part, int line)
{
    struct err err = {0};
    struct model model;
    void *copy = fixture_aligned_copy(f->block, f->size_bytes);
    const int rc = bake_decode(copy, f->size_bytes, &model, &err);
    if (rc != ERR_BAD_BAKE || strstr(err.message, part) == NULL)
        fail_msg("line %d: %d '%s' instead of a refusal of '%s'", line, rc, err.message, part);
    free(copy);
}

/* Changes one field of the worked model, expects a refusal that names `part`, and puts it back. */
#define REFUSED(f, field, value, part)                                                                                 \
    do {                                                                                                               \
        __typeof__((f)->model.field) kept = (f)->model.field;                                                          \
        memcpy((void *)(uintptr_t) & (f)->model.field, &(__typeof__(kept)){value}, sizeof kept);                       \
        check_refused(f, part, __LINE__);                                                                              \
        memcpy((void *)(uintptr_t) & (f)->model.field, &kept, sizeof kept);                                            \
    } while (0)

/* Assumptions of the rules below: the rig is node 1, then 0 and 3; clip 0 rotates node 0 and moves node 1 in steps,
 * clip 2 moves node 0 by splines. */
static void check_worked(const struct model *m)
{
    assert_int_equal(m->rig_node_count, 3);
    assert_int_equal(m->rig_nodes[0].node, 1);
    assert_int_equal(m->rig_nodes[1].node, 0);
    assert_int_equal(m->rig_nodes[2].node, 3);
    assert_int_equal(m->rig_output_count, 3);
    assert_int_equal(m->lane_block_count, 2);
    assert_int_equal(m->lane_blocks[0].flags, LANES_ROTATE | LANES_TRANSLATE | LANES_FIXED_SCALE | LANES_STEP);
    assert_int_equal(m->lane_blocks[1].flags, LANES_TRANSLATE | LANES_CUBIC_TRANSLATE);
    assert_int_equal(m->compiled_clips[0].frame_count, 3);
    assert_int_equal(m->compiled_clips[0].flags, 0);
    assert_int_equal(m->compiled_clips[2].frame_count, 2);
    assert_int_equal(m->compiled_clips[2].flags, COMPILED_CUBIC);
    assert_int_equal(m->rig_part_count, 3 * 4); /* at rest, and of three clips */
}

TEST(bake_decode_rules_of_rigs)
{
    struct fixture f;
    fixture_worked(&f);
    check_worked(&f.model);
    REFUSED(&f, rig_nodes[0].node, 4, "rig_nodes[0].node");
    REFUSED(&f, rig_nodes[1].parent, 1, "rig_nodes[1].parent");
    REFUSED(&f, rig_nodes[1].parent, -2, "rig_nodes[1].parent");
    REFUSED(&f, rig_nodes[2].parent, -1, "rig_nodes[2].parent"); /* a root behind another node */
    REFUSED(&f, rig_skins[1].output_first, 1, "rig_skins[1].outputs");
    REFUSED(&f, rig_skins[0].output_first, UINT32_MAX, "rig_skins[0].outputs");
    REFUSED(&f, rig_outputs[0].rig_node, 3, "rig_outputs[0].rig_node");
    REFUSED(&f, rig_outputs[0].joint, 2, "rig_outputs[0].joint");
    REFUSED(&f, rig_outputs[0].joint, 1 - f.model.rig_outputs[0].joint, "rig_outputs[1].joint"); /* twice */
    REFUSED(&f, rig_outputs[2].joint_from_bind[3], NAN, "rig_outputs[2].joint_from_bind");
    REFUSED(&f, rig_skins[1].lag, 0, "rig_outputs[2].rig_node"); /* would be read before it is made */
    REFUSED(&f, rig_places[1], 1, "rig_places[1].rig_node");
    REFUSED(&f, rig_places[2], 0, "rig_places[0].rig_node"); /* which is no node of the rig */
    REFUSED(&f, rig_places[0], UINT32_MAX, "rig_places[0].rig_node");
    REFUSED(&f, rig_parts[1].rotation[0], 1.5f, "rig_parts[1].rotation");
    REFUSED(&f, rig_parts[1].rotation[3], NAN, "rig_parts[1].rotation");
    REFUSED(&f, rig_parts[3].translation[1], HUGE_VALF, "rig_parts[3].translation");
    REFUSED(&f, rig_parts[3].is_animated, 0.5f, "rig_parts[3].is_animated");
    REFUSED(&f, rig_parts[5].scale[2], NAN, "rig_parts[5].scale");
    REFUSED(&f, rig_parts[5].zero, 1, "rig_parts[5].scale");
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_compiled_clips)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, compiled_clips[0].frame_count, 4, "compiled_clips[0].frames");
    REFUSED(&f, compiled_clips[0].frame_count, 0, "compiled_clips[0].frame_count");
    REFUSED(&f, compiled_clips[0].frame_count, 2, "compiled_clips[1].frames"); /* which no longer follow */
    REFUSED(&f, compiled_clips[0].frame_first, 1, "compiled_clips[0].frames");
    REFUSED(&f, compiled_clips[0].frames_per_s, -1.0, "compiled_clips[0].frames");
    REFUSED(&f, compiled_clips[0].frames_per_s, (double)NAN, "compiled_clips[0].frames");
    REFUSED(&f, compiled_clips[0].value_first, 8, "compiled_clips[0].values");
    REFUSED(&f, compiled_clips[0].value_first, UINT32_MAX - 15, "compiled_clips[0].values");
    REFUSED(&f, compiled_clips[0].frame_floats, 1 << 20, "compiled_clips[0].values");
    REFUSED(&f, compiled_clips[0].block_count, 3, "compiled_clips[0].blocks");
    REFUSED(&f, compiled_clips[0].block_count, 2, "lane_blocks[1].flags");        /* a spline of another clip */
    REFUSED(&f, compiled_clips[0].block_count, 0, "compiled_clips[0].rig_nodes"); /* which nobody gives */
    REFUSED(&f, compiled_clips[0].still_count, 9, "compiled_clips[0].still_nodes");
    REFUSED(&f, compiled_clips[0].error, 1e-5f, "compiled_clips[0].error");
    REFUSED(&f, compiled_clips[0].error, NAN, "compiled_clips[0].error");
    REFUSED(&f, compiled_clips[0].flags, 16, "compiled_clips[0].flags");
    REFUSED(&f, compiled_clips[0].part_first, 0, "compiled_clips[0].rig_parts"); /* those at rest */
    REFUSED(&f, compiled_clips[0].part_first, UINT32_MAX, "compiled_clips[0].rig_parts");
    REFUSED(&f, compiled_clips[0].sized_count, 4, "compiled_clips[0].sized_count");
    REFUSED(&f, compiled_clips[0].blend_errors[1], -1, "compiled_clips[0].blend_errors");
    REFUSED(&f, compiled_clips[0].blend_errors[0], NAN, "compiled_clips[0].blend_errors");
    REFUSED(&f, frame_times[1], 0.5, "compiled_clips[0].frames");
    REFUSED(&f, frame_times[0], (double)NAN, "compiled_clips[0].frames");
    REFUSED(&f, frame_times[0], -1.7e308, "compiled_clips[0].frames"); /* too far from the next one for a double */
    REFUSED(&f, still_nodes[0].rig_node, 3, "still_nodes[0].rig_node");
    REFUSED(&f, still_nodes[0].rig_node, 0, "lane_blocks[0].rig_nodes"); /* given twice */
    REFUSED(&f, still_nodes[0].parent_from_node[11], HUGE_VALF, "still_nodes[0].parent_from_node");
    REFUSED(&f, still_nodes[0].parent_from_node[11], 1e31f, "compiled_clips[0].values");
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_splines)
{
    struct fixture f;
    fixture_worked(&f);
    const struct compiled_clip *clip = &f.model.compiled_clips[2];
    const uint32_t slope = clip->value_first + 3 * f.model.lane_blocks[1].width, frame = clip->frame_first;
    REFUSED(&f, compiled_clips[2].flags, 0, "lane_blocks[1].flags");
    REFUSED(&f, lane_blocks[1].flags, LANES_CUBIC_TRANSLATE, "lane_blocks[1].flags"); /* of what does not move */
    REFUSED(&f, lane_blocks[1].flags, LANES_TRANSLATE | LANES_CUBIC_SCALE, "lane_blocks[1].flags");
    REFUSED(&f, lane_blocks[1].flags, LANES_TRANSLATE | 256, "lane_blocks[1].flags");
    REFUSED(&f, lane_blocks[1].width, LANE_WIDTH, "lane_blocks[1].frame_offset");
    REFUSED(&f, lane_values[slope], 3e38f, "compiled_clips[2].values");
    REFUSED(&f, lane_values[slope], NAN, "lane_values");
    REFUSED(&f, frame_times[frame + 1], 1e40, "compiled_clips[2].values"); /* the weights of slopes are floats */
    REFUSED(&f, frame_times[frame], 1e3, "compiled_clips[2].frames");
    fixture_fini(&f);
}

/* A joint that turns along a spline of three keys, the middle one a kink. */
TEST(bake_decode_rules_of_rotations_on_splines)
{
    const double times[3] = {0, 1, 2};
    float turns[36] = {[7] = 1, [8] = 1, [19] = 1, [21] = 1, [30] = 0.6f, [31] = 0.8f};
    const struct vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 2}};
    const uint32_t joint = 0;
    struct fixture f;
    fixture_init(&f);
    fixture_root(&f, fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
    fixture_mesh_node(&f, fixture_mesh(&f, corners, 3), (int32_t)fixture_skin(&f, &joint, 1));
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_ROTATION, INTERPOLATION_CUBICSPLINE, 4, times, 3, turns);
    fixture_finish(&f);
    assert_int_equal(f.model.compiled_clips[0].frame_count, 4); /* 1 s twice */
    const uint32_t width = f.model.lane_blocks[0].width, w = f.model.compiled_clips[0].value_first + 3 * width;
    REFUSED(&f, frame_times[3], 1.0, "compiled_clips[0].frames"); /* three of one time */
    REFUSED(&f, compiled_clips[0].flags, 0, "compiled_clips[0].frames");
    REFUSED(&f, lane_values[w], 0, "compiled_clips[0].values");
    REFUSED(&f, lane_values[w], -1, "compiled_clips[0].values"); /* passes by 0 */
    REFUSED(&f, lane_values[w], 5, "compiled_clips[0].values");
    REFUSED(&f, lane_values[w + 4 * width], -4, "compiled_clips[0].values"); /* a slope that leads to 0 */
    REFUSED(&f, lane_values[w + 4 * width], 40, "compiled_clips[0].values");
    walk_model(&f.model);
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_lane_blocks)
{
    struct fixture f;
    fixture_worked(&f);
    const struct lane_block *block = &f.model.lane_blocks[0];
    const uint32_t rotation = f.model.compiled_clips[0].value_first + block->frame_offset;
    REFUSED(&f, lane_blocks[0].flags, 32, "lane_blocks[0].flags");
    REFUSED(&f, lane_blocks[0].flags, LANES_SCALE | LANES_FIXED_SCALE, "lane_blocks[0].flags");
    REFUSED(&f, lane_blocks[0].width, 4, "lane_blocks[0].width");
    REFUSED(&f, lane_blocks[0].width, LANE_WIDTH, "lane_blocks[0].frame_offset"); /* a frame has 64 floats */
    REFUSED(&f, lane_blocks[0].frame_offset, 48, "lane_blocks[0].frame_offset");
    REFUSED(&f, lane_blocks[0].constant_first, 64, "lane_blocks[0].constants");
    REFUSED(&f, lane_blocks[0].constant_first, UINT32_MAX, "lane_blocks[0].constants");
    REFUSED(&f, lane_blocks[0].rig_nodes[0], 4, "lane_blocks[0].rig_nodes");
    REFUSED(&f, lane_blocks[0].rig_nodes[1], 0, "lane_blocks[0].rig_nodes"); /* twice, or once too few */
    REFUSED(&f, lane_blocks[0].rig_nodes[9], 0, "lane_blocks[0].rig_nodes"); /* beyond its width */
    REFUSED(&f, lane_values[0], NAN, "lane_values");
    REFUSED(&f, lane_values[0], 1e31f, "compiled_clips[0].values");
    REFUSED(&f, lane_values[24], 0.5f, "lane_blocks[0].constants"); /* a factor */
    REFUSED(&f, lane_values[rotation + 3 * 8], 0.5f, "lane_blocks[0].rotations");
    REFUSED(&f, lane_values[rotation + 3 * 8], 1.5f, "lane_blocks[0].rotations");
    REFUSED(&f, lane_values[rotation + 3 * 8], -1, "lane_blocks[0].rotations"); /* the other side of the next frame's */
    fixture_fini(&f);
}

/* Encodes what the builder has and expects a refusal that names `part`. */
static void check_refused_block(const struct bake_builder *builder, const char *part)
{
    struct buf buf;
    struct err err = {0};
    struct model model;
    buf_init(&buf, 0);
    assert_int_equal(bake_encode(builder, &buf, &err), 0);
    void *copy = fixture_aligned_copy(buf.data, buf.size_bytes);
    assert_int_equal(bake_decode(copy, buf.size_bytes, &model, &err), ERR_BAD_BAKE);
    if (strstr(err.message, part) == NULL)
        fail_msg("'%s' instead of a refusal of '%s'", err.message, part);
    free(copy);
    buf_fini(&buf);
}

/* Blocks that cost time for each frame, and take next to nothing of the file: without a node, or where another is. */
TEST(bake_decode_refuses_lane_blocks_that_multiply_frames)
{
    struct fixture f;
    fixture_worked(&f);
    struct bake_builder *b = &f.builder;
    struct lane_block *block = bake_add_lane_block(b, 1);
    *block = b->lane_blocks[1];
    b->compiled_clips[2].block_count = 2;
    check_refused_block(b, "lane_blocks[2].frame_offset");
    for (uint32_t l = 0; l < LANE_WIDTH; l++)
        block->rig_nodes[l] = b->rig_node_count;
    check_refused_block(b, "lane_blocks[2].rig_nodes");
    fixture_fini(&f);
}

TEST(bake_decode_takes_a_model_that_is_not_compiled)
{
    struct fixture f;
    fixture_worked(&f);
    struct bake_builder *b = &f.builder;
    b->rig_node_count = b->rig_skin_count = b->rig_output_count = b->compiled_clip_count = b->lane_block_count = 0;
    b->still_node_count = b->frame_time_count = b->lane_value_count = 0;
    b->rig_part_count = b->rig_matrix_count = b->rig_place_count = 0;
    struct buf buf;
    struct err err = {0};
    struct model model;
    buf_init(&buf, 0);
    assert_int_equal(bake_encode(b, &buf, &err), 0);
    void *copy = fixture_aligned_copy(buf.data, buf.size_bytes);
    assert_int_equal(bake_decode(copy, buf.size_bytes, &model, &err), 0);
    assert_false(clip_palette_is_compiled(&model, 0));
    walk_model(&model);
    free(copy);
    buf_fini(&buf);
    fixture_fini(&f);
}

/* Such a model's palettes are compiled, its blends are not. */
TEST(bake_decode_takes_a_model_without_parts)
{
    struct fixture f;
    fixture_worked(&f);
    struct bake_builder *b = &f.builder;
    b->rig_part_count = 0;
    check_refused_block(b, "compiled_clips[0].rig_parts");
    for (uint32_t c = 0; c < b->compiled_clip_count; c++)
        b->compiled_clips[c].part_first = 0;
    struct buf buf;
    struct err err = {0};
    struct model model;
    buf_init(&buf, 0);
    assert_int_equal(bake_encode(b, &buf, &err), 0);
    void *copy = fixture_aligned_copy(buf.data, buf.size_bytes);
    assert_int_equal(bake_decode(copy, buf.size_bytes, &model, &err), 0);
    assert_true(clip_palette_is_compiled(&model, 0));
    walk_model(&model);
    free(copy);
    buf_fini(&buf);
    fixture_fini(&f);
}
