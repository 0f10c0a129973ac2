/* server/render/camera/shared_camera.h: one camera for several moments, with points off the origin, in axes of their
 * own. */
#include "render/camera/shared_camera.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <string.h>

enum { POINTS = 60, SIDES = 5 };

static struct camera_query query_of(double yaw_deg, double pitch_deg)
{
    return (struct camera_query){.up = {0, 0.6, 0.8},
                                 .forward = {1, 0, 0},
                                 .yaw_deg = yaw_deg,
                                 .pitch_deg = pitch_deg,
                                 .fov_deg = 30,
                                 .aspect = 1.5,
                                 .margin = 0.1};
}

static struct camera aim(double yaw_deg, double pitch_deg, const struct vec3 *points, uint64_t count)
{
    const struct camera_query query = query_of(yaw_deg, pitch_deg);
    return camera_frame(&query, points, count);
}

/* The same points each time: a long thing, moved by `step` along x. */
static void make_points(struct vec3 out[POINTS], double step)
{
    for (int i = 0; i < POINTS; i++) {
        const double a = i * 0.7;
        out[i] = (struct vec3){(float)(3 + step + 2 * cos(a)), (float)(-1 + 0.4 * sin(2.3 * a)),
                               (float)(0.02 * i + 0.1 * sin(a))};
    }
}

static void project(const struct camera *camera, const struct vec3 *point, double out[2])
{
    const double p[3] = {(double)point->x, (double)point->y, (double)point->z};
    double seen[3];
    dmat4_point(&camera->view_from_scene, p, seen);
    const double *clip = camera->clip_from_view.m;
    const double depth = -seen[2];
    assert_true(depth > 0);
    out[0] = clip[0] * seen[0] / depth;
    out[1] = clip[5] * seen[1] / depth;
    const double z = (clip[10] * seen[2] + clip[14]) / depth;
    assert_true(z > -1 && z < 1); /* between near and far */
}

static void add(struct shared_camera *shared, const struct camera *seen, const struct vec3 points[POINTS])
{
    struct err err;
    assert_int_equal(shared_camera_add(shared, &shared->posed, seen, points, POINTS, &err), 0);
}

static struct camera frame_all(struct shared_camera *shared, double yaw_deg, double pitch_deg)
{
    const struct camera_query query = query_of(yaw_deg, pitch_deg);
    struct camera camera;
    struct err err;
    assert_int_equal(shared_camera_find(shared, &query, &camera, &err), 0);
    return camera;
}

/* Every moment is within the margin, from every side; some point of some moment is at it; and the pivot is at the same
 * place in all pictures. */
TEST(framing_fits_all_moments_from_all_sides)
{
    struct shared_camera shared;
    struct vec3 points[SIDES][POINTS];
    struct camera seen[SIDES];
    const struct camera level = aim(0, 0, NULL, 0);
    double pivot[3], widest = 0, at_pivot[2];
    for (int s = 0; s < SIDES; s++) {
        make_points(points[s], 0.3 * s);
        seen[s] = aim(20 + 72 * s, 30, NULL, 0);
        if (s == 0)
            shared_camera_init(&shared, &level, &seen[0]);
        add(&shared, &seen[s], points[s]);
    }
    const struct camera all = frame_all(&shared, 20, 30);
    shared_camera_pivot(&shared, pivot);
    const struct vec3 middle = {(float)pivot[0], (float)pivot[1], (float)pivot[2]};
    project(&all, &middle, at_pivot);
    for (int s = 0; s < SIDES; s++) {
        const struct camera camera = shared_camera_of_cell(&shared, &all, &seen[s]);
        double at[2];
        for (int i = 0; i < POINTS; i++) {
            project(&camera, &points[s][i], at);
            widest = fmax(widest, fmax(fabs(at[0]), fabs(at[1])));
        }
        project(&camera, &middle, at);
        CHECK_NEAR(at[0], at_pivot[0], 1e-6);
        CHECK_NEAR(at[1], at_pivot[1], 1e-6);
        for (int k = 0; k < 12; k++) /* it looks where it was told to */
            CHECK_NEAR(camera.view_from_scene.m[k], seen[s].view_from_scene.m[k], 1e-12);
        const double *view = camera.view_from_scene.m, *eye = camera.eye;
        for (int r = 0; r < 3; r++)
            CHECK_NEAR(view[r] * eye[0] + view[4 + r] * eye[1] + view[8 + r] * eye[2] + view[12 + r], 0, 1e-9);
    }
    CHECK_NEAR(widest, 0.8, 0.001);
    shared_camera_fini(&shared);
}

/* Moments from one side get the camera that frames all their points, and one moment its own. */
TEST(framing_of_one_side_is_the_usual_camera)
{
    struct shared_camera shared;
    struct vec3 points[3][POINTS];
    const struct camera level = aim(0, 0, NULL, 0), seen = aim(-35, 12, NULL, 0);
    shared_camera_init(&shared, &level, &seen);
    for (int s = 0; s < 3; s++) {
        make_points(points[s], 0.5 * s);
        add(&shared, &seen, points[s]);
    }
    const struct camera all = frame_all(&shared, -35, 12), expected = aim(-35, 12, points[0], 3 * POINTS);
    const struct camera camera = shared_camera_of_cell(&shared, &all, &seen);
    assert_memory_equal(&camera, &all, sizeof camera);
    for (int k = 0; k < 16; k++) {
        CHECK_NEAR(camera.view_from_scene.m[k], expected.view_from_scene.m[k], 0.002);
        CHECK_NEAR(camera.clip_from_view.m[k], expected.clip_from_view.m[k], 0.002);
    }
    shared_camera_fini(&shared);
}

/* Up is (0, 0.6, 0.8) and forward x: the points' middle is far from the origin along x, but not across. */
TEST(framing_turns_about_the_origin_within_the_model)
{
    struct shared_camera shared;
    const struct camera level = aim(0, 0, NULL, 0);
    const struct vec3 points[4] = {{2, 0.8F, -0.6F}, {6, -0.8F, 0.6F}, {4, 0.6F, 0.8F}, {4, 1.8F, 2.4F}};
    double pivot[3];
    struct err err;
    shared_camera_init(&shared, &level, &level);
    assert_int_equal(shared_camera_add(&shared, &shared.posed, &level, points, 4, &err), 0);
    shared_camera_pivot(&shared, pivot);
    CHECK_NEAR(pivot[0], 4, 1e-6);
    CHECK_NEAR(pivot[1], 0, 1e-6); /* the lowest is at height 0 */
    CHECK_NEAR(pivot[2], 0, 1e-6);
    shared_camera_fini(&shared);
    shared_camera_init(&shared, &level, &level);
    shared_camera_pivot(&shared, pivot); /* nothing to frame */
    assert_true(pivot[0] == 0 && pivot[1] == 0 && pivot[2] == 0);
    shared_camera_fini(&shared);
}

/* What clips reach has the camera of a picture alone, bit for bit, as long as no moment would be cut off. */
TEST(framing_of_a_clip_is_that_of_its_pictures)
{
    struct shared_camera shared;
    struct vec3 points[2][POINTS];
    const struct camera level = aim(0, 0, NULL, 0), seen = aim(25, 10, NULL, 0);
    struct err err;
    make_points(points[0], 0);
    make_points(points[1], 0.01);
    shared_camera_init(&shared, &level, &seen);
    assert_int_equal(shared_camera_add_few(&shared, &shared.reached, &seen, points[0], POINTS, &err), 0);
    add(&shared, &seen, points[1]); /* moves within the margin, and further than the planes hold */
    const struct camera camera = frame_all(&shared, 25, 10), expected = aim(25, 10, points[0], POINTS);
    assert_memory_equal(&camera.view_from_scene, &expected.view_from_scene, sizeof camera.view_from_scene);
    make_points(points[1], 1.5);
    add(&shared, &seen, points[1]);
    const struct camera wider = frame_all(&shared, 25, 10);
    assert_true(memcmp(&wider.view_from_scene, &expected.view_from_scene, sizeof camera.view_from_scene) != 0);
    for (int i = 0; i < POINTS; i++) {
        double at[2];
        project(&wider, &points[1][i], at);
        assert_true(fabs(at[0]) < 0.801 && fabs(at[1]) < 0.801);
    }
    shared_camera_fini(&shared);
}

TEST(framing_turns_about_a_target)
{
    struct shared_camera shared;
    const struct camera level = aim(0, 0, NULL, 0);
    const struct vec3 points[2] = {{2, 0.8F, -0.6F}, {6, -0.8F, 0.6F}};
    double pivot[3];
    struct err err;
    shared_camera_init(&shared, &level, &level);
    assert_int_equal(shared_camera_add(&shared, &shared.posed, &level, points, 2, &err), 0);
    shared.has_target = true;
    shared.target[1] = 7;
    shared_camera_pivot(&shared, pivot);
    assert_true(pivot[0] == 0 && pivot[1] == 7 && pivot[2] == 0);
    shared_camera_fini(&shared);
}
