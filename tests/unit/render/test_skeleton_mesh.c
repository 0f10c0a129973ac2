#include "render/pose/skeleton_mesh.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

static struct skeleton_mesh build(struct fixture *f, struct pose *pose)
{
    struct skeleton_mesh skeleton;
    struct err err = {0};
    fixture_finish(f);
    pose_init(pose);
    pose_evaluate(pose, &f->model, POSE_REST, 0);
    assert_int_equal(skeleton_mesh_init(&skeleton, &f->model, (const struct model *const[]){&f->model}, 1, pose, &err),
                     0);
    return skeleton;
}

static void check_bounds(const struct skeleton_mesh *skeleton, int axis, double low, double high, double tolerance)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (uint32_t v = 0; v < skeleton->vertex_count; v++) {
        const float xyz[3] = {skeleton->positions[v].x, skeleton->positions[v].y, skeleton->positions[v].z};
        least = fmin(least, (double)xyz[axis]);
        most = fmax(most, (double)xyz[axis]);
    }
    CHECK_NEAR(least, low, tolerance);
    CHECK_NEAR(most, high, tolerance);
}

/* A bone of the chain lies where its turned, stretched, moved parent puts it: from (10, 0, 0) to (10, 0, 0) +
 * Rz(90) * (2 * 3, 0, 0) = (10, 6, 0). */
TEST(bones_join_parents_and_children)
{
    struct fixture f;
    struct pose pose;
    const float place[3] = {10, 0, 0}, wide[3] = {2, 1, 1}, tip[3] = {3, 0, 0};
    const float turn[4] = {0, 0, 0.70710678f, 0.70710678f};
    fixture_init(&f);
    fixture_node(&f, -1, place, turn, wide);
    fixture_node(&f, 0, tip, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    struct skeleton_mesh skeleton = build(&f, &pose);
    assert_int_equal(skeleton.vertex_count, 3 * 24); /* one bone, two joints */
    check_bounds(&skeleton, 0, 10, 10, 0.2);
    check_bounds(&skeleton, 1, 0, 6, 0.1);
    check_bounds(&skeleton, 2, 0, 0, 0.2);
    skeleton_mesh_fini(&skeleton);
    pose_fini(&pose);
    fixture_fini(&f);
}

/* Normals are unit length and point out of the solid, whose middle is near the chain's axis. */
TEST(bones_have_outward_normals)
{
    struct fixture f;
    struct pose pose;
    const float tip[3] = {0, 0, 4};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, tip, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    struct skeleton_mesh skeleton = build(&f, &pose);
    for (uint32_t v = 0; v < skeleton.vertex_count; v += 3) {
        const struct vec3 n = skeleton.normals[v];
        double outward = 0;
        for (uint32_t c = v; c < v + 3; c++)
            outward += (double)(n.x * skeleton.positions[c].x + n.y * skeleton.positions[c].y);
        CHECK_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-5);
        assert_true(outward > 0);
    }
    skeleton_mesh_fini(&skeleton);
    pose_fini(&pose);
    fixture_fini(&f);
}

/* The armature's own node, far away and never moved, is no bone. */
TEST(bones_leave_out_what_nothing_moves)
{
    struct fixture f;
    struct pose pose;
    const double times[1] = {0};
    const float hip[3] = {100, 0, 0}, knee[3] = {0, -1, 0};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, hip, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 1, knee, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_clip(&f);
    fixture_channel(&f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 1, hip);
    struct skeleton_mesh skeleton = build(&f, &pose);
    check_bounds(&skeleton, 0, 100, 100, 0.1);
    check_bounds(&skeleton, 1, -1, 0, 0.1);
    skeleton_mesh_fini(&skeleton);
    pose_fini(&pose);
    fixture_fini(&f);
}

/* A camera that the clip moves, but that no bone leads to, would make the skeleton small. */
TEST(bones_leave_out_what_hangs_on_no_other)
{
    struct fixture f;
    struct pose pose;
    const double times[1] = {0};
    const float hip[3] = {1, 0, 0}, knee[3] = {0, -1, 0}, camera[3] = {100, 0, 0};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, hip, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 1, knee, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, camera, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_clip(&f);
    fixture_channel(&f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 1, hip);
    fixture_channel(&f, 3, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 1, camera);
    struct skeleton_mesh skeleton = build(&f, &pose);
    check_bounds(&skeleton, 0, 1, 1, 0.1);
    check_bounds(&skeleton, 1, -1, 0, 0.1);
    skeleton_mesh_fini(&skeleton);
    pose_fini(&pose);
    fixture_fini(&f);
}

/* Markers hang on no other, all of them. */
TEST(bones_draw_places_that_nothing_joins)
{
    struct fixture f;
    struct pose pose;
    const double times[1] = {0};
    const float left[3] = {1, 0, 0}, right[3] = {5, 0, 0};
    fixture_init(&f);
    fixture_node(&f, -1, left, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, -1, right, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_root(&f, 1);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 1, left);
    fixture_channel(&f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 1, right);
    struct skeleton_mesh skeleton = build(&f, &pose);
    check_bounds(&skeleton, 0, 1, 5, 0.1);
    skeleton_mesh_fini(&skeleton);
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(bones_refuse_places_beyond_floats)
{
    struct fixture f;
    struct pose pose;
    struct skeleton_mesh skeleton;
    struct err err = {0};
    const float far_away[3] = {3e38f, 0, 0};
    fixture_init(&f);
    fixture_node(&f, -1, far_away, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 0, far_away, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_finish(&f);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    assert_int_equal(skeleton_mesh_init(&skeleton, &f.model, NULL, 0, &pose, &err), ERR_NOT_FINITE);
    skeleton_mesh_fini(&skeleton);
    pose_fini(&pose);
    fixture_fini(&f);
}
