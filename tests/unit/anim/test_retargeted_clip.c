/* Clips of other files made ready to play. They give the same palettes as a clip of the model's own, within the bound
 * of double precision. Their data outlives its sources, except the models. */
#include "anim/compiled/clip_palette.h"
#include "anim/pose/pose.h"
#include "anim/retarget/retargeted_clip.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/human.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 19, KEYS = 5, JOINTS_MAX = 64 };
static const double TIMES[KEYS] = {0.25, 0.5, 0.625, 1, 1.75};

/* Numbers without a pattern, the same in each run. */
static float number(uint32_t i) { return (float)(i * 2654435761U >> 8) / 16777216.0f; }

static void turn_of(uint32_t seed, float q[4])
{
    double square = 0;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = 0.4f * number(4 * seed + i) + (i == 3 ? 0.8f : -0.2f);
        square += (double)q[i] * (double)q[i];
    }
    for (uint32_t i = 0; i < 4; i++)
        q[i] = (float)((double)q[i] / sqrt(square));
}

/* Rotated, unevenly scaled, off the origin; nodes "PREFIX0", "PREFIX1" .. */
static void add_rig(struct fixture *f, const char *prefix)
{
    fixture_init(f);
    for (uint32_t n = 0; n < NODES; n++) {
        const float place[3] = {n == 0 ? 2 : number(n) - 0.5f, n == 0 ? -3 : number(n + 40), number(n + 80)};
        const float scale[3] = {0.9f + 0.2f * number(n + 120), 1.1f, n % 5 == 4 ? -1 : 1};
        float turn[4];
        char name[16];
        turn_of(n + 200, turn);
        snprintf(name, sizeof name, "%s%u", prefix, n);
        fixture_node(f, n == 0 ? -1 : (int32_t)(n * 3 / 4), place, turn, scale);
        f->builder.nodes[n].name = bake_textz(&f->builder, name);
    }
    fixture_root(f, 0);
}

static void add_skins(struct fixture *f)
{
    const struct vec3 corners[4] = {{-2, -2, 1}, {3, -2, 0}, {-2, 3, 5}, {4, 4, -3}};
    uint32_t joints[NODES];
    for (uint32_t n = 0; n < NODES; n++)
        joints[n] = (n * 7 + 3) % NODES;
    fixture_mesh_node(f, fixture_mesh(f, corners, 4), (int32_t)fixture_skin(f, joints, NODES));
    fixture_mesh_node(f, fixture_mesh(f, corners, 4), (int32_t)fixture_skin(f, joints, 4));
}

/* Rotations of all nodes but two, translations and scales of some; `spline`: a node that has to be sampled, or none. */
static void add_clip(struct fixture *f, uint32_t seed, uint32_t spline)
{
    fixture_clip(f);
    for (uint32_t n = 0; n < NODES - 2; n++) {
        float turns[KEYS * 12], places[KEYS * 3];
        for (uint32_t k = 0; k < KEYS * 3; k++)
            turn_of(seed + n * KEYS + k % KEYS, turns + 4 * (size_t)k);
        for (uint32_t k = 0; k < KEYS * 3; k++)
            places[k] = 0.8f + 0.4f * number(seed + n * 31 + k);
        fixture_channel(f, n, PATH_ROTATION, n == spline ? INTERPOLATION_CUBICSPLINE : INTERPOLATION_LINEAR, 4, TIMES,
                        KEYS, turns);
        if (n % 3 == 0)
            fixture_channel(f, n, PATH_TRANSLATION, INTERPOLATION_STEP, 3, TIMES, KEYS, places);
        if (n % 7 == 2)
            fixture_channel(f, n, PATH_SCALE, INTERPOLATION_LINEAR, 3, TIMES, KEYS, places);
    }
}

static double longest(const double low[3], const double high[3])
{
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

/* The longest side of the model at rest, or of the box around its nodes. */
static double size_of(const struct model *model)
{
    const struct model_info *info = model->infos;
    const double low[3] = {(double)info->rest_min.x, (double)info->rest_min.y, (double)info->rest_min.z};
    const double high[3] = {(double)info->rest_max.x, (double)info->rest_max.y, (double)info->rest_max.z};
    double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, most[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    struct pose pose;
    if (longest(low, high) > 0)
        return longest(low, high);
    pose_init(&pose);
    pose_evaluate(&pose, model, POSE_REST, 0);
    for (uint32_t n = 0; n < model->node_count; n++)
        for (int i = 0; i < 3; i++) {
            least[i] = fmin(least[i], pose.scene_from_node[n].m[12 + i]);
            most[i] = fmax(most[i], pose.scene_from_node[n].m[12 + i]);
        }
    pose_fini(&pose);
    return longest(least, most);
}

/* With every kernel, for every skin. */
static void check_bound(const struct model *retargeted, uint32_t clip)
{
    struct pose pose;
    pose_init(&pose);
    assert_true(clip_palette_is_compiled(retargeted, (int32_t)clip));
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        struct clip_palette palette;
        clip_palette_init(&palette, kernel_at(k));
        for (int i = 0; i <= 100; i++) {
            const double time_s = i < KEYS ? TIMES[i] : i / 50.0;
            pose_evaluate(&pose, retargeted, (int32_t)clip, time_s);
            for (uint32_t s = 0; s < retargeted->skin_count; s++) {
                struct mat4 exact[JOINTS_MAX], compiled[JOINTS_MAX];
                assert_int_equal(pose_palette(&pose, retargeted, s, &DMAT4_IDENTITY, exact, NULL), 0);
                clip_palette_evaluate(&palette, retargeted, clip, time_s, s, PALETTE_MAT4, compiled[0].m);
                for (uint32_t e = 0; e < 16 * retargeted->skins[s].joint_count; e++)
                    CHECK_NEAR(compiled[e / 16].m[e % 16], exact[e / 16].m[e % 16], 1e-6 * size_of(retargeted));
            }
        }
        clip_palette_fini(&palette);
    }
    pose_fini(&pose);
}

static void check_same(const struct model *retargeted, uint32_t clip, const struct model *whole, uint32_t whole_clip)
{
    struct clip_palette palette;
    clip_palette_init(&palette, kernel_best());
    for (int i = 0; i <= 100; i++)
        for (uint32_t s = 0; s < retargeted->skin_count; s++) {
            struct mat4 one[JOINTS_MAX], other[JOINTS_MAX];
            clip_palette_evaluate(&palette, retargeted, clip, i / 50.0, s, PALETTE_MAT4, one[0].m);
            clip_palette_evaluate(&palette, whole, whole_clip, i / 50.0, s, PALETTE_MAT4, other[0].m);
            assert_memory_equal(one, other, retargeted->skins[s].joint_count * sizeof *one);
        }
    clip_palette_fini(&palette);
}

TEST(retargeted_clip_has_the_bits_of_a_clip_of_its_own)
{
    for (uint32_t spline = 5; spline <= NODES; spline += NODES - 5)
        for (int has_own = 0; has_own < 2; has_own++) {
            struct fixture model, whole, source;
            struct retargeted_clip *retargeted;
            struct err err;
            add_rig(&model, "joint");
            add_skins(&model);
            if (has_own != 0) { /* which moves some nodes alone, so that the rig has another order */
                fixture_clip(&model);
                const float turns[8] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f};
                fixture_channel(&model, 7, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, turns);
            }
            fixture_finish(&model);
            add_rig(&whole, "joint");
            add_skins(&whole);
            add_clip(&whole, 999, spline);
            fixture_finish(&whole);
            add_rig(&source, "joint");
            add_clip(&source, 1, NODES);
            add_clip(&source, 999, spline);
            fixture_finish(&source);
            assert_true(model.model.rig_node_count > 0); /* a model without clips has its rig, too */
            assert_int_equal(
                retargeted_clip_new(&retargeted, &model.model, &source.model, &(struct name_map){0}, NULL, 1, &err), 0);
            check_bound(&retargeted->retarget.model, 1);
            check_same(&retargeted->retarget.model, 1, &whole.model, 0);
            assert_false(clip_palette_is_compiled(&retargeted->retarget.model, 0)); /* it has this clip alone */
            assert_int_equal(retargeted->retarget.model.clips[0].channel_count, 0);
            assert_true(retargeted->held_bytes > retargeted->compiled.size_bytes);
            retargeted_clip_unref(retargeted);
            fixture_fini(&model);
            fixture_fini(&whole);
            fixture_fini(&source);
        }
}

TEST(retargeted_clip_owns_its_names)
{
    struct fixture model, source;
    struct retargeted_clip *retargeted;
    struct joined_name name;
    struct err err;
    char texts[2][24] = {"rig:*=joint*", "nobody=someone"}, renamed[24];
    struct name_rule rules[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(name_rule_parse(&rules[i], texts[i], &err), 0);
    const struct name_map names = {.rules = rules, .count = 2};
    add_rig(&model, "joint");
    add_skins(&model);
    fixture_finish(&model);
    add_rig(&source, "rig:");
    add_clip(&source, 1, NODES);
    fixture_finish(&source);
    assert_int_equal(retargeted_clip_new(&retargeted, &model.model, &source.model, &names, NULL, 0, &err), 0);
    memset(texts, 'x', sizeof texts);
    memset(rules, 0, sizeof rules);
    assert_true(retarget_rename(&retargeted->retarget, 3, &name));
    assert_string_equal(joined_name_put(&name, renamed, sizeof renamed), "joint3");
    assert_string_equal(retargeted->retarget.names.rules[1].text, "nobody=someone");
    assert_int_equal(retargeted->retarget.is_rule_used[0], 1);
    assert_int_equal(retargeted->retarget.is_rule_used[1], 0);
    check_bound(&retargeted->retarget.model, 0);
    assert_ptr_equal(retargeted_clip_ref(retargeted), retargeted);
    retargeted_clip_unref(retargeted);
    assert_true(clip_palette_is_compiled(&retargeted->retarget.model, 0)); /* one reference is left */
    retargeted_clip_unref(retargeted);
    assert_int_equal(
        retargeted_clip_new(&retargeted, &model.model, &source.model, &(struct name_map){0}, NULL, 0, &err),
        ERR_CLIP_NO_MATCH);
    assert_null(retargeted);
    fixture_fini(&model);
    fixture_fini(&source);
}

TEST(retargeted_clip_that_cannot_be_compiled_is_evaluated)
{
    const float rounded[8] = {0, 0, 0, 1.0005f, 0, 0, 0.6f, 0.8f}; /* no unit quaternion, and taken as it is */
    for (int has_skin = 0; has_skin < 2; has_skin++) {
        struct fixture model, source;
        struct retargeted_clip *retargeted;
        struct pose pose;
        struct err err;
        add_rig(&model, "joint");
        if (has_skin != 0)
            add_skins(&model);
        fixture_finish(&model);
        add_rig(&source, "joint");
        fixture_clip(&source);
        fixture_channel(&source, 3, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, rounded);
        fixture_finish(&source);
        assert_int_equal(
            retargeted_clip_new(&retargeted, &model.model, &source.model, &(struct name_map){0}, NULL, 0, &err), 0);
        assert_false(clip_palette_is_compiled(&retargeted->retarget.model, 0));
        assert_int_equal(retargeted->compiled.size_bytes, 0);
        pose_init(&pose);
        pose_evaluate(&pose, &retargeted->retarget.model, 0, TIMES[1]);
        CHECK_NEAR(pose.local[3].rotation[2], 0.6, 1e-6);
        pose_fini(&pose);
        retargeted_clip_unref(retargeted);
        fixture_fini(&model);
        fixture_fini(&source);
    }
}

TEST(retargeted_clip_by_rest_is_within_the_bound)
{
    struct fixture model, source;
    struct human_rig model_rig, source_rig;
    struct rest_options rest = {0};
    const struct humanoid_choice any = {0};
    struct err err;
    human_begin(&model_rig, &model, &HUMAN_A);
    human_begin(&source_rig, &source, &HUMAN_T);
    human_walk(&source_rig);
    fixture_finish(&model);
    fixture_finish(&source);
    assert_int_equal(humanoid_find(&model.model, &any, &rest.model, &err), 0);
    assert_int_equal(humanoid_find(&source.model, &any, &rest.source, &err), 0);
    for (int is_locked = 0; is_locked < 2; is_locked++) {
        struct retargeted_clip *retargeted;
        struct retarget retarget;
        struct pose one, other;
        rest.clip.has_locked_feet = is_locked != 0;
        assert_int_equal(
            retargeted_clip_new(&retargeted, &model.model, &source.model, &(struct name_map){0}, &rest, 0, &err), 0);
        check_bound(&retargeted->retarget.model, 0);
        retarget_init(&retarget, &model.model, &source.model, NULL);
        assert_int_equal(retarget_set_rest(&retarget, &rest, &err), 0);
        assert_int_equal(retarget_clip(&retarget, 0, &err), 0);
        CHECK_NEAR(retargeted->retarget.slide, retarget.slide, 0);
        CHECK_NEAR(retarget_scale(&retargeted->retarget), retarget_scale(&retarget), 0);
        assert_int_equal(retargeted->retarget.steps, retarget.steps);
        for (uint32_t c = 0; c < source.model.channel_count; c++)
            assert_int_equal(retarget_leaves_out(&retargeted->retarget, &source.model.channels[c]),
                             retarget_leaves_out(&retarget, &source.model.channels[c]));
        pose_init(&one);
        pose_init(&other);
        pose_evaluate(&one, &retargeted->retarget.model, 0, 0.77);
        pose_evaluate(&other, &retarget.model, 0, 0.77);
        assert_memory_equal(one.local, other.local, model.model.node_count * sizeof *one.local);
        pose_fini(&one);
        pose_fini(&other);
        retarget_fini(&retarget);
        retargeted_clip_unref(retargeted);
    }
    fixture_fini(&model);
    fixture_fini(&source);
}
