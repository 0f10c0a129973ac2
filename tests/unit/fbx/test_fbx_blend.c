/* Blend shapes of server/import/fbx/fbx_deform.h: worked by hand. */
#include "import/fbx/fbx_deform.h"
#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

static void check_weights(const struct fbx_channel *channel, double percent, const double *expected)
{
    double weights[FBX_CHANNEL_SHAPES_MAX];
    fbx_channel_weights(channel, percent, weights);
    for (uint32_t s = 0; s < channel->shape_count; s++)
        CHECK_NEAR(weights[s], expected[s], 1e-12);
}

TEST(fbx_channel_of_one_shape_is_a_line)
{
    const struct fbx_channel channel = {.shape_count = 1, .full_percents = {80}};
    check_weights(&channel, 0, (const double[]){0});
    check_weights(&channel, 20, (const double[]){0.25});
    check_weights(&channel, 120, (const double[]){1.5});
    check_weights(&channel, -40, (const double[]){-0.5});
}

TEST(fbx_channel_goes_from_one_in_between_to_the_next)
{
    const struct fbx_channel channel = {.shape_count = 3, .full_percents = {25, 50, 100}};
    check_weights(&channel, 10, (const double[]){0.4, 0, 0});
    check_weights(&channel, 25, (const double[]){1, 0, 0});
    check_weights(&channel, 30, (const double[]){0.8, 0.2, 0});
    check_weights(&channel, 100, (const double[]){0, 0, 1});
    check_weights(&channel, 125, (const double[]){0, -0.5, 1.5});
    check_weights(&channel, -5, (const double[]){-0.2, 0, 0});
}

TEST(fbx_channel_with_shapes_on_both_sides_of_zero)
{
    const struct fbx_channel channel = {.shape_count = 3, .full_percents = {-100, -50, 80}};
    check_weights(&channel, -25, (const double[]){0, 0.5, 0});
    check_weights(&channel, -75, (const double[]){0.5, 0.5, 0});
    check_weights(&channel, -150, (const double[]){2, -1, 0});
    check_weights(&channel, 40, (const double[]){0, 0, 0.5});
}

TEST(fbx_channel_of_a_shape_at_zero_shows_nothing)
{
    const struct fbx_channel channel = {.shape_count = 1, .full_percents = {0}};
    check_weights(&channel, 50, (const double[]){0});
}

/* A mesh with one shape, which moves points 2, 7 and 0 by 8 along x. */
static void read_shape(struct fbx_run *run, const char *generator, const char *full_weights, struct fbx_blend *blend)
{
    char objects[1000];
    snprintf(objects, sizeof objects,
             FBX_MODEL_OF("1", "face", "Mesh", "") "Geometry: 2, 'Geometry::face', 'Mesh' {\n}\n"
                                                   "Deformer: 3, 'Deformer::', 'BlendShape' {\n}\n"
                                                   "Deformer: 4, 'SubDeformer::a', 'BlendShapeChannel' {\n%s}\n"
                                                   "Geometry: 5, 'Geometry::a', 'Shape' {\n Indexes: *3 { a: 2,7,0 }\n"
                                                   " Vertices: *9 { a: 8,0,0,8,0,0,8,0,0 }\n"
                                                   " Normals: *9 { a: 1,0,0,2,0,0,4,0,0 }\n}\n",
             full_weights);
    fbx_run_nodes(run, "", objects, "C: 'OO',2,1\nC: 'OO',3,2\nC: 'OO',4,3\nC: 'OO',5,4\n");
    assert_int_equal(run->rc, 0);
    run->import.info->generator = bake_text(&run->builder, generator, strlen(generator));
    assert_int_equal(fbx_blend_read(&run->fbx, run->fbx.geometry_of[0], blend, &run->err), 0);
    assert_int_equal(blend->channel_count, 1);
}

static void check_shape(const char *generator, const char *full_weights, double full, const double *offsets)
{
    struct fbx_run run;
    struct fbx_blend blend;
    struct fbx_target target;
    read_shape(&run, generator, full_weights, &blend);
    CHECK_NEAR(blend.channels[0].full_percents[0], full, 0);
    assert_int_equal(fbx_target_read(&run.fbx, &blend.channels[0], 0, 8, &target, &run.err), 0);
    assert_int_equal(target.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_NEAR(target.offsets[i][0], offsets[i], 1e-12);
        CHECK_NEAR(target.normals[i][0], offsets[i] / 8 * (1 << i), 1e-12);
    }
    assert_int_equal(run.builder.warning_count, 0);
    fbx_target_fini(&target);
    fbx_blend_fini(&blend);
    fbx_run_fini(&run);
}

TEST(fbx_full_weights_of_points_are_those_of_blender)
{
    static const char *const BLENDER = "Blender (stable FBX IO) - 4.4.0 - 5.12.0", *const OTHER = "FBX SDK/FBX Plugins";
    static const double ALL[] = {8, 8, 8}, BY_POINT[] = {4, 0, 10};
    check_shape(OTHER, " FullWeights: *1 { a: 40 }\n", 40, ALL);
    check_shape(OTHER, " FullWeights: *2 { a: 40,100 }\n", 40, ALL);
    check_shape(OTHER, " FullWeights: *3 { a: 50,0,125 }\n", 100, BY_POINT);
    check_shape(BLENDER, " FullWeights: *3 { a: 50,0,125 }\n", 100, BY_POINT);
    check_shape(BLENDER, " FullWeights: *1 { a: 40 }\n", 100, ALL);
    check_shape(BLENDER, "", 100, ALL);
}

TEST(fbx_shape_points_beyond_the_mesh_are_left_out)
{
    struct fbx_run run;
    struct fbx_blend blend;
    struct fbx_target target;
    read_shape(&run, "a test", "", &blend);
    assert_int_equal(fbx_target_read(&run.fbx, &blend.channels[0], 0, 3, &target, &run.err), 0);
    assert_int_equal(target.count, 2);
    assert_int_equal(target.points[0], 2);
    assert_int_equal(target.points[1], 0);
    CHECK_NEAR(target.normals[1][0], 4, 0);
    assert_true(fbx_run_warned(&run, "shape_offsets_ignored"));
    fbx_target_fini(&target);
    fbx_blend_fini(&blend);
    fbx_run_fini(&run);
}
