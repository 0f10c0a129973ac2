/* Palettes of compiled clips compared with double precision, on random rigs that are rotated, unevenly scaled and off
 * the origin. Also: which clips are compiled. */
#include "anim/compiled/clip_palette.h"
#include "anim/pose/pose.h"
#include "tests/unit/support/chance_rig.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>

/* Returns the greatest difference from double precision over many times, relative to the model's size. */
static double error_of(const struct fixture *f, uint32_t clip, const struct kernel *kernel)
{
    const struct model *m = &f->model;
    const struct model_info *info = m->infos;
    const double size =
        fmax((double)(info->rest_max.x - info->rest_min.x),
             fmax((double)(info->rest_max.y - info->rest_min.y), (double)(info->rest_max.z - info->rest_min.z)));
    struct clip_palette palette;
    struct pose pose;
    double largest = 0;
    clip_palette_init(&palette, kernel);
    pose_init(&pose);
    for (int i = 0; i <= 240; i++) {
        const double time_s = i < 2 * KEYS ? (i % 2 == 0 ? TIMES[i / 2] : OTHER_TIMES[i / 2]) : i / 100.0 - 0.2;
        pose_evaluate(&pose, m, (int32_t)clip, time_s);
        for (uint32_t s = 0; s < m->skin_count; s++) {
            struct mat4 exact[NODES_MAX], compiled[NODES_MAX];
            assert_int_equal(pose_palette(&pose, m, s, &DMAT4_IDENTITY, exact, NULL), 0);
            if (s == 0)
                clip_palette_evaluate(&palette, m, clip, time_s, s, PALETTE_MAT4, (float *)compiled);
            else
                clip_palette_next(&palette, m, s, PALETTE_MAT4, (float *)compiled);
            for (uint32_t e = 0; e < 16 * m->skins[s].joint_count; e++)
                largest = fmax(largest, fabs((double)compiled[e / 16].m[e % 16] - (double)exact[e / 16].m[e % 16]));
        }
    }
    pose_fini(&pose);
    clip_palette_fini(&palette);
    return largest / size;
}

static void check_compiled(const struct fixture *f, uint32_t clip)
{
    assert_true(clip_palette_is_compiled(&f->model, (int32_t)clip));
    for (uint32_t k = 0; kernel_at(k) != NULL; k++)
        CHECK_NEAR(error_of(f, clip, kernel_at(k)), 0, 1e-6);
}

TEST(clip_palette_of_every_number_of_joints)
{
    for (uint32_t count = 1; count <= 40; count++) {
        struct fixture f;
        fixture_init(&f);
        chance_state = count;
        add_rig(&f, count);
        add_skin(&f, 0, count, 1);
        fixture_clip(&f);
        for (uint32_t n = 0; n < count; n++) {
            add_channel(&f, n, PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
            if (n % 3 == 0)
                add_channel(&f, n, PATH_TRANSLATION, INTERPOLATION_LINEAR, TIMES, KEYS);
            if (n % 7 == 2)
                add_channel(&f, n, PATH_SCALE, INTERPOLATION_LINEAR, TIMES, KEYS);
        }
        fixture_finish(&f);
        assert_int_equal(f.model.compiled_clips[0].frame_count, KEYS);
        assert_int_equal(f.model.compiled_clips[0].flags & COMPILED_CUBIC, 0);
        check_compiled(&f, 0);
        fixture_fini(&f);
    }
}

TEST(clip_palette_of_every_interpolation)
{
    static const enum interpolation KINDS[] = {INTERPOLATION_LINEAR, INTERPOLATION_STEP, INTERPOLATION_CUBICSPLINE};
    struct fixture f;
    fixture_init(&f);
    chance_state = 77;
    add_rig(&f, 27);
    add_skin(&f, 0, 27, 1);
    fixture_clip(&f);
    for (uint32_t n = 0; n < 27; n++) { /* each with each of the others, on two time lines */
        add_channel(&f, n, PATH_TRANSLATION, KINDS[n % 3], n % 2 == 0 ? TIMES : OTHER_TIMES, KEYS);
        add_channel(&f, n, PATH_ROTATION, KINDS[n / 3 % 3], TIMES, n % 4 == 0 ? 1 : KEYS);
        add_channel(&f, n, PATH_SCALE, KINDS[n / 9], OTHER_TIMES, n % 4 == 1 ? 2 : KEYS);
    }
    fixture_finish(&f);
    assert_true((f.model.compiled_clips[0].flags & COMPILED_CUBIC) != 0);
    assert_true(f.model.compiled_clips[0].frame_count > KEYS);
    check_compiled(&f, 0);
    fixture_fini(&f);
}

TEST(clip_palette_steps_at_the_key)
{
    const float places[6] = {1, 2, 3, 4, 5, 6};
    const uint32_t joint = 0;
    struct fixture f;
    float out[12];
    struct clip_palette palette;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    add_mesh(&f, fixture_skin(&f, &joint, 1));
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_STEP, 3, TIMES, 2, places);
    fixture_finish(&f);
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        clip_palette_init(&palette, kernel_at(k));
        clip_palette_evaluate(&palette, &f.model, 0, nextafter(TIMES[1], 0), 0, PALETTE_MAT3X4, out);
        CHECK_NEAR(out[3], 1, 0);
        CHECK_NEAR(out[11], 3, 0);
        clip_palette_evaluate(&palette, &f.model, 0, TIMES[1], 0, PALETTE_MAT3X4, out);
        CHECK_NEAR(out[3], 4, 0);
        CHECK_NEAR(out[7], 5, 0);
        clip_palette_fini(&palette);
    }
    fixture_fini(&f);
}

TEST(clip_palette_of_several_skins_and_nodes_that_move_none)
{
    struct fixture f;
    fixture_init(&f);
    chance_state = 5;
    add_rig(&f, 48);
    add_skin(&f, 3, 9, 2);
    add_skin(&f, 0, 17, 1);
    add_skin(&f, 5, 1, 1);
    fixture_node(&f, 2, FIXTURE_ONE, FIXTURE_NO_TURN, FIXTURE_ONE); /* 51: a leaf beside the joints */
    fixture_clip(&f);
    for (uint32_t n = 0; n < 48; n++)
        add_channel(&f, n, PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    fixture_clip(&f); /* moves what no joint hangs from */
    add_channel(&f, 51, PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    fixture_clip(&f); /* nothing */
    fixture_finish(&f);
    assert_true(f.model.rig_node_count < 30);
    check_compiled(&f, 0);
    check_compiled(&f, 1);
    check_compiled(&f, 2);
    assert_int_equal(f.model.compiled_clips[1].frame_count, 1);
    assert_int_equal(f.model.compiled_clips[1].block_count, 0);
    fixture_fini(&f);
}

TEST(clip_palette_of_nodes_given_by_a_matrix)
{
    struct fixture f;
    fixture_init(&f);
    chance_state = 9;
    add_rig(&f, 12);
    add_skin(&f, 0, 12, 1);
    for (uint32_t n = 2; n < 8; n++) {
        struct mat4 *matrix = bake_add_node_matrix(&f.builder, 1);
        for (int e = 0; e < 16; e++)
            matrix->m[e] = e == 15 ? 1 : e % 4 == 3 ? 0 : between(-1, 1); /* sheared */
        f.builder.nodes[n].matrix = (int32_t)f.builder.node_matrix_count - 1;
    }
    fixture_clip(&f);
    for (uint32_t n = 0; n < 12; n += 3) /* of the sheared ones 3 and 6: they become translation, rotation and scale */
        add_channel(&f, n, n == 6 ? PATH_SCALE : PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    fixture_finish(&f);
    check_compiled(&f, 0);
    fixture_fini(&f);
}

TEST(clip_palette_takes_the_shorter_arc_and_that_of_double_precision_at_half_a_turn)
{
    /* neighbours on opposite sides, and two exactly half a turn apart, where the way round hangs on a sign */
    const float turns[20] = {0, 0, 0, 1, 0, 0, -0.6f, -0.8f, 0, 0, 0.8f, -0.6f, 0, 0, 0.6f, 0.8f, 0, 0, 0, -1};
    const double times[5] = {0, 1, 2, 3, 4};
    const uint32_t joint = 0;
    struct fixture f;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    add_mesh(&f, fixture_skin(&f, &joint, 1));
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_ROTATION, INTERPOLATION_LINEAR, 4, times, 5, turns);
    fixture_finish(&f);
    check_compiled(&f, 0);
    fixture_fini(&f);
}

/* A joint whose clip has `turns`, with the scene `far` away and a chain of `count` copies. */
static void make_odd(struct fixture *f, float far, const float turns[8], uint32_t count)
{
    const float place[3] = {far, 0, 0}, step[3] = {0.1f, 0.01f, 0};
    uint32_t joints[400] = {0};
    fixture_init(f);
    for (uint32_t n = 0; n < count; n++) {
        fixture_node(f, (int32_t)n - 1, n == 0 ? place : step, FIXTURE_NO_TURN, FIXTURE_ONE);
        joints[n] = n;
    }
    fixture_root(f, 0);
    add_mesh(f, fixture_skin(f, joints, count));
    fixture_clip(f);
    for (uint32_t n = 0; n < count; n++)
        fixture_channel(f, n, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, turns);
    fixture_finish(f);
}

TEST(clip_palette_is_not_compiled_where_float_is_not_enough)
{
    const float turns[8] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f}, rounded[8] = {0, 0, 0, 1.0005f, 0, 0, 0.6f, 0.8f};
    struct fixture f;
    make_odd(&f, 1, turns, 1);
    assert_true(clip_palette_is_compiled(&f.model, 0));
    assert_int_equal(f.model.compiled_clips[0].flags, 0);
    fixture_fini(&f);
    make_odd(&f, 1000, turns, 2); /* a metre wide, a kilometre away */
    assert_false(clip_palette_is_compiled(&f.model, 0));
    fixture_fini(&f);
    make_odd(&f, 1, rounded, 1); /* not a unit quaternion, and taken as it is (mat.h) */
    assert_false(clip_palette_is_compiled(&f.model, 0));
    assert_false(clip_palette_is_compiled(&f.model, POSE_REST));
    fixture_fini(&f);
}

TEST(clip_palette_of_a_long_chain_is_multiplied_in_double_precision)
{
    const float turns[8] = {0.01f, 0, 0, 0.99995f, 0.02f, 0.03f, 0.02f, 0.99915f};
    struct fixture f;
    unsigned wide = 0;
    for (uint32_t count = 8; count <= 56; count += 8) {
        make_odd(&f, 1, turns, count);
        if (clip_palette_is_compiled(&f.model, 0)) {
            wide += (f.model.compiled_clips[0].flags & COMPILED_F64) != 0;
            CHECK_NEAR(error_of(&f, 0, &KERNEL_SCALAR), 0, 1e-6);
            CHECK_NEAR(error_of(&f, 0, kernel_best()), 0, 1e-6);
        }
        fixture_fini(&f);
    }
    assert_true(wide > 0);
}

TEST(clip_palette_is_not_compiled_where_times_have_little_in_common)
{
    struct fixture f;
    fixture_init(&f);
    chance_state = 3;
    add_rig(&f, 20);
    add_skin(&f, 0, 20, 1);
    fixture_clip(&f);
    for (uint32_t n = 0; n < 20; n++) {
        double times[KEYS];
        for (int k = 0; k < KEYS; k++)
            times[k] = TIMES[k] + n * 1e-3;
        add_channel(&f, n, PATH_ROTATION, INTERPOLATION_LINEAR, times, KEYS);
    }
    fixture_clip(&f);
    for (uint32_t n = 0; n < 20; n++) /* three time lines: what lies between is put in */
        add_channel(&f, n, PATH_ROTATION, INTERPOLATION_LINEAR, n % 3 == 0 ? TIMES : OTHER_TIMES,
                    n % 3 == 1 ? 3 : KEYS);
    fixture_finish(&f);
    assert_false(clip_palette_is_compiled(&f.model, 0));
    check_compiled(&f, 1);
    fixture_fini(&f);
}

/* Joint 0 has the mesh; joint 2 hangs from node 1, which has no size, and goes between such values. */
static void make_hidden(struct fixture *f, enum channel_path path, const float values[6])
{
    const uint32_t joints[2] = {0, 2};
    fixture_init(f);
    fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ZERO);
    fixture_node(f, 1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, 0);
    add_mesh(f, fixture_skin(f, joints, 2));
    fixture_clip(f);
    fixture_channel(f, 2, path, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_finish(f);
}

TEST(clip_palette_of_what_a_parent_of_no_size_hides)
{
    /* the way between the last two is too long for a float, and 0 times infinity would be in the palette */
    const float far[6] = {-1e29f, 0, 0, 1e29f, 1, 1}, farther[6] = {-3e38f, 0, 0, 3e38f, 1, 1};
    struct fixture f;
    for (enum channel_path path = PATH_TRANSLATION; path <= PATH_SCALE; path += PATH_SCALE - PATH_TRANSLATION) {
        make_hidden(&f, path, far);
        check_compiled(&f, 0);
        fixture_fini(&f);
        make_hidden(&f, path, farther);
        assert_false(clip_palette_is_compiled(&f.model, 0));
        fixture_fini(&f);
    }
}

/* `count` joints that turn by the same keys, `keys` of them. */
static void make_turning(struct fixture *f, uint32_t count, uint32_t keys)
{
    double *times = malloc(keys * sizeof *times);
    float *turns = malloc(keys * 4 * sizeof *turns);
    uint32_t *joints = malloc(count * sizeof *joints);
    fixture_init(f);
    for (uint32_t n = 0; n < count; n++)
        joints[n] = fixture_node(f, n == 0 ? -1 : 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, 0);
    add_mesh(f, fixture_skin(f, joints, count));
    for (uint32_t k = 0; k < keys; k++) {
        times[k] = k;
        memcpy(turns + 4 * k, k % 2 == 0 ? (float[4]){0, 0, 0, 1} : (float[4]){0, 0, 0.6f, 0.8f}, 4 * sizeof *turns);
    }
    fixture_clip(f);
    fixture_channel(f, 0, PATH_ROTATION, INTERPOLATION_LINEAR, 4, times, keys, turns);
    for (uint32_t n = 1; n < count; n++) {
        struct channel *channel = bake_add_channel(&f->builder, 1);
        *channel = f->builder.channels[0];
        channel->node = n;
        f->builder.clips[0].channel_count++;
    }
    fixture_finish(f);
    free(times);
    free(turns);
    free(joints);
}

TEST(clip_palette_makes_no_large_model_of_keys_that_are_shared)
{
    struct fixture f;
    make_turning(&f, 40, 100); /* little, however often */
    assert_true(clip_palette_is_compiled(&f.model, 0));
    fixture_fini(&f);
    make_turning(&f, 40, 20000); /* 3.2 million floats of 80000 */
    assert_false(clip_palette_is_compiled(&f.model, 0));
    fixture_fini(&f);
}

TEST(clip_palette_moves_a_vertex)
{
    /* root: scaled (1,2,1), a quarter turn around x, at (1,0,0); joint: from (0,2,0) to (0,4,0), a quarter turn around
     * z; bind: moves back by (0,-2,0). At half the way vertex (1,2,0): bind (1,0,0), joint turned (0,1,0) and moved
     * (0,4,0), scaled (0,8,0), turned around x to (0,0,8), moved (1,0,8). */
    const float half = 0.70710678f, turns[2][4] = {{half, 0, 0, half}, {0, 0, half, half}};
    const float root[3] = {1, 0, 0}, wide[3] = {1, 2, 1}, ways[6] = {0, 2, 0, 0, 4, 0};
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
    fixture_channel(&f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, ways);
    fixture_finish(&f);
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        clip_palette_init(&palette, kernel_at(k));
        clip_palette_evaluate(&palette, &f.model, 0, 0.375, 0, PALETTE_MAT3X4, m);
        CHECK_NEAR(m[0] * 1 + m[1] * 2 + m[3], 1, 1e-5);
        CHECK_NEAR(m[4] * 1 + m[5] * 2 + m[7], 0, 1e-5);
        CHECK_NEAR(m[8] * 1 + m[9] * 2 + m[11], 8, 1e-5);
        clip_palette_fini(&palette);
    }
    fixture_fini(&f);
}
