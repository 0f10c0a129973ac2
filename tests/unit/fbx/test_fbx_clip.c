/* Clips of small files, held against the transform's formula at eight points between all keys. */
#include "tests/unit/fbx_take/bisected.h"
#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include "anim/pose/sample.h"
#include "import/fbx/fbx_clip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CURVES                                                                                                         \
    "AnimationStack: 10, 'AnimStack::walk', '' {\n Properties70: {\n"                                                  \
    "P: 'LocalStart', 'KTime', 'Time', '',46186158000\n P: 'LocalStop', 'KTime', 'Time', '',230930790000\n}\n}\n"      \
    "AnimationLayer: 20, 'AnimLayer::l', '' {\n}\n"                                                                    \
    "AnimationCurveNode: 30, 'AnimCurveNode::T', '' {\n}\n"                                                            \
    "AnimationCurve: 40, 'AnimCurve::', '' {\n KeyTime: *3 { a: 0,92372316000,184744632000 }\n"                        \
    "KeyValueFloat: *3 { a: %s }\n KeyAttrFlags: *1 { a: %s }\n KeyAttrDataFloat: *4 { a: %s }\n"                      \
    "KeyAttrRefCount: *1 { a: 3 }\n}\n"

/* One curve on an axis of a property of a node, with keys at 0, 2 and 4 s of the file, in a take of 1 s to 5 s. */
static void read_clip(struct fbx_run *run, const char *properties, const char *property, const char *axis,
                      const char *values, const char *flags, const char *data)
{
    char objects[4000], curves[2000], links[400];
    snprintf(curves, sizeof curves, CURVES, values, flags, data);
    snprintf(objects, sizeof objects, "Model: 1, 'Model::box', 'Null' {\n Properties70: {\n%s}\n}\n%s", properties,
             curves);
    snprintf(links, sizeof links, "C: 'OO',20,10\nC: 'OO',30,20\nC: 'OP',30,1, '%s'\nC: 'OP',40,30, 'd|%s'\n", property,
             axis);
    fbx_run_nodes(run, "", objects, links);
    assert_int_equal(run->rc, 0);
    run->rc = fbx_read_clips(&run->fbx, &run->err);
}

static const struct channel *only_channel(const struct fbx_run *run, uint32_t path, uint32_t interpolation)
{
    const struct channel *channel = &run->builder.channels[0];
    assert_int_equal(run->rc, 0);
    assert_int_equal(run->builder.clip_count, 1);
    assert_int_equal(run->builder.clips[0].channel_count, 1);
    assert_int_equal(channel->path, path);
    assert_int_equal(channel->interpolation, interpolation);
    CHECK_NEAR(run->builder.clips[0].duration_s, 4, 0);
    CHECK_NEAR(run->fbx.clip_starts_s[0], 1, 0);
    assert_int_equal(run->fbx.clip_of[fbx_object_of_id(&run->fbx.scene, 10)], 0);
    return channel;
}

static void check_key(const struct fbx_run *run, const struct channel *channel, uint32_t key, double time_s, double x)
{
    CHECK_NEAR(run->builder.key_times[channel->key_time_first + key], time_s, 0);
    CHECK_NEAR(run->builder.key_values[channel->value_first + key * channel->component_count], x, 1e-6);
}

/* Keys at -1, 1 and 3 s of the clip. The clip begins between two of them. */
TEST(fbx_clip_keeps_linear_and_stepped_keys)
{
    struct fbx_run run;
    read_clip(&run, FBX_P3("Lcl Translation", "7,8,9"), "Lcl Translation", "X", "0,10,4", "4", "0,0,0,0");
    const struct channel *channel = only_channel(&run, PATH_TRANSLATION, INTERPOLATION_LINEAR);
    assert_int_equal(channel->key_count, 3);
    check_key(&run, channel, 0, 0, 5);
    check_key(&run, channel, 1, 1, 10);
    check_key(&run, channel, 2, 3, 4);
    CHECK_NEAR(run.builder.key_values[channel->value_first + 1], 8, 0); /* axes without curves stay */
    CHECK_NEAR(run.builder.key_values[channel->value_first + 2], 9, 0);
    fbx_run_fini(&run);
    read_clip(&run, "", "Lcl Scaling", "Y", "0.5,3,4", "2", "0,0,0,0");
    channel = only_channel(&run, PATH_SCALE, INTERPOLATION_STEP);
    assert_int_equal(channel->key_count, 3);
    CHECK_NEAR(run.builder.key_values[channel->value_first + 4], 3, 0);
    fbx_run_fini(&run);
    /* An angle alone, less than half a turn between keys: spherical interpolation says that. */
    read_clip(&run, "", "Lcl Rotation", "Z", "0,90,45", "4", "0,0,0,0");
    channel = only_channel(&run, PATH_ROTATION, INTERPOLATION_LINEAR);
    assert_int_equal(channel->key_count, 3);
    CHECK_NEAR(run.builder.key_values[channel->value_first + 4 + 2], sqrt(0.5), 1e-6);
    fbx_run_fini(&run);
    read_clip(&run, "", "Lcl Rotation", "Z", "0,90,45", "2", "0,0,0,0");
    channel = only_channel(&run, PATH_ROTATION, INTERPOLATION_STEP);
    assert_int_equal(channel->key_count, 3);
    fbx_run_fini(&run);
}

TEST(fbx_clip_leaves_out_what_is_as_at_rest)
{
    struct fbx_run run;
    read_clip(&run, FBX_P3("Lcl Translation", "7,8,9"), "Lcl Translation", "X", "7,7,7", "4", "0,0,0,0");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.clips[0].channel_count, 0);
    CHECK_NEAR(run.builder.clips[0].duration_s, 4, 0);
    fbx_run_fini(&run);
    read_clip(&run, FBX_P3("Lcl Translation", "7,8,9"), "Visibility", "X", "7,1,2", "4", "0,0,0,0");
    assert_int_equal(run.builder.clips[0].channel_count, 0);
    fbx_run_fini(&run);
    read_clip(&run, FBX_P3("Lcl Translation", "6,8,9"), "Lcl Translation", "X", "7,7,7", "4", "0,0,0,0");
    assert_int_equal(run.builder.channels[0].key_count, 1);
    fbx_run_fini(&run);
}

/* The errors of all channels, at eight points between their keys, where the curve's value at a time of the file is
 * given. */
static void check_against(const struct fbx_run *run, double (*value)(double), const char *property, int axis)
{
    const struct model model = bake_builder_view(&run->builder);
    struct fbx_transform_values values;
    fbx_transform_values(&run->fbx, run->fbx.object_of[0], &values);
    double *moved = strcmp(property, "Lcl Rotation") == 0  ? values.rotation_deg
                    : strcmp(property, "Lcl Scaling") == 0 ? values.scaling
                                                           : values.translation;
    for (uint32_t c = 0; c < model.channel_count; c++) {
        const struct channel *channel = &model.channels[c];
        const double *times = model.key_times + channel->key_time_first;
        for (uint32_t k = 0; k + 1 < channel->key_count; k++)
            for (int part = 0; part < 8; part++) {
                const double time_s = times[k] + (times[k + 1] - times[k]) * part / 8;
                double got[4], sign = 1;
                moved[axis] = value(time_s + 1);
                const struct trs trs = fbx_transform_trs(&values);
                const double *real = channel->path == PATH_TRANSLATION ? trs.translation
                                     : channel->path == PATH_ROTATION  ? trs.rotation
                                                                       : trs.scale;
                sample_channel(&model, channel, time_s, got);
                if (channel->path == PATH_ROTATION &&
                    got[0] * real[0] + got[1] * real[1] + got[2] * real[2] + got[3] * real[3] < 0)
                    sign = -1;
                for (uint32_t i = 0; i < channel->component_count; i++)
                    CHECK_NEAR(sign * got[i], real[i], channel->path == PATH_TRANSLATION ? 2e-6 : 1e-7);
            }
    }
}

/* Between keys of 0, 300 and -50 degrees at 0, 2 and 4 s, with slope 20 to the right of a key and -30 to the left of
 * the next. */
static double swing(double time_s)
{
    static const double VALUES[] = {0, 300, -50};
    const int key = time_s >= 2;
    return time_s >= 4 ? VALUES[2] : bisected(time_s / 2 - key, 0.333333, VALUES + key, (const double[]){20, -30}, 2);
}

#define CUBIC  "1032"
#define SLOPES "1101004800,-1041235968,0,0" /* the bits of 20 and -30 */
#define PIVOTS                                                                                                         \
    FBX_P1("RotationActive", "1")                                                                                      \
    FBX_P1("RotationOrder", "4")                                                                                       \
    FBX_P3("Lcl Translation", "1,2,3")                                                                                 \
    FBX_P3("Lcl Rotation", "10,20,30")                                                                                 \
    FBX_P3("Lcl Scaling", "1,2,0.5")                                                                                   \
    FBX_P3("PreRotation", "40,50,-60")                                                                                 \
    FBX_P3("PostRotation", "5,6,7")                                                                                    \
    FBX_P3("RotationPivot", "1,-1,0.5")                                                                                \
    FBX_P3("ScalingPivot", "0.25,3,-2") FBX_P3("ScalingOffset", "0.1,0.2,0.3") FBX_P3("RotationOffset", "-0.5,0.75,1")

TEST(fbx_clip_follows_angles_about_pivots)
{
    struct fbx_run run;
    for (int axis = 0; axis < 3; axis++) {
        read_clip(&run, PIVOTS, "Lcl Rotation", (const char[]){(char)('X' + axis), 0}, "0,300,-50", CUBIC, SLOPES);
        assert_int_equal(run.rc, 0);
        assert_int_equal(run.builder.channel_count, 2); /* the pivot moves it, too */
        check_against(&run, swing, "Lcl Rotation", axis);
        assert_true(run.builder.channels[0].key_count > 8 && run.builder.channels[0].key_count < 200);
        assert_false(fbx_run_warned(&run, "curve_approximated"));
        fbx_run_fini(&run);
    }
}

TEST(fbx_clip_follows_scales_about_pivots)
{
    struct fbx_run run;
    read_clip(&run, PIVOTS, "Lcl Scaling", "Y", "0,300,-50", "4", SLOPES);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.channel_count, 2);
    const struct channel *scale = &run.builder.channels[1];
    assert_int_equal(scale->key_count, 3); /* itself it is the file's curve */
    assert_int_equal(scale->interpolation, INTERPOLATION_LINEAR);
    fbx_run_fini(&run);
}

TEST(fbx_clip_names_what_it_cannot_read)
{
    struct fbx_run run;
    read_clip(&run, "", "Lcl Scaling", "Y", "0,300", CUBIC, SLOPES);
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_non_null(strstr(run.err.message, "Model 'box'"));
    assert_non_null(strstr(run.err.message, "Lcl Scaling"));
    assert_non_null(strstr(run.err.message, "byte"));
    fbx_run_fini(&run);
}
