#include "anim/pose/sample.h"
#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>
#include <string.h>

/* Times at byte 0, values at byte 16; an animation with `channels` and `samplers`; `accessors` from index 1 on. */
struct anim_bin {
    float times[4];
    float values[24];
};

static void run_animation(struct gltf_run *run, const char *channels, const char *samplers, const char *accessors,
                          const struct anim_bin *bin)
{
    char json[3000];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'buffers':[{'byteLength':112}],'bufferViews':[{'buffer':0,'byteLength':16},"
             "{'buffer':0,'byteOffset':16,'byteLength':96}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'SCALAR'},%s],"
             "'nodes':[{},{'mesh':0},{'mesh':1}],'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0},"
             "'targets':[{},{}]}]},{'primitives':[]}],"
             "'animations':[{'name':'a','channels':[%s],'samplers':[%s]}]}",
             accessors, channels, samplers);
    /* meshes[0] needs a POSITION of its own */
    char *position = strstr(json, "'POSITION':0");
    position[11] = '1';
    gltf_run_glb(run, json, bin, sizeof *bin);
}

#define POINTS              "{'componentType':5126,'count':1,'type':'VEC3'}"
#define VALUES(type, count) ",{'bufferView':1,'componentType':5126,'count':" #count ",'type':'" #type "'}"
#define CHANNEL(node, path) "{'sampler':0,'target':{'node':" #node ",'path':'" #path "'}}"
#define SAMPLER(more)       "{'input':0,'output':2" more "}"

static const struct anim_bin GOOD = {.times = {0, 0.5f, 2}, .values = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                                                       13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}};

TEST(gltf_channels_of_each_path)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run_animation(&run, CHANNEL(0, translation) "," CHANNEL(1, scale), SAMPLER(""), POINTS VALUES(VEC3, 3), &GOOD);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->channel_count, 2);
    assert_int_equal(b->key_time_count, 3); /* shared */
    assert_int_equal(b->channels[0].component_count, 3);
    assert_int_equal(b->channels[1].path, PATH_SCALE);
    CHECK_NEAR(b->key_times[2], 2, 0);
    CHECK_NEAR(b->key_values[b->channels[0].value_first + 8], 9, 0);
    CHECK_NEAR(b->clips[0].duration_s, 2, 0);
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(",'interpolation':'STEP'"), POINTS VALUES(VEC4, 3), &GOOD);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(b->channels[0].interpolation, INTERPOLATION_STEP);
    assert_int_equal(b->channels[0].component_count, 4);
    run_animation(&run, CHANNEL(1, weights), SAMPLER(",'interpolation':'CUBICSPLINE'"), POINTS VALUES(SCALAR, 18),
                  &GOOD);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(b->channels[0].component_count, 2);
    assert_int_equal(b->key_value_count, 18);
    gltf_run_fini(&run);
}

TEST(gltf_keys_that_are_normalized_integers)
{
    struct anim_bin bin = GOOD;
    const int16_t keys[12] = {0, 0, 0, 32767, -32768, 0, 0, 1, 0, 16384, 0, 0};
    memcpy(bin.values, keys, sizeof keys);
    struct gltf_run run;
    gltf_run_init(&run);
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""),
                  POINTS ",{'bufferView':1,'componentType':5122,'normalized':true,'count':3,'type':'VEC4'}", &bin);
    assert_true(gltf_succeeded(&run));
    CHECK_NEAR(run.builder.key_values[3], 1, 0);
    CHECK_NEAR(run.builder.key_values[4], -1, 0);
    CHECK_NEAR(run.builder.key_values[9], 16384 / 32767.0, 1e-7);
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""),
                  POINTS ",{'bufferView':1,'componentType':5122,'count':3,'type':'VEC4'}", &bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "integers that are not normalized"));
    run_animation(&run, CHANNEL(0, translation), SAMPLER(""),
                  POINTS ",{'bufferView':1,'componentType':5122,'normalized':true,'count':3,'type':'VEC3'}", &bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "translation cannot be accessors[2], which is VEC3 of SHORT"));
    gltf_run_fini(&run);
}

static void check_bad_time(float time, const char *message)
{
    struct anim_bin bin = GOOD;
    struct gltf_run run;
    bin.times[1] = time;
    gltf_run_init(&run);
    run_animation(&run, CHANNEL(0, translation), SAMPLER(""), POINTS VALUES(VEC3, 3), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_KEYS, message));
    gltf_run_fini(&run);
}

TEST(gltf_key_times_that_are_wrong)
{
    check_bad_time(2.5f, "animations[0].channels[0]: the time of key 2 is 2, before the 2.5 of the key before");
    check_bad_time(-1, "the time of key 1 is -1, before 0");
    check_bad_time(NAN, "the time of key 1 is not finite");
}

TEST(gltf_key_times_that_are_equal)
{
    struct anim_bin bin = GOOD;
    struct gltf_run run;
    bin.times[1] = 0;
    gltf_run_init(&run);
    run_animation(&run, CHANNEL(0, translation) "," CHANNEL(1, translation), SAMPLER(""), POINTS VALUES(VEC3, 3), &bin);
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "duplicate_key_times"));
    for (uint32_t c = 0; c < 2; c++) {
        const struct channel *channel = &run.builder.channels[c];
        assert_int_equal(channel->key_count, 2);
        CHECK_NEAR(run.builder.key_times[channel->key_time_first], 0, 0);
        CHECK_NEAR(run.builder.key_values[channel->value_first], 4, 0); /* the later key's */
        CHECK_NEAR(run.builder.key_values[channel->value_first + 3], 7, 0);
    }
    gltf_run_fini(&run);
}

TEST(gltf_keys_that_are_wrong)
{
    struct anim_bin bin = GOOD;
    struct gltf_run run;
    gltf_run_init(&run);
    run_animation(&run, CHANNEL(0, translation), SAMPLER(""), POINTS VALUES(VEC3, 4), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_KEYS, "3 keys need 9 numbers, but accessors[2] has 12"));
    run_animation(&run, CHANNEL(0, translation), SAMPLER(",'interpolation':'CUBICSPLINE'"), POINTS VALUES(VEC3, 3),
                  &bin);
    assert_true(gltf_failed(&run, ERR_BAD_KEYS, "3 keys need 27 numbers"));
    run_animation(&run, CHANNEL(0, translation), SAMPLER(",'interpolation':'linear'"), POINTS VALUES(VEC3, 3), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "animations[0].samplers[0].interpolation is 'linear'"));
    run_animation(&run, CHANNEL(0, rotate), SAMPLER(""), POINTS VALUES(VEC3, 3), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "animations[0].channels[0].target.path is 'rotate'"));
    run_animation(&run, "{'sampler':1,'target':{'node':0,'path':'scale'}}", SAMPLER(""), POINTS VALUES(VEC3, 3), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "sampler is 1, but the animation has 1 samplers"));
    memset(bin.values + 4, 0, 4 * sizeof *bin.values);
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""), POINTS VALUES(VEC4, 3), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_KEYS, "the rotation of key 1 has no length"));
    bin.values[0] = NAN;
    run_animation(&run, CHANNEL(0, scale), SAMPLER(""), POINTS VALUES(VEC3, 3), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_KEYS, "the value of key 0 is not finite"));
    gltf_run_fini(&run);
}

TEST(gltf_rotations_of_another_length_are_told)
{
    struct anim_bin bin = GOOD;
    struct gltf_run run;
    gltf_run_init(&run);
    for (int i = 0; i < 12; i++)
        bin.values[i] = i % 4 == 3 ? 1 : 0;
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""), POINTS VALUES(VEC4, 3), &bin);
    assert_true(gltf_succeeded(&run) && !gltf_warned(&run, "rotation_normalised"));
    bin.values[7] = 1.0009f;
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""), POINTS VALUES(VEC4, 3), &bin);
    assert_true(gltf_succeeded(&run) && !gltf_warned(&run, "rotation_normalised"));
    bin.values[7] = 1.002f;
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""), POINTS VALUES(VEC4, 3), &bin);
    assert_true(gltf_succeeded(&run) && gltf_warned(&run, "rotation_normalised"));
    gltf_run_fini(&run);
}

TEST(gltf_channels_that_move_nothing_keep_their_clip)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run_animation(
        &run,
        "{'sampler':0,'target':{'path':'translation'}}," CHANNEL(0, weights) "," CHANNEL(
            2, weights) ",{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':"
                        "'/materials/0/alphaCutoff'}}}}",
        SAMPLER(""), POINTS VALUES(VEC3, 3), &GOOD);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.clip_count, 1);
    assert_int_equal(run.builder.channel_count, 0);
    assert_int_equal(run.builder.warning_count, 4);
    run_animation(&run, CHANNEL(0, scale) "," CHANNEL(0, scale), SAMPLER(""), POINTS VALUES(VEC3, 3), &GOOD);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.channel_count, 1);
    assert_true(gltf_warned(&run, "channel_ignored"));
    gltf_run_fini(&run);
}

#define POINTER(text)                                                                                                  \
    "{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'" text "'}}}}"

TEST(gltf_pointers_move_nodes)
{
    static const char *const OTHERS[] = {
        POINTER(""),
        POINTER("/nodes"),
        POINTER("/nodes/"),
        POINTER("/nodes/0"),
        POINTER("/nodes/0/"),
        POINTER("/nodes/00/scale"),
        POINTER("/nodes/99/scale"),
        POINTER("/nodes//scale"),
        POINTER("/nodes/-1/scale"),
        POINTER("/nodes/0/scale/0"),
        POINTER("/nodes/0/weights/"),
        POINTER("/nodes/0/weights/x"),
        POINTER("/nodes/0/weights/00"),
        POINTER("/nodes/0/weightsx"),
        POINTER("/meshes/0"),
        POINTER("/meshes/0/name"),
        POINTER("/meshes//weights"),
        POINTER("/nodes/18446744073709551616/scale"),
    };
    struct gltf_run run;
    gltf_run_init(&run);
    run_animation(&run, POINTER("/nodes/1/scale"), SAMPLER(""), POINTS VALUES(VEC3, 3), &GOOD);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.channel_count, 1);
    assert_int_equal(run.builder.channels[0].node, 1);
    assert_int_equal(run.builder.channels[0].path, PATH_SCALE);
    run_animation(&run, POINTER("/nodes/1/scale") "," CHANNEL(1, scale), SAMPLER(""), POINTS VALUES(VEC3, 3), &GOOD);
    assert_true(gltf_succeeded(&run) && gltf_warned(&run, "channel_ignored")); /* one property twice */
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        run_animation(&run, OTHERS[i], SAMPLER(""), POINTS VALUES(VEC3, 3), &GOOD);
        assert_true(gltf_succeeded(&run) && gltf_warned(&run, "channel_ignored"));
        assert_int_equal(run.builder.channel_count, 0);
    }
    gltf_run_fini(&run);
}

/* One warning, however many nodes show the mesh. */
TEST(gltf_channels_of_a_mesh_that_come_twice)
{
    static const struct {
        const char *channels, *values;
        uint32_t warnings, channel_count, component_count;
    } ROWS[] = {
        {POINTER("/meshes/0/weights") "," POINTER("/meshes/0/weights"), VALUES(SCALAR, 6), 1, 1, 2},
        {POINTER("/meshes/0/weights") "," POINTER("/nodes/1/weights"), VALUES(SCALAR, 6), 1, 1, 2},
        {POINTER("/nodes/1/weights/1") "," POINTER("/meshes/0/weights/1") "," POINTER("/meshes/0/weights/1"),
         VALUES(SCALAR, 3), 2, 1, 2},
        {POINTER("/meshes/0/weights/1") "," POINTER("/meshes/0/weights/0") "," POINTER("/nodes/1/weights/0"),
         VALUES(SCALAR, 3), 1, 1, 2},
        {POINTER("/meshes/0/weights/2") "," POINTER("/meshes/0/weights/2"), VALUES(SCALAR, 3), 2, 0, 0},
        {POINTER("/meshes/1/weights") "," POINTER("/nodes/1/scale"), VALUES(VEC3, 3), 1, 1, 3},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct gltf_run run;
        char accessors[200];
        print_message("%s\n", ROWS[i].channels);
        snprintf(accessors, sizeof accessors, "%s%s", POINTS, ROWS[i].values);
        gltf_run_init(&run);
        run_animation(&run, ROWS[i].channels, SAMPLER(""), accessors, &GOOD);
        assert_true(gltf_succeeded(&run));
        assert_int_equal(run.builder.warning_count, ROWS[i].warnings);
        assert_int_equal(run.builder.channel_count, ROWS[i].channel_count);
        if (ROWS[i].channel_count > 0)
            assert_int_equal(run.builder.channels[0].component_count, ROWS[i].component_count);
        gltf_run_fini(&run);
    }
}

TEST(gltf_keys_are_limited)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run.limits.value[LIMIT_KEYS] = 8;
    run_animation(&run, CHANNEL(0, translation), SAMPLER(""), POINTS VALUES(VEC3, 3), &GOOD);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "animations[0].channels[0]: the model would have more than 8"));
    gltf_run_fini(&run);
}

/* Keys of three decimals are taken as the file has them: normalised, they would be 0.70710678. */
TEST(gltf_rotation_keys_of_three_decimals)
{
    struct anim_bin bin = GOOD;
    const float keys[12] = {0, 0, 0, 1, 0, 0, 0.707f, 0.707f, 0, 0, 0, 3};
    memcpy(bin.values, keys, sizeof keys);
    struct gltf_run run;
    gltf_run_init(&run);
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""), POINTS VALUES(VEC4, 3), &bin);
    assert_true(gltf_succeeded(&run));
    const struct model model = {.key_times = run.builder.key_times, .key_values = run.builder.key_values};
    double out[4];
    sample_channel(&model, &run.builder.channels[0], 0.5, out);
    CHECK_NEAR(out[2], 0.707f, 0);
    sample_channel(&model, &run.builder.channels[0], 0.5 + 1e-9, out);
    CHECK_NEAR(out[2], 0.707f, 1e-8);
    sample_channel(&model, &run.builder.channels[0], 2, out);
    CHECK_NEAR(out[3], 1, 0);
    gltf_run_fini(&run);
}

TEST(gltf_channels_share_the_keys_of_their_accessors)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run_animation(&run,
                  CHANNEL(0, translation) "," CHANNEL(1, scale) ",{'sampler':1,'target':{'node':2,'path':'scale'}}",
                  SAMPLER("") "," SAMPLER(",'interpolation':'STEP'"), POINTS VALUES(VEC3, 3), &GOOD);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->channel_count, 3);
    assert_int_equal(b->key_value_count, 9);
    for (uint32_t c = 0; c < 3; c++)
        assert_int_equal(b->channels[c].value_first, 0);
    assert_int_equal(b->channels[2].interpolation, INTERPOLATION_STEP);
    gltf_run_fini(&run);
}

/* As LINEAR the values are three rotations, as CUBICSPLINE one, with tangents: only that has a length of 0. */
TEST(gltf_shared_rotations_are_checked_for_each_use)
{
    struct anim_bin bin = GOOD;
    struct gltf_run run;
    gltf_run_init(&run);
    memset(bin.values, 0, 4 * sizeof(float));
    run_animation(&run, CHANNEL(0, rotation), SAMPLER(""), POINTS VALUES(VEC4, 3), &bin);
    assert_true(gltf_failed(&run, ERR_BAD_KEYS, "the rotation of key 0 has no length"));
    run_animation(&run, CHANNEL(0, rotation) ",{'sampler':1,'target':{'node':1,'path':'rotation'}}",
                  "{'input':3,'output':2,'interpolation':'CUBICSPLINE'}," SAMPLER(""),
                  POINTS VALUES(VEC4, 3) ",{'bufferView':0,'componentType':5126,'count':1,'type':'SCALAR'}", &bin);
    assert_true(gltf_failed(&run, ERR_BAD_KEYS, "channels[1]: the rotation of key 0 has no length"));
    gltf_run_fini(&run);
}
