/* Inheritance of scales: a simplified chain gives the same poses, and every chain that can be simplified is. */
#include "anim/pose/pose.h"
#include "import/fbx/fbx.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <string.h>

static uint64_t chance_state;

static double chance(void)
{
    chance_state ^= chance_state >> 12;
    chance_state ^= chance_state << 25;
    chance_state ^= chance_state >> 27;
    return (double)((chance_state * 0x2545F4914F6CDD1Du) >> 11) / 9007199254740992.0;
}

static float between(double low, double high) { return (float)(low + (high - low) * chance()); }

enum { NODES = 10, KEYS = 3 };
static const double TIMES[KEYS] = {0, 0.5, 1};

/* 1, alike along all axes, or not. */
static void random_scale(float scale[3])
{
    const int kind = (int)(chance() * 5);
    scale[0] = kind < 2 ? 1 : between(0.5, 2);
    for (int i = 1; i < 3; i++)
        scale[i] = kind < 4 ? scale[0] : between(0.5, 2);
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

/* A chain whose nodes have random flags. Some scales move, some have keys that stay at the rest scale. A node precedes
 * its parent. */
static void random_chain(struct fixture *f, uint64_t seed)
{
    static const uint32_t FLAGS[4] = {0, NODE_SCALE_BY_AXIS, NODE_SCALE_OWN, NODE_SCALE_OWN};
    chance_state = seed * 977 + 1;
    fixture_init(f);
    fixture_clip(f);
    for (uint32_t n = 0; n < NODES; n++) {
        float place[3] = {between(-1, 1), between(0, 1), between(-1, 1)}, scale[3], turn[4], scales[9 * KEYS] = {0};
        random_scale(scale);
        random_turn(turn);
        fixture_node(f, n + 1 < NODES ? (int32_t)n + 1 : -1, place, turn, scale);
        f->builder.nodes[n].flags = FLAGS[(int)(chance() * 4)];
        const int motion = (int)(chance() * 4);
        for (int k = 0; k < KEYS; k++) {
            memcpy(scales + 9 * k + 3, scale, sizeof scale);
            if (motion == 1)
                random_scale(scales + 9 * k + 3);
        }
        if (motion < 2)
            fixture_channel(f, n, PATH_SCALE, INTERPOLATION_CUBICSPLINE, 3, TIMES, KEYS, scales);
    }
    fixture_root(f, NODES - 1);
}

TEST(fbx_scales_simplified_give_the_same_poses)
{
    uint32_t before = 0, after = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct fixture f, simpler;
        struct pose pose, simpler_pose;
        random_chain(&f, seed);
        random_chain(&simpler, seed);
        struct fbx fbx = {.builder = &simpler.builder};
        fbx_simplify_scales(&fbx);
        fixture_finish(&f);
        fixture_finish(&simpler);
        pose_init(&pose);
        pose_init(&simpler_pose);
        for (int t = 0; t < 3; t++) {
            pose_evaluate(&pose, &f.model, t == 0 ? POSE_REST : 0, 0.4 * t);
            pose_evaluate(&simpler_pose, &simpler.model, t == 0 ? POSE_REST : 0, 0.4 * t);
            for (int n = 0; n < NODES; n++)
                for (int i = 0; i < 16; i++)
                    CHECK_NEAR(simpler_pose.scene_from_node[n].m[i], pose.scene_from_node[n].m[i], 2e-4);
        }
        for (int n = 0; n < NODES; n++) {
            before += (f.model.nodes[n].flags & NODE_SCALES) != 0;
            after += (simpler.model.nodes[n].flags & NODE_SCALES) != 0;
        }
        pose_fini(&pose);
        pose_fini(&simpler_pose);
        fixture_fini(&f);
        fixture_fini(&simpler);
    }
    assert_true(after > 0 && after < before / 2 + before / 4);
}

/* Maya in metres: every joint is scaled by 0.01 and compensates for that of its parent. */
TEST(fbx_scales_that_never_change_are_undone_by_the_child)
{
    struct fixture f;
    const float hundredth[3] = {0.01f, 0.01f, 0.01f};
    float scales[6];
    for (int i = 0; i < 6; i++)
        scales[i] = i < 3 ? 0.01f : 0.02f;
    fixture_init(&f);
    for (int n = 0; n < 4; n++) {
        fixture_node(&f, n - 1, FIXTURE_ONE, FIXTURE_NO_TURN, hundredth);
        f.builder.nodes[n].flags = NODE_SCALE_OWN;
    }
    fixture_clip(&f);
    fixture_channel(&f, 3, PATH_SCALE, INTERPOLATION_LINEAR, 3, TIMES, 2, scales);
    struct fbx fbx = {.builder = &f.builder};
    fbx_simplify_scales(&fbx);
    for (int n = 0; n < 4; n++) {
        assert_int_equal(f.builder.nodes[n].flags & NODE_SCALES, 0);
        CHECK_NEAR(f.builder.nodes[n].scale[1], n == 0 ? 0.01f : 1, 0);
    }
    CHECK_NEAR(f.builder.key_values[0], 1, 0);
    CHECK_NEAR(f.builder.key_values[5], 2, 1e-7);
    fixture_fini(&f);
}

static uint32_t flags_below(const float scale[3], uint32_t flags)
{
    struct fixture f;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, scale);
    fixture_node(&f, 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    f.builder.nodes[1].flags = flags;
    struct fbx fbx = {.builder = &f.builder};
    fbx_simplify_scales(&fbx);
    const uint32_t left = f.builder.nodes[1].flags;
    fixture_fini(&f);
    return left;
}

TEST(fbx_scales_that_cannot_be_undone_stay)
{
    assert_int_equal(flags_below((const float[3]){1, 2, 1}, NODE_SCALE_OWN), NODE_SCALE_OWN);
    assert_int_equal(flags_below((const float[3]){1, 2, 1}, NODE_SCALE_BY_AXIS), NODE_SCALE_BY_AXIS);
    assert_int_equal(flags_below((const float[3]){0, 0, 0}, NODE_SCALE_OWN), NODE_SCALE_OWN);
    assert_int_equal(flags_below((const float[3]){0, 0, 0}, NODE_SCALE_BY_AXIS), 0);
    assert_int_equal(flags_below((const float[3]){3, 3, 3}, NODE_SCALE_BY_AXIS), 0);
}
