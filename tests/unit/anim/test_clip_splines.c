/* Compiled clips with cubic splines compared with double precision: on random rigs that are rotated, unevenly scaled
 * and off the origin, at keys and on both sides of kinks and jumps. Also: which frames are chosen, and what stays
 * exact. */
#include "anim/entity/entity.h"
#include "tests/unit/support/chance_rig.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>

static double size_of(const struct model *m)
{
    const struct model_info *info = m->infos;
    return fmax((double)(info->rest_max.x - info->rest_min.x),
                fmax((double)(info->rest_max.y - info->rest_min.y), (double)(info->rest_max.z - info->rest_min.z)));
}

static bool is_cubic(const struct fixture *f)
{
    return clip_palette_is_compiled(&f->model, 0) && (f->model.compiled_clips[0].flags & COMPILED_CUBIC) != 0;
}

/* Returns the greatest difference from double precision at a time, relative to the model's size. All kernels must have
 * the same bits. */
static double error_at(const struct fixture *f, double time_s)
{
    const struct model *m = &f->model;
    const uint32_t floats = 12 * m->skins[0].joint_count;
    static struct mat4 exact[NODES_MAX];
    static float first[12 * NODES_MAX], rows[12 * NODES_MAX];
    struct clip_palette palette;
    struct pose pose;
    double largest = 0;
    pose_init(&pose);
    pose_evaluate(&pose, m, 0, time_s);
    assert_int_equal(pose_palette(&pose, m, 0, &DMAT4_IDENTITY, exact, NULL), 0);
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        clip_palette_init(&palette, kernel_at(k));
        clip_palette_evaluate(&palette, m, 0, time_s, 0, PALETTE_MAT3X4, k == 0 ? first : rows);
        if (k > 0 && memcmp(first, rows, floats * sizeof *rows) != 0)
            fail_msg("%s has other bits at %.17g s", kernel_at(k)->name, time_s);
        clip_palette_fini(&palette);
    }
    for (uint32_t e = 0; e < floats; e++) {
        const double apart = fabs((double)first[e] - (double)exact[e / 12].m[e % 4 * 4 + e % 12 / 4]);
        largest = !(apart <= largest) ? apart : largest;
    }
    pose_fini(&pose);
    return largest / size_of(m);
}

/* At a thousand times, at all keys, and at the last time before each. */
static void check_splines(const struct fixture *f)
{
    assert_true(is_cubic(f));
    for (int i = 0; i <= 1000; i++)
        CHECK_NEAR(error_at(f, i / 400.0 - 0.2), 0, 1e-6);
    for (uint32_t i = 0; i < f->model.key_time_count; i++) {
        CHECK_NEAR(error_at(f, f->model.key_times[i]), 0, 1e-6);
        CHECK_NEAR(error_at(f, nextafter(f->model.key_times[i], -1)), 0, 1e-6);
    }
}

static void make_rig(struct fixture *f, uint32_t count)
{
    fixture_init(f);
    chance_state = 40 + count;
    add_rig(f, count);
    add_skin(f, 0, count, 1);
    fixture_clip(f);
}

TEST(clip_splines_of_every_number_of_joints)
{
    for (uint32_t count = 1; count <= 36; count += count < 18 ? 1 : 6) {
        struct fixture f;
        make_rig(&f, count);
        for (uint32_t n = 0; n < count; n++) { /* each key is a kink */
            add_channel(&f, n, PATH_ROTATION, INTERPOLATION_CUBICSPLINE, TIMES, KEYS);
            if (n % 3 == 0)
                add_channel(&f, n, PATH_TRANSLATION, INTERPOLATION_CUBICSPLINE, TIMES, KEYS);
            if (n % 7 == 2)
                add_channel(&f, n, PATH_SCALE, INTERPOLATION_CUBICSPLINE, TIMES, KEYS);
        }
        fixture_finish(&f);
        assert_int_equal(f.model.compiled_clips[0].frame_count, 2 * KEYS - 2);
        check_splines(&f);
        fixture_fini(&f);
    }
}

TEST(clip_splines_beside_other_keys)
{
    static const enum interpolation KINDS[] = {INTERPOLATION_LINEAR, INTERPOLATION_STEP, INTERPOLATION_CUBICSPLINE};
    struct fixture f;
    make_rig(&f, 27);
    for (uint32_t n = 0; n < 27; n++) { /* each with each of the others, on two time lines; some have one key */
        add_channel(&f, n, PATH_TRANSLATION, KINDS[n % 3], n % 2 == 0 ? TIMES : OTHER_TIMES, KEYS);
        add_channel(&f, n, PATH_ROTATION, KINDS[n / 3 % 3], TIMES, n % 4 == 0 ? 1 : KEYS);
        add_channel(&f, n, PATH_SCALE, KINDS[n / 9], OTHER_TIMES, n % 4 == 1 ? 2 : KEYS);
    }
    fixture_finish(&f);
    check_splines(&f);
    fixture_fini(&f);
}

/* A key at the last double before a jump, as fitted curves have it (import/curve/curve_fit.h). */
TEST(clip_splines_that_jump)
{
    struct fixture f;
    double times[KEYS] = {0.25, 0.5, 0.5, 1, 1.1, 1.1, 2};
    times[1] = nextafter(times[2], 0);
    times[4] = nextafter(times[5], 0);
    make_rig(&f, 9);
    for (uint32_t n = 0; n < 9; n++) {
        add_channel(&f, n, PATH_ROTATION, INTERPOLATION_CUBICSPLINE, times, KEYS);
        add_channel(&f, n, PATH_TRANSLATION, n % 2 == 0 ? INTERPOLATION_CUBICSPLINE : INTERPOLATION_STEP, times, KEYS);
    }
    fixture_finish(&f);
    check_splines(&f);
    assert_int_equal(f.model.compiled_clips[0].frame_count, 8); /* 1 s twice, the others on one side each */
    fixture_fini(&f);
}

/* Adds a smooth motion of `keys` keys, up to `late_s` later than every second of ten. */
static void add_turned(struct fixture *f, uint32_t node, enum channel_path path, uint32_t keys, double late_s,
                       double turn)
{
    const uint32_t n = path == PATH_ROTATION ? 4 : 3;
    double *times = malloc(keys * sizeof *times);
    float *values = calloc(keys * 3 * n, sizeof *values);
    for (uint32_t k = 0; k < keys; k++) {
        times[k] = 2.0 * k / (keys - 1) + (k > 0 && k + 1 < keys ? late_s : 0);
        for (uint32_t i = 0; i < n; i++) {
            const double speed = 0.7 + 0.1 * i, at = speed * times[k] + node + i;
            const double middle = i == 3 || path == PATH_SCALE ? 1 : i == 0 ? turn : 0;
            values[(3 * k + 1) * n + i] = (float)(middle + 0.1 * sin(at));
            values[3 * k * n + i] = values[(3 * k + 2) * n + i] = (float)(0.1 * speed * cos(at));
        }
    }
    for (uint32_t k = 0; k < keys && path == PATH_ROTATION; k++) { /* keys have unit length */
        float *value = values + (3 * k + 1) * 4;
        double square = 0;
        for (uint32_t i = 0; i < 4; i++)
            square += (double)value[i] * (double)value[i];
        for (int i = -4; i < 8; i++)
            value[i] = (float)((double)value[i] / sqrt(square));
    }
    fixture_channel(f, node, path, INTERPOLATION_CUBICSPLINE, n, times, keys, values);
    free(times);
    free(values);
}

static void add_smooth(struct fixture *f, uint32_t node, enum channel_path path, uint32_t keys, double late_s)
{
    add_turned(f, node, path, keys, late_s, 0);
}

TEST(clip_splines_with_keys_of_their_own_share_frames)
{
    struct fixture f;
    make_rig(&f, 12);
    for (uint32_t n = 0; n < 12; n++) {
        add_smooth(&f, n, PATH_TRANSLATION, 21, 1e-3 * n);
        add_smooth(&f, n, PATH_SCALE, 21, 1e-3 * n);
    }
    fixture_finish(&f);
    assert_true(f.model.compiled_clips[0].frame_count < 60); /* of 230 times */
    check_splines(&f);
    fixture_fini(&f);
}

TEST(clip_splines_may_have_long_and_short_rotations)
{
    struct fixture f;
    make_rig(&f, 5);
    for (uint32_t n = 0; n < 5; n++)
        add_smooth(&f, n, PATH_ROTATION, 5, 0);
    for (uint32_t k = 0; k < f.builder.key_value_count / 12;
         k++) /* slopes that shorten and lengthen what lies between */
        for (uint32_t i = 0; i < 4; i++) {
            f.builder.key_values[12 * k + i] += 1.2f * f.builder.key_values[12 * k + 4 + i];
            f.builder.key_values[12 * k + 8 + i] -= 1.2f * f.builder.key_values[12 * k + 4 + i];
        }
    fixture_finish(&f);
    check_splines(&f);
    fixture_fini(&f);
}

TEST(clip_splines_move_a_vertex)
{
    /* root: scaled (1,2,1), a quarter turn around x, at (1,0,0); joint: along a spline from (0,2,0) to (0,4,0) in 0.25
     * seconds, with slopes (0,0,0) and (32,0,0), a quarter turn around z; bind: moves back by (0,-2,0). At half the
     * way: u = 1/2, so it is at (0,3,0) - 0.25 / 8 * (32,0,0) = (-1,3,0). Vertex (1,2,0): bind (1,0,0), joint turned
     * (0,1,0) and moved (-1,4,0), scaled (-1,8,0), turned around x to (-1,0,8), moved (0,0,8). */
    const float half = 0.70710678f, turns[2][4] = {{half, 0, 0, half}, {0, 0, half, half}};
    const float root[3] = {1, 0, 0}, wide[3] = {1, 2, 1};
    const float ways[18] = {0, 0, 0, 0, 2, 0, 0, 0, 0, 32, 0, 0, 0, 4, 0, 0, 0, 0};
    const uint32_t joint = 1;
    struct fixture f;
    float m[12];
    struct clip_palette palette;
    fixture_init(&f);
    fixture_node(&f, -1, root, turns[0], wide);
    fixture_node(&f, 0, FIXTURE_ZERO, turns[1], FIXTURE_ONE);
    fixture_root(&f, 0);
    add_mesh(&f, fixture_skin(&f, &joint, 1));
    f.builder.joints[0].joint_from_bind.m[13] = -2;
    fixture_clip(&f);
    fixture_channel(&f, 1, PATH_TRANSLATION, INTERPOLATION_CUBICSPLINE, 3, TIMES, 2, ways);
    fixture_finish(&f);
    assert_true(is_cubic(&f));
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        clip_palette_init(&palette, kernel_at(k));
        clip_palette_evaluate(&palette, &f.model, 0, 0.375, 0, PALETTE_MAT3X4, m);
        CHECK_NEAR(m[0] * 1 + m[1] * 2 + m[3], 0, 1e-5);
        CHECK_NEAR(m[4] * 1 + m[5] * 2 + m[7], 0, 1e-5);
        CHECK_NEAR(m[8] * 1 + m[9] * 2 + m[11], 8, 1e-5);
        clip_palette_fini(&palette);
    }
    fixture_fini(&f);
}

/* A chain whose joints all turn along splines, around a turn by twice the arc tangent of `far`: the errors of its
 * products add up, and those of far turns are larger than others. */
static void make_chain(struct fixture *f, uint32_t count, double far)
{
    const float step[3] = {0.1f, 0.01f, 0}, away[3] = {0.3f, -0.2f, 0.1f}, wide[3] = {1, 1.2f, 0.9f};
    const float half = 0.70710678f, turn[4] = {half, 0, 0, half};
    uint32_t joints[NODES_MAX];
    fixture_init(f);
    for (uint32_t n = 0; n < count; n++)
        joints[n] = fixture_node(f, (int32_t)n - 1, n == 0 ? away : step, n == 0 ? turn : FIXTURE_NO_TURN,
                                 n == 0 ? wide : FIXTURE_ONE);
    fixture_root(f, 0);
    add_mesh(f, fixture_skin(f, joints, count));
    fixture_clip(f);
    for (uint32_t n = 0; n < count; n++)
        add_turned(f, n, PATH_ROTATION, 21, 0, far);
    fixture_finish(f);
    assert_true(is_cubic(f));
}

TEST(clip_splines_of_chains_are_exact_enough_at_ten_thousand_times)
{
    uint32_t ways = 0;
    for (uint32_t count = 4; count <= NODES_MAX; count += 4) {
        struct fixture f;
        make_chain(&f, count, count % 8 == 0 && count <= 32 ? 1.5 : 0); /* longer ones that turn far stay exact */
        for (int i = 0; i < 10000; i++)
            CHECK_NEAR(error_at(&f, fmod(i * 1.2360679774997898, 2)), 0, 1e-6);
        ways |= 1u << (f.model.compiled_clips[0].flags & COMPILED_F64_ANY);
        fixture_fini(&f);
    }
    assert_int_equal(ways & 1u << 0, 1); /* short chains in float */
    assert_true((ways & 1u << COMPILED_F64_PRODUCTS) != 0);
    assert_true((ways & 1u << COMPILED_F64_MATRICES) != 0);
    assert_true((ways & 1u << (COMPILED_F64_MATRICES | COMPILED_F64_PRODUCTS)) != 0);
}

/* The root walks and turns along splines, and its motion is taken out or is all that is left. */
TEST(clip_splines_of_a_root_that_moves)
{
    struct fixture f;
    struct entity_work exact, fast;
    struct root_motion motion;
    uint8_t is_moved[NODES_MAX + 2];
    static float exact_rows[12 * NODES_MAX], rows[12 * NODES_MAX];
    struct pose pose;
    make_rig(&f, 8);
    for (uint32_t n = 0; n < 8; n++)
        add_channel(&f, n, PATH_ROTATION, INTERPOLATION_CUBICSPLINE, TIMES, KEYS);
    add_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_CUBICSPLINE, OTHER_TIMES, KEYS);
    fixture_finish(&f);
    assert_true(is_cubic(&f));
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    root_motion_mark(&f.model, 0, is_moved);
    root_motion_start(&motion, &pose, &f.model, 0, true, is_moved);
    entity_work_init(&exact);
    entity_work_init(&fast);
    for (int i = 0; i < 100; i++) {
        const struct blend_layer layer = {.clip = 0, .clip_time_s = 0.02 * i, .weight = 1};
        const struct entity entity = {.model = &f.model, .layers = &layer, .layer_count = 1, .motion = &motion};
        entity_evaluate_exact(&exact, &entity);
        assert_int_equal(entity_palette(&exact, 0, LAYOUT_MAT3X4, exact_rows, NULL), 0);
        entity_evaluate(&fast, &entity);
        assert_true(fast.is_compiled);
        assert_int_equal(entity_palette(&fast, 0, LAYOUT_MAT3X4, rows, NULL), 0);
        for (uint32_t e = 0; e < 12 * 8; e++)
            CHECK_NEAR(rows[e], exact_rows[e], 1e-6 * size_of(&f.model));
    }
    entity_work_fini(&exact);
    entity_work_fini(&fast);
    pose_fini(&pose);
    fixture_fini(&f);
}

/* --- what stays exact, or ends --- */

/* One joint with one spline of two keys. */
static void make_one(struct fixture *f, enum channel_path path, const double times[2], const float *values)
{
    const uint32_t joint = 0;
    fixture_init(f);
    fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, 0);
    add_mesh(f, fixture_skin(f, &joint, 1));
    fixture_clip(f);
    fixture_channel(f, 0, path, INTERPOLATION_CUBICSPLINE, path == PATH_ROTATION ? 4 : 3, times, 2, values);
    fixture_finish(f);
}

TEST(clip_splines_that_are_not_compiled)
{
    const float through_zero[24] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0};
    const float far_slope[18] = {0, 0, 0, 0, 0, 0, 3e38f, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    const float far_turn[24] = {0, 0, 0, 0, 0, 0, 0, 1, 3e38f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.6f, 0.8f, 0, 0, 0, 0};
    const float slow[18] = {0, 0, 0, 0, 0, 0, 1e-30f, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    const double far_times[2] = {0, 1e40};
    struct fixture f;
    make_one(&f, PATH_ROTATION, TIMES, through_zero);
    assert_false(clip_palette_is_compiled(&f.model, 0));
    fixture_fini(&f);
    make_one(&f, PATH_TRANSLATION, TIMES, far_slope);
    assert_false(clip_palette_is_compiled(&f.model, 0));
    fixture_fini(&f);
    make_one(&f, PATH_ROTATION, TIMES, far_turn);
    assert_false(clip_palette_is_compiled(&f.model, 0));
    fixture_fini(&f);
    make_one(&f, PATH_TRANSLATION, far_times, slow); /* the weights of its slopes are no floats */
    assert_false(clip_palette_is_compiled(&f.model, 0));
    fixture_fini(&f);
}

/* `count` joints move by the same `keys` keys: along a curve, or straight on, where one cubic passes all of them. */
static void make_shared(struct fixture *f, uint32_t count, uint32_t keys, bool is_straight)
{
    uint32_t *joints = malloc(count * sizeof *joints);
    fixture_init(f);
    for (uint32_t n = 0; n < count; n++)
        joints[n] = fixture_node(f, n == 0 ? -1 : 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, 0);
    add_mesh(f, fixture_skin(f, joints, count));
    fixture_clip(f);
    add_smooth(f, 0, PATH_TRANSLATION, keys, 0);
    for (uint32_t i = 0; i < 9 * keys && is_straight; i++)
        f->builder.key_values[i] = i % 9 / 3 == 1 ? (float)f->builder.key_times[i / 9] : 1;
    for (uint32_t n = 1; n < count; n++) {
        struct channel *channel = bake_add_channel(&f->builder, 1);
        *channel = f->builder.channels[0];
        channel->node = n;
        f->builder.clips[0].channel_count++;
    }
    fixture_finish(f);
    free(joints);
}

/* A small file must not take long because many nodes share its keys. */
TEST(clip_splines_that_share_keys_are_compared_a_limited_number_of_times)
{
    struct fixture f;
    make_shared(&f, 40, 100, false);
    assert_true(is_cubic(&f));
    fixture_fini(&f);
    make_shared(&f, 40, 100, true);
    assert_true(is_cubic(&f));
    assert_int_equal(f.model.compiled_clips[0].frame_count, 2);
    fixture_fini(&f);
    for (int is_straight = 0; is_straight < 2; is_straight++) {
        make_shared(&f, 1000, 20000, is_straight == 1); /* 20 million keys of 20000 */
        assert_false(clip_palette_is_compiled(&f.model, 0));
        fixture_fini(&f);
    }
}
