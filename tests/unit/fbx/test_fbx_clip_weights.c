/* Sliders of blend shapes to weights of morph targets. */
#include "tests/unit/fbx_take/bisected.h"
#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include "anim/pose/sample.h"
#include "import/fbx/fbx_clip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A mesh with two sliders: one of one shape, one of shapes at 40 and 100 percent. The curve drives one of them, with
 * keys at 0 and 2 s. */
static void read_clip(struct fbx_run *run, const char *slider, const char *values, const char *flags, const char *data)
{
    char objects[4000], links[1000];
    snprintf(objects, sizeof objects,
             "Model: 1, 'Model::face', 'Mesh' {\n}\nGeometry: 2, 'Geometry::face', 'Mesh' {\n}\n"
             "Deformer: 3, 'Deformer::', 'BlendShape' {\n}\n"
             "Deformer: 4, 'SubDeformer::a', 'BlendShapeChannel' {\n FullWeights: *1 { a: 100 }\n}\n"
             "Deformer: 5, 'SubDeformer::b', 'BlendShapeChannel' {\n FullWeights: *2 { a: 40,100 }\n}\n"
             "Geometry: 6, 'Geometry::a', 'Shape' {\n}\nGeometry: 7, 'Geometry::b40', 'Shape' {\n}\n"
             "Geometry: 8, 'Geometry::b100', 'Shape' {\n}\n"
             "AnimationStack: 10, 'AnimStack::t', '' {\n Properties70: {\n"
             "P: 'LocalStop', 'KTime', 'Time', '',92372316000\n}\n}\nAnimationLayer: 20, 'AnimLayer::l', '' {\n}\n"
             "AnimationCurveNode: 30, 'AnimCurveNode::d', '' {\n}\n"
             "AnimationCurve: 40, 'AnimCurve::', '' {\n KeyTime: *2 { a: 0,92372316000 }\n"
             "KeyValueFloat: *2 { a: %s }\n KeyAttrFlags: *1 { a: %s }\n KeyAttrDataFloat: *4 { a: %s }\n"
             "KeyAttrRefCount: *1 { a: 2 }\n}\n",
             values, flags, data);
    snprintf(links, sizeof links,
             "C: 'OO',2,1\nC: 'OO',3,2\nC: 'OO',4,3\nC: 'OO',5,3\nC: 'OO',6,4\nC: 'OO',7,5\nC: 'OO',8,5\n"
             "C: 'OO',20,10\nC: 'OO',30,20\nC: 'OP',30,%s, 'DeformPercent'\nC: 'OP',40,30, 'd|DeformPercent'\n",
             slider);
    fbx_run_nodes(run, "", objects, links);
    assert_int_equal(run->rc, 0);
    run->builder.nodes[0].weight_count = 3;
    bake_add_weight(&run->builder, 3);
    run->rc = fbx_read_clips(&run->fbx, &run->err);
    assert_int_equal(run->rc, 0);
}

static const struct channel *only_channel(const struct fbx_run *run)
{
    assert_int_equal(run->builder.channel_count, 1);
    assert_int_equal(run->builder.channels[0].path, PATH_WEIGHTS);
    assert_int_equal(run->builder.channels[0].component_count, 3);
    return &run->builder.channels[0];
}

TEST(fbx_clip_weight_of_one_shape_is_the_curve)
{
    struct fbx_run run;
    double out[3];
    read_clip(&run, "4", "-50,150", "4", "0,0,0,0");
    const struct channel *channel = only_channel(&run);
    assert_int_equal(channel->interpolation, INTERPOLATION_LINEAR);
    assert_int_equal(channel->key_count, 2);
    const struct model model = bake_builder_view(&run.builder);
    sample_channel(&model, channel, 0.5, out);
    CHECK_NEAR(out[0], 0, 1e-7);
    sample_channel(&model, channel, 2, out);
    CHECK_NEAR(out[0], 1.5, 1e-7);
    CHECK_NEAR(out[1], 0, 0);
    fbx_run_fini(&run);
}

/* 0 to 100 percent in 2 s. The corner at 40 percent is a key of the track. */
TEST(fbx_clip_weights_have_corners_at_shapes_in_between)
{
    struct fbx_run run;
    read_clip(&run, "5", "0,100", "4", "0,0,0,0");
    const struct channel *channel = only_channel(&run);
    assert_int_equal(channel->interpolation, INTERPOLATION_LINEAR);
    assert_int_equal(channel->key_count, 3);
    CHECK_NEAR(run.builder.key_times[channel->key_time_first + 1], 0.8, 1e-12);
    const struct model model = bake_builder_view(&run.builder);
    for (int i = 0; i <= 40; i++) {
        const double percent = 2.5 * i;
        double out[3];
        sample_channel(&model, channel, i / 20.0, out);
        CHECK_NEAR(out[0], 0, 0);
        CHECK_NEAR(out[1], percent <= 40 ? percent / 40 : (100 - percent) / 60, 1e-7);
        CHECK_NEAR(out[2], percent <= 40 ? 0 : (percent - 40) / 60, 1e-7);
    }
    fbx_run_fini(&run);
}

/* A cubic that swings beyond both shapes, and below 0: slopes 400 and 400 a second. */
TEST(fbx_clip_weights_follow_swings)
{
    struct fbx_run run;
    read_clip(&run, "5", "0,0", "1032", "1137180672,1137180672,0,0");
    const struct channel *channel = only_channel(&run);
    const struct model model = bake_builder_view(&run.builder);
    assert_false(fbx_run_warned(&run, "curve_approximated"));
    assert_true(channel->key_count < 60);
    for (int i = 0; i <= 1000; i++) {
        const double u = i / 1000.0;
        const double percent = bisected(u, 0.333333, (const double[]){0, 0}, (const double[]){400, 400}, 2);
        double out[3];
        sample_channel(&model, channel, 2 * u, out);
        CHECK_NEAR(out[1], percent <= 40 ? percent / 40 : (100 - percent) / 60, 3e-7);
        CHECK_NEAR(out[2], percent <= 40 ? 0 : (percent - 40) / 60, 3e-7);
    }
    fbx_run_fini(&run);
}
