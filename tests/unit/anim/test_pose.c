#include "anim/pose/pose.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <string.h>

/* 90 degrees: around z (x,y,z) -> (-y,x,z); around x -> (x,-z,y); around y -> (z,y,-x) */
#define HALF 0.70710678118654752f
static const float TURN_X[4] = {HALF, 0, 0, HALF}, TURN_Z[4] = {0, 0, HALF, HALF};

static void check_point(const float m[16], double x, double y, double z, const double to[3], double tolerance)
{
    for (int r = 0; r < 3; r++)
        CHECK_NEAR((double)m[r] * x + (double)m[4 + r] * y + (double)m[8 + r] * z + (double)m[12 + r], to[r],
                   tolerance);
}

static void check_node(const struct pose *pose, uint32_t node, double x, double y, double z, const double to[3])
{
    const struct mat4 m = mat4_from_dmat4(&pose->scene_from_node[node]);
    check_point(m.m, x, y, z, to, 1e-5);
}

/* Node 0, the arm, is below node 1, the hip. The factors do not commute. The skin's only joint is the arm, and the mesh
 * node 2 is elsewhere. A clip moves the hip to (0,0,7) at its only key. */
static void chain(struct fixture *f)
{
    const float arm[3] = {2, 0, 0}, arm_scale[3] = {2, 1, 1}, hip[3] = {1, 2, 3}, hip_scale[3] = {1, 2, 3};
    const float moved[3] = {0, 0, 7};
    const double time = 1;
    const struct vec3 position = {1, 2, 3};
    const uint32_t joint = 0;
    fixture_init(f);
    fixture_node(f, 1, arm, TURN_X, arm_scale);
    fixture_node(f, -1, hip, TURN_Z, hip_scale);
    fixture_node(f, -1, hip, TURN_X, arm_scale);
    f->builder.nodes[2].mesh = (int32_t)fixture_mesh(f, &position, 1);
    f->builder.nodes[2].skin = (int32_t)fixture_skin(f, &joint, 1);
    /* around y, then (0,0,5) */
    f->builder.joints[0].joint_from_bind = (struct mat4){{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 5, 1}};
    fixture_root(f, 1);
    fixture_clip(f);
    fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, &time, 1, moved);
    fixture_finish(f);
}

TEST(pose_scene_matrix_of_a_chain)
{
    struct fixture f;
    struct pose pose;
    chain(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    /* (1,1,1) in the arm: scaled (2,1,1), around x (2,-1,1), moved (4,-1,1);
     * in the hip: scaled (4,-2,3), around z (2,4,3), moved (3,6,6) */
    check_node(&pose, 0, 1, 1, 1, (const double[3]){3, 6, 6});
    pose_fini(&pose);
    fixture_fini(&f);
}

static void check_vertex(const struct fixture *f, struct pose *pose, int32_t clip, enum space space, const double to[3])
{
    struct dmat4 front;
    struct mat4 palette;
    pose_evaluate(pose, &f->model, clip, 1);
    assert_int_equal(pose_space_from_scene(pose, &f->model, space, 2, &front, NULL), 0);
    assert_int_equal(pose_palette(pose, &f->model, 0, &front, &palette, NULL), 0);
    check_point(palette.m, 1, 2, 3, to, 1e-5);
    assert_true(palette.m[3] == 0 && palette.m[7] == 0 && palette.m[11] == 0 && palette.m[15] == 1);
}

TEST(pose_palette_breaks_when_any_product_is_swapped)
{
    struct fixture f;
    struct pose pose;
    chain(&f);
    pose_init(&pose);
    /* bind (1,2,3): around y (3,2,-1), moved (3,2,4); arm: scaled (6,2,4), around x (6,-4,2), moved (8,-4,2);
     * hip: scaled (8,-8,6), around z (8,8,6), moved (9,10,9) */
    check_vertex(&f, &pose, POSE_REST, SPACE_SCENE, (const double[3]){9, 10, 9});
    /* relative to the hip: what stood there before its own scale, turn and move */
    check_vertex(&f, &pose, POSE_REST, SPACE_ROOT, (const double[3]){8, -4, 2});
    /* relative to the mesh node, (1,2,3) then around x then (2,1,1): (8,8,6) back around x (8,6,-8), then (4,6,-8) */
    check_vertex(&f, &pose, POSE_REST, SPACE_MESH, (const double[3]){4, 6, -8});
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_root_space_is_the_rest_of_the_root)
{
    struct fixture f;
    struct pose pose;
    chain(&f);
    pose_init(&pose);
    /* as above up to the hip's move, which is (0,0,7) now */
    check_vertex(&f, &pose, 0, SPACE_SCENE, (const double[3]){8, 8, 13});
    /* minus the rest move (1,2,3): (7,6,10); back around z: (6,-7,10); unscaled (6,-3.5,10/3) */
    check_vertex(&f, &pose, 0, SPACE_ROOT, (const double[3]){6, -3.5, 10.0 / 3});
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_root_space_of_a_scene_that_starts_below)
{
    /* The scene's root 0 has a parent: (1,1,1) in it lies where pose_scene_matrix_of_a_chain says, (3,6,6). */
    struct fixture f;
    struct pose pose;
    struct dmat4 front;
    double out[3];
    const float arm[3] = {2, 0, 0}, arm_scale[3] = {2, 1, 1}, hip[3] = {1, 2, 3}, hip_scale[3] = {1, 2, 3};
    fixture_init(&f);
    fixture_node(&f, 1, arm, TURN_X, arm_scale);
    fixture_node(&f, -1, hip, TURN_Z, hip_scale);
    fixture_root(&f, 0);
    fixture_finish(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    assert_int_equal(pose_space_from_scene(&pose, &f.model, SPACE_ROOT, -1, &front, NULL), 0);
    dmat4_point(&front, (const double[3]){3, 6, 6}, out);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(out[i], 1, 1e-6);
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_mesh_space_follows_the_time)
{
    struct fixture f;
    struct pose pose;
    const float places[6] = {0, 0, 0, 10, 0, 0};
    const double times[2] = {0, 1};
    const struct vec3 position = {1, 0, 0};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    f.builder.nodes[0].mesh = (int32_t)fixture_mesh(&f, &position, 1);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 2, places);
    fixture_finish(&f);
    pose_init(&pose);
    struct dmat4 front;
    struct mat4 palette;
    pose_evaluate(&pose, &f.model, 0, 0.5);
    assert_int_equal(pose_space_from_scene(&pose, &f.model, SPACE_MESH, 0, &front, NULL), 0);
    CHECK_NEAR(front.m[12], -5, 0);
    /* the rigid skin of the node: in scene space its own matrix, in its own space none */
    assert_int_equal(pose_palette(&pose, &f.model, 0, &DMAT4_IDENTITY, &palette, NULL), 0);
    CHECK_NEAR(palette.m[12], 5, 0);
    assert_int_equal(pose_palette(&pose, &f.model, 0, &front, &palette, NULL), 0);
    CHECK_NEAR(palette.m[12], 0, 0);
    /* no mesh node, no or several roots: nothing in front */
    assert_int_equal(pose_space_from_scene(&pose, &f.model, SPACE_MESH, -1, &front, NULL), 0);
    CHECK_NEAR(front.m[12], 0, 0);
    assert_int_equal(pose_space_from_scene(&pose, &f.model, SPACE_ROOT, -1, &front, NULL), 0);
    CHECK_NEAR(front.m[12], 0, 0);
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_channels_keep_what_they_do_not_drive)
{
    struct fixture f;
    struct pose pose;
    const float place[3] = {1, 2, 3}, scale[3] = {2, 3, 4};
    const double time = 0;
    fixture_init(&f);
    fixture_node(&f, -1, place, FIXTURE_NO_TURN, scale);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_ROTATION, INTERPOLATION_LINEAR, 4, &time, 1, TURN_Z);
    fixture_finish(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, 0, 99);
    assert_true(pose.is_animated[0]);
    /* (1,1,1): scaled (2,3,4), around z (-3,2,4), moved (-2,4,7) */
    check_node(&pose, 0, 1, 1, 1, (const double[3]){-2, 4, 7});
    pose_evaluate(&pose, &f.model, POSE_REST, 0); /* nothing of the frame before stays */
    assert_false(pose.is_animated[0]);
    check_node(&pose, 0, 1, 1, 1, (const double[3]){3, 5, 7});
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_matrix_node_keeps_its_matrix_until_a_clip_moves_it)
{
    struct fixture f;
    struct pose pose;
    const float turn[4] = {0, 0, HALF, HALF};
    const double time = 0;
    fixture_init(&f);
    for (int i = 0; i < 2; i++) {
        fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        f.builder.nodes[i].matrix = i;
    }
    /* sheared: y leans along x */
    *bake_add_node_matrix(&f.builder, 1) = (struct mat4){{1, 0, 0, 0, 0.5f, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1}};
    /* around x, scaled (2,3,4), moved (1,2,3); with an invalid last row */
    *bake_add_node_matrix(&f.builder, 1) = (struct mat4){{2, 0, 0, 0, 0, 0, 3, 0, 0, -4, 0, 0, 1, 2, 3, 0}};
    fixture_clip(&f);
    fixture_channel(&f, 1, PATH_ROTATION, INTERPOLATION_LINEAR, 4, &time, 1, turn);
    fixture_finish(&f);
    assert_true((f.model.nodes[0].flags & NODE_SHEAR) != 0);
    assert_true((f.model.nodes[1].flags & NODE_SHEAR) == 0);
    assert_int_equal(f.model.warning_count, 1); /* the last row */
    CHECK_NEAR(f.model.nodes[1].scale[2], 4, 1e-6);
    CHECK_NEAR(f.model.nodes[1].rotation[0], HALF, 1e-6);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    check_node(&pose, 0, 0, 2, 0, (const double[3]){8, 10, 9}); /* (0,2,0) leans to (1,2,0) */
    check_node(&pose, 1, 1, 1, 1, (const double[3]){3, -2, 6}); /* (2,3,4), around x (2,-4,3) */
    pose_evaluate(&pose, &f.model, 0, 0);
    check_node(&pose, 0, 0, 2, 0, (const double[3]){8, 10, 9});
    check_node(&pose, 1, 1, 1, 1, (const double[3]){-2, 4, 7}); /* (2,3,4), around z (-3,2,4) */
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_deep_chain)
{
    enum { DEPTH = 100000 };
    struct fixture f;
    struct pose pose;
    const float step[3] = {1, 0, 0.5f}, half_turn[4] = {0, 0, 1, 0};
    fixture_init(&f);
    for (int32_t n = 0; n < DEPTH; n++) /* children before their parents */
        fixture_node(&f, n + 1 < DEPTH ? n + 1 : -1, step, half_turn, FIXTURE_ONE);
    fixture_root(&f, DEPTH - 1);
    fixture_finish(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    /* half turns go forth and back, half a unit up each time */
    check_node(&pose, 0, 0, 0, 0, (const double[3]){0, 0, 0.5 * DEPTH});
    check_node(&pose, 3, 0, 0, 0, (const double[3]){1, 0, 0.5 * (DEPTH - 3)});
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_reports_a_palette_that_is_not_finite)
{
    struct fixture f;
    struct pose pose;
    struct err err = {0};
    struct mat4 palette[2];
    const float huge[3] = {1e30f, 1e30f, 1e30f};
    const uint32_t joints[2] = {0, 1};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, huge);
    fixture_node(&f, 0, FIXTURE_ZERO, FIXTURE_NO_TURN, huge);
    fixture_skin(&f, joints, 2);
    fixture_finish(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    assert_int_equal(pose_palette(&pose, &f.model, 0, &DMAT4_IDENTITY, palette, &err), ERR_NOT_FINITE);
    assert_non_null(strstr(err.message, "joint 1 "));
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_space_of_a_collapsed_node_is_an_error)
{
    struct fixture f;
    struct pose pose;
    struct dmat4 front;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ZERO);
    fixture_root(&f, 0);
    fixture_finish(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    assert_int_equal(pose_space_from_scene(&pose, &f.model, SPACE_ROOT, -1, &front, NULL), ERR_NOT_FINITE);
    assert_int_equal(pose_space_from_scene(&pose, &f.model, SPACE_MESH, 0, &front, NULL), ERR_NOT_FINITE);
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(pose_worked_model)
{
    struct fixture f;
    struct pose pose;
    fixture_worked(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    CHECK_NEAR(pose.weights[0], 0.5, 0);
    pose_evaluate(&pose, &f.model, 0, 0.75);
    /* halfway, 0.5 s apart: 0.5 * 0.25 + 0.125 * 0.5 * 1 + 0.5 * 1 - 0 = 0.6875 */
    CHECK_NEAR(pose.weights[0], 0.6875, 1e-12);
    /* half of a half turn around z */
    CHECK_NEAR(pose.local[0].rotation[2], 0.70710678118654752, 1e-12);
    CHECK_NEAR(pose.local[1].translation[0], 1, 0); /* STEP */
    pose_evaluate(&pose, &f.model, 0, 1);
    CHECK_NEAR(pose.local[1].translation[0], 2, 0);
    pose_fini(&pose);
    fixture_fini(&f);
}
