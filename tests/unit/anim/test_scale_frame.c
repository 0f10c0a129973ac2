/* Scales that are not inherited: by hand, compared with the definition on random chains, where they make no difference,
 * and in compiled clips. */
#include "anim/compiled/clip_palette.h"
#include "anim/pose/pose.h"
#include "anim/pose/scale_effect.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <stdlib.h>
#include <string.h>

/* 90 degrees: around z (x,y,z) -> (-y,x,z); around x -> (x,-z,y) */
#define HALF 0.70710678118654752f
static const float TURN_X[4] = {HALF, 0, 0, HALF}, TURN_Z[4] = {0, 0, HALF, HALF};

/* Node 0, the arm, below node 1, the elbow, below node 2, the hip. */
static void chain(struct fixture *f, uint32_t arm_flags, uint32_t elbow_flags)
{
    const float arm[3] = {2, 1, 0}, arm_scale[3] = {2, 1, 1}, elbow[3] = {0, 1, 0}, elbow_scale[3] = {1, 5, 1};
    const float hip[3] = {1, 2, 3}, hip_scale[3] = {1, 2, 3};
    fixture_init(f);
    fixture_node(f, 1, arm, TURN_X, arm_scale);
    fixture_node(f, 2, elbow, TURN_X, elbow_scale);
    fixture_node(f, -1, hip, TURN_Z, hip_scale);
    f->builder.nodes[0].flags = arm_flags;
    f->builder.nodes[1].flags = elbow_flags;
    fixture_root(f, 2);
    fixture_finish(f);
}

static void check_point(const struct dmat4 *m, const double from[3], const double to[3])
{
    double out[3];
    dmat4_point(m, from, out);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(out[i], to[i], 1e-6);
}

static void check_arm(uint32_t arm_flags, uint32_t elbow_flags, double x, double y, double z)
{
    struct fixture f;
    struct pose pose;
    chain(&f, arm_flags, elbow_flags);
    assert_int_equal(f.model.infos[0].flags & MODEL_OWN_SCALES, (arm_flags | elbow_flags) != 0 ? MODEL_OWN_SCALES : 0);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    check_point(&pose.scene_from_node[0], (const double[3]){1, 1, 1}, (const double[3]){x, y, z});
    pose_fini(&pose);
    fixture_fini(&f);
}

/* (1,1,1) in the arm. Its own scale and turn: (2,1,1), around x (2,-1,1). */
TEST(pose_scales_of_chains_that_inherit_in_three_ways)
{
    /* plain: moved (4,0,1); elbow: scaled (4,0,1), around x (4,-1,0), moved (4,0,0);
     * hip: scaled (4,0,0), around z (0,4,0), moved (1,6,3) */
    check_arm(0, 0, 1, 6, 3);
    /* The arm without the elbow's (1,5,1), which moves it still: (2,5,0), so (4,4,1); around x (4,-1,4), moved (4,0,4);
     * hip: (4,0,12), around z (0,4,12), moved (1,6,15) */
    check_arm(NODE_SCALE_OWN, 0, 1, 6, 15);
    /* by axis: scaled by (1,5,1), too: (2,5,1), around x (2,-1,5), moved (4,4,5); around x (4,-5,4), moved (4,-4,4);
     * hip: (4,-8,12), around z (8,4,12), moved (9,6,15) */
    check_arm(NODE_SCALE_BY_AXIS, 0, 9, 6, 15);
    /* The elbow by axis: its scale is (1,5,1) * (1,2,3) = (1,10,3), its move (0,1,0) * (1,2,3) = (0,2,0). The arm
     * plain: (4,0,1), scaled (4,0,3), around x (4,-3,0), moved (4,-1,0); around z (1,4,0), moved (2,6,3) */
    check_arm(0, NODE_SCALE_BY_AXIS, 2, 6, 3);
    /* The arm on top of that without what the elbow itself scales, but with what it inherits, (1,2,3): scale (2,2,3),
     * move (2,1,0) * (1,10,3) = (2,10,0). (2,2,3), around x (2,-3,2), moved (4,7,2); around x (4,-2,7), moved (4,0,7);
     * around z (0,4,7), moved (1,6,10) */
    check_arm(NODE_SCALE_OWN, NODE_SCALE_BY_AXIS, 1, 6, 10);
    /* Both without: the elbow inherits nothing and moves by (0,2,0), so the arm's scale is (2,1,1), its move (2,5,0).
     * (2,-1,1), moved (4,4,1); around x (4,-1,4), moved (4,1,4); around z (-1,4,4), moved (0,6,7) */
    check_arm(NODE_SCALE_OWN, NODE_SCALE_OWN, 0, 6, 7);
}

TEST(pose_vertex_of_a_joint_without_its_parents_scale)
{
    struct fixture f;
    struct pose pose;
    struct mat4 palette;
    const float arm[3] = {2, 1, 0}, arm_scale[3] = {2, 1, 1}, hip[3] = {1, 2, 3}, hip_scale[3] = {1, 2, 3};
    const uint32_t joint = 0;
    fixture_init(&f);
    fixture_node(&f, 1, arm, TURN_X, arm_scale);
    fixture_node(&f, -1, hip, TURN_Z, hip_scale);
    f.builder.nodes[0].flags = NODE_SCALE_OWN;
    fixture_root(&f, 1);
    const uint32_t skin = fixture_skin(&f, &joint, 1);
    f.builder.joints[0].joint_from_bind.m[12] = 1; /* one to the right */
    fixture_mesh_node(&f, fixture_mesh(&f, &(struct vec3){0, 1, 1}, 1), (int32_t)skin);
    fixture_finish(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    assert_int_equal(pose_palette(&pose, &f.model, 0, &DMAT4_IDENTITY, &palette, NULL), 0);
    const struct dmat4 scene_from_bind = dmat4_from_mat4(&palette);
    /* (1,1,1): scaled (2,1,1), around x (2,-1,1), moved by (2,2,0): (4,1,1); around z (-1,4,1), moved (0,6,4) */
    check_point(&scene_from_bind, (const double[3]){0, 1, 1}, (const double[3]){0, 6, 4});
    CHECK_NEAR(f.model.infos[0].rest_min.y, 6, 1e-6); /* bounds follow */
    pose_fini(&pose);
    fixture_fini(&f);
}

/* The scene's root lies below a node that scales it. */
TEST(pose_root_space_below_a_scale_that_is_not_inherited)
{
    struct fixture f;
    struct dmat4 front;
    const float arm[3] = {2, 1, 0}, hip[3] = {1, 2, 3}, hip_scale[3] = {1, 2, 3};
    fixture_init(&f);
    fixture_node(&f, 1, arm, TURN_X, FIXTURE_ONE);
    fixture_node(&f, -1, hip, TURN_Z, hip_scale);
    f.builder.nodes[0].flags = NODE_SCALE_OWN;
    fixture_root(&f, 0);
    fixture_finish(&f);
    assert_int_equal(pose_space_from_scene(NULL, &f.model, SPACE_ROOT, -1, &front, NULL), 0);
    /* (1,1,1): around x (1,-1,1), moved (2,2,0): (3,1,1), around z (-1,3,1), moved (0,5,4) */
    check_point(&front, (const double[3]){0, 5, 4}, (const double[3]){1, 1, 1});
    fixture_fini(&f);
}

/* --- where the flags make no difference --- */

static uint64_t chance_state;

static double chance(void)
{
    chance_state ^= chance_state >> 12;
    chance_state ^= chance_state << 25;
    chance_state ^= chance_state >> 27;
    return (double)((chance_state * 0x2545F4914F6CDD1Du) >> 11) / 9007199254740992.0;
}

static float between(double low, double high) { return (float)(low + (high - low) * chance()); }

enum { NODES = 12, KEYS = 3 };
static const double TIMES[KEYS] = {0, 0.5, 1};

/* 1, alike, or by axis. */
static void random_scale(float scale[3])
{
    const int kind = (int)(chance() * 4);
    scale[0] = kind < 2 ? 1 : between(0.5, 2);
    for (int i = 1; i < 3; i++)
        scale[i] = kind < 3 ? scale[0] : between(0.5, 2);
}

static void random_turn(float turn[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        turn[i] = between(-1, 1);
        square += (double)turn[i] * (double)turn[i];
    }
    for (int i = 0; i < 4; i++)
        turn[i] = (float)((double)turn[i] / sqrt(square));
}

/* A chain with random flags. The scale of every third node moves, all others rotate. */
static void random_chain(struct fixture *f, uint64_t seed)
{
    static const uint32_t FLAGS[3] = {0, NODE_SCALE_BY_AXIS, NODE_SCALE_OWN};
    chance_state = seed * 977 + 1;
    fixture_init(f);
    for (uint32_t n = 0; n < NODES; n++) {
        float place[3] = {between(-1, 1), between(0, 1), between(-1, 1)}, scale[3], turn[4];
        random_scale(scale);
        random_turn(turn);
        fixture_node(f, (int32_t)n - 1, place, turn, scale);
        f->builder.nodes[n].flags = FLAGS[(int)(chance() * 3)];
    }
    fixture_root(f, 0);
    const uint32_t joints[2] = {NODES / 2, NODES - 1};
    const uint32_t skin = fixture_skin(f, joints, 2);
    fixture_mesh_node(f, fixture_square(f, (struct vec3){1, 1, 1}, 2, (const float[2]){0.5f, 0.5f}), (int32_t)skin);
    fixture_clip(f);
    for (uint32_t n = 0; n < NODES; n++) {
        float scales[3 * KEYS], turns[4 * KEYS];
        for (int k = 0; k < KEYS; k++) {
            random_scale(scales + (size_t)3 * (size_t)k);
            random_turn(turns + (size_t)4 * (size_t)k);
        }
        if (n % 3 == 0)
            fixture_channel(f, n, PATH_SCALE, INTERPOLATION_LINEAR, 3, TIMES, KEYS, scales);
        else
            fixture_channel(f, n, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, KEYS, turns);
    }
    fixture_finish(f);
}

static double difference(const struct pose *a, const struct pose *b)
{
    double worst = 0;
    for (int n = 0; n < NODES; n++)
        for (int i = 0; i < 16; i++)
            worst = fmax(worst, fabs(a->scene_from_node[n].m[i] - b->scene_from_node[n].m[i]));
    return worst;
}

TEST(scale_effect_nodes_without_it_may_be_plain)
{
    uint32_t plain = 0, other = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct fixture f;
        struct pose pose, simpler_pose;
        uint8_t has_effect[NODES + 1];
        struct node nodes[NODES + 1];
        random_chain(&f, seed);
        const int32_t clip = seed % 2 == 0 ? 0 : POSE_REST;
        scale_effect_find(&f.model, clip, has_effect);
        memcpy(nodes, f.model.nodes, sizeof nodes);
        for (uint32_t n = 0; n < NODES; n++) {
            const uint32_t flags = nodes[n].flags & NODE_SCALES;
            assert_true(has_effect[n] == 0 || flags != 0);
            plain += flags != 0 && has_effect[n] == 0;
            other += has_effect[n] != 0;
            if (has_effect[n] == 0)
                nodes[n].flags &= ~(uint32_t)NODE_SCALES;
        }
        struct model simpler = f.model;
        simpler.nodes = nodes;
        pose_init(&pose);
        pose_init(&simpler_pose);
        pose_evaluate(&pose, &f.model, clip, 0.3);
        pose_evaluate(&simpler_pose, &simpler, clip, 0.3);
        assert_true(difference(&pose, &simpler_pose) < 1e-9);
        pose_fini(&pose);
        pose_fini(&simpler_pose);
        fixture_fini(&f);
    }
    assert_true(plain > 300 && other > 300); /* both happened */
}

/* Compiled or not, a palette is that of the pose. */
TEST(clip_compile_leaves_out_clips_with_scales_that_are_not_inherited)
{
    uint32_t compiled = 0, left_out = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct fixture f;
        struct clip_palette palette;
        struct pose pose;
        float got[2 * 16];
        struct mat4 wanted[2];
        random_chain(&f, seed);
        if (!clip_palette_is_compiled(&f.model, 0)) {
            left_out++;
            fixture_fini(&f);
            continue;
        }
        compiled++;
        pose_init(&pose);
        clip_palette_init(&palette, kernel_best());
        clip_palette_evaluate(&palette, &f.model, 0, 0.3, 0, PALETTE_MAT4, got);
        pose_evaluate(&pose, &f.model, 0, 0.3);
        assert_int_equal(pose_palette(&pose, &f.model, 0, &DMAT4_IDENTITY, wanted, NULL), 0);
        for (int i = 0; i < 32; i++)
            CHECK_NEAR(got[i], wanted[i / 16].m[i % 16], 1e-3);
        clip_palette_fini(&palette);
        pose_fini(&pose);
        fixture_fini(&f);
    }
    assert_true(compiled > 0 && left_out > 200);
}

static void check_kind(enum interpolation interpolation, const float *values, bool has_effect_by_axis,
                       bool has_effect_own)
{
    static const uint32_t FLAGS[2] = {NODE_SCALE_BY_AXIS, NODE_SCALE_OWN};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        uint8_t has_effect[2];
        fixture_init(&f);
        fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        fixture_node(&f, 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        f.builder.nodes[1].flags = FLAGS[i];
        fixture_clip(&f);
        fixture_channel(&f, 0, PATH_SCALE, interpolation, 3, TIMES, 2, values);
        fixture_finish(&f);
        scale_effect_find(&f.model, 0, has_effect);
        assert_int_equal(has_effect[0], 0);
        assert_int_equal(has_effect[1] != SCALE_EFFECT_NONE, i == 0 ? has_effect_by_axis : has_effect_own);
        scale_effect_find(&f.model, POSE_REST, has_effect);
        assert_int_equal(has_effect[1], 0);
        fixture_fini(&f);
    }
}

TEST(scale_effect_looks_at_all_keys_and_tangents)
{
    check_kind(INTERPOLATION_LINEAR, (const float[6]){1, 1, 1, 1, 1, 1}, false, false);
    check_kind(INTERPOLATION_LINEAR, (const float[6]){1, 1, 1, 2, 2, 2}, false, true);
    check_kind(INTERPOLATION_STEP, (const float[6]){1, 1, 1, 1, 1, 1.0001f}, true, true);
    check_kind(INTERPOLATION_CUBICSPLINE, (const float[18]){0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0},
               false, false);
    check_kind(INTERPOLATION_CUBICSPLINE, (const float[18]){0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1, 1, 1, 0, 0, 0},
               false, true);
    check_kind(INTERPOLATION_CUBICSPLINE, (const float[18]){0, 0, 0, 1, 1, 1, 0, 2, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0}, true,
               true);
}
