#include "anim/pose/root_motion.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

enum { PROP, ARMATURE, HIPS, SPINE, NODE_COUNT };

/* A figure made with z up, its armature scaled by 2 and rotated so that y is up, off the origin, beside a prop. At 0
 * the hips are at (1, 0, 5) of the armature; at 1 at (4, -2, 6), turned by 90 degrees about up after a lean by 20. */
static void walking(struct fixture *f)
{
    static const float PROP_PLACE[] = {9, 9, 9}, PLACE[] = {10, 1, -3}, UPRIGHT[] = {-0.70710678f, 0, 0, 0.70710678f};
    static const float TWICE[] = {2, 2, 2}, SPINE_PLACE[] = {0, 0.5f, 1};
    static const double TIMES[] = {0, 1};
    static const float MOVES[] = {1, 0, 5, 4, -2, 6};
    /* about z by 90 degrees, then the lean about x by 20: q = z * x */
    static const float TURNS[] = {0, 0, 0, 1, 0.12278781f, 0.12278781f, 0.69636424f, 0.69636424f};
    fixture_init(f);
    fixture_node(f, -1, PROP_PLACE, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, -1, PLACE, UPRIGHT, TWICE);
    fixture_node(f, ARMATURE, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, HIPS, SPINE_PLACE, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, PROP);
    fixture_root(f, ARMATURE);
    fixture_clip(f);
    fixture_channel(f, HIPS, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, MOVES);
    fixture_channel(f, HIPS, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, TURNS);
    fixture_finish(f);
}

/* The clip's quaternions are floats: not quite unit, so not quite T * R * S. */
static void check_same(const struct dmat4 *a, const struct dmat4 *b)
{
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(a->m[i], b->m[i], 1e-6);
}

/* T(o + d) * R * T(-o) for up = y */
static struct dmat4 scene_from_still(const struct root_motion *motion, const struct root_step *step)
{
    const double half = step->angle_deg * 3.14159265358979323846 / 360;
    struct trs there = {.rotation = {0, sin(half), 0, cos(half)}, .scale = {1, 1, 1}};
    struct trs back = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    for (int i = 0; i < 3; i++) {
        there.translation[i] = motion->origin[i] + step->translation[i];
        back.translation[i] = -motion->origin[i];
    }
    const struct dmat4 a = dmat4_from_trs(&there), b = dmat4_from_trs(&back);
    return dmat4_mul(&a, &b);
}

static void take_out(struct fixture *f, double time_s, bool has_turn, struct root_motion *motion,
                     struct root_step *step, struct pose *still, struct pose *moved, uint8_t is_moved[NODE_COUNT])
{
    pose_init(still);
    pose_init(moved);
    root_motion_mark(&f->model, HIPS, is_moved);
    pose_evaluate(still, &f->model, 0, 0);
    root_motion_start(motion, still, &f->model, HIPS, has_turn, is_moved);
    pose_evaluate(moved, &f->model, 0, time_s);
    pose_evaluate(still, &f->model, 0, time_s);
    root_motion_remove(motion, still, &f->model, step);
}

TEST(root_motion_is_the_way_over_the_ground_and_the_turn)
{
    struct fixture f;
    struct root_motion motion;
    struct root_step step;
    struct pose still, moved;
    uint8_t is_moved[NODE_COUNT];
    walking(&f);
    take_out(&f, 1, true, &motion, &step, &still, &moved, is_moved);
    /* armature (x, y, z) is scene (10 + 2 x, 1 + 2 z, -3 - 2 y) */
    const double origin[] = {12, 0, -3}, way[] = {6, 0, 4};
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(motion.origin[i], origin[i], 1e-5);
        CHECK_NEAR(step.translation[i], way[i], 1e-5);
        CHECK_NEAR(still.scene_from_node[HIPS].m[12 + i], (i == 1 ? 13 : origin[i]), 1e-5); /* its height stays */
    }
    CHECK_NEAR(step.angle_deg, 90, 1e-4);
    assert_true(step.is_local_exact);
    pose_fini(&still);
    pose_fini(&moved);
    fixture_fini(&f);
}

TEST(root_motion_put_back_gives_the_clip)
{
    for (int has_turn = 0; has_turn <= 1; has_turn++)
        for (double time_s = 0; time_s <= 1; time_s += 0.125) {
            struct fixture f;
            struct root_motion motion;
            struct root_step step;
            struct pose still, moved;
            uint8_t is_moved[NODE_COUNT];
            walking(&f);
            take_out(&f, time_s, has_turn != 0, &motion, &step, &still, &moved, is_moved);
            const struct dmat4 back = scene_from_still(&motion, &step);
            for (uint32_t n = HIPS; n < NODE_COUNT; n++) {
                const struct dmat4 again = dmat4_mul(&back, &still.scene_from_node[n]);
                check_same(&again, &moved.scene_from_node[n]);
            }
            for (uint32_t n = 0; n < HIPS; n++)
                check_same(&still.scene_from_node[n], &moved.scene_from_node[n]);
            const struct dmat4 local = pose_parent_from_node(&still, &f.model, HIPS);
            const struct dmat4 scene = dmat4_mul(&still.scene_from_node[ARMATURE], &local);
            check_same(&scene, &still.scene_from_node[HIPS]);
            assert_true(has_turn != 0 || step.angle_deg == 0);
            struct root_step rest;
            root_motion_measure(&motion, &still, &rest);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(rest.translation[i], 0, 1e-9);
            CHECK_NEAR(rest.angle_deg, 0, 1e-6);
            pose_fini(&still);
            pose_fini(&moved);
            fixture_fini(&f);
        }
}

TEST(root_motion_turns_by_any_angle)
{
    for (int degrees = -179; degrees <= 180; degrees++) {
        static const double START[4] = {0.1825741858350554, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214};
        struct fixture f;
        struct pose pose;
        struct root_motion motion;
        struct root_step step;
        uint8_t is_moved[1];
        const double half = degrees * 3.14159265358979323846 / 360, s = sin(half), c = cos(half);
        fixture_init(&f);
        fixture_root(&f, fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
        fixture_finish(&f);
        pose_init(&pose);
        pose_evaluate(&pose, &f.model, POSE_REST, 0);
        struct trs trs = {.scale = {1, 2, 3}, .rotation = {START[0], START[1], START[2], START[3]}};
        pose.scene_from_node[0] = dmat4_from_trs(&trs);
        root_motion_mark(&f.model, 0, is_moved);
        root_motion_start(&motion, &pose, &f.model, 0, true, is_moved);
        /* (0, s, 0, c) * start */
        const double turned[4] = {c * START[0] + s * START[2], c * START[1] + s * START[3], c * START[2] - s * START[0],
                                  c * START[3] - s * START[1]};
        for (int i = 0; i < 4; i++)
            trs.rotation[i] = turned[i];
        pose.scene_from_node[0] = dmat4_from_trs(&trs);
        root_motion_measure(&motion, &pose, &step);
        CHECK_NEAR(remainder(step.angle_deg - degrees, 360), 0, 1e-6);
        assert_true(step.angle_deg > -180 && step.angle_deg <= 180);
        pose_fini(&pose);
        fixture_fini(&f);
    }
}
