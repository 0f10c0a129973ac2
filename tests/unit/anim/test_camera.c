#include "anim/camera/camera.h"
#include "tests/unit/support/check.h"

#include <string.h>

static struct camera_query front_view(void)
{
    return (struct camera_query){.up = {0, 1, 0}, .forward = {0, 0, 1}, .fov_deg = 40, .aspect = 1.5, .margin = 0.05};
}

/* Normalised device coordinates, -1..1 inside the picture. */
static void project(const struct camera *camera, struct vec3 point, double ndc[3])
{
    const struct dmat4 clip_from_scene = dmat4_mul(&camera->clip_from_view, &camera->view_from_scene);
    const double p[4] = {(double)point.x, (double)point.y, (double)point.z, 1};
    double clip[4] = {0};
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            clip[r] += clip_from_scene.m[4 * c + r] * p[c];
    assert_true(clip[3] > 0); /* before the eye */
    for (int i = 0; i < 3; i++)
        ndc[i] = clip[i] / clip[3];
}

struct rectangle {
    double low[3], high[3];
};

static struct rectangle project_all(const struct camera *camera, const struct vec3 *points, uint64_t count)
{
    struct rectangle r = {{9, 9, 9}, {-9, -9, -9}};
    for (uint64_t i = 0; i < count; i++) {
        double ndc[3];
        project(camera, points[i], ndc);
        for (int a = 0; a < 3; a++) {
            r.low[a] = fmin(r.low[a], ndc[a]);
            r.high[a] = fmax(r.high[a], ndc[a]);
        }
    }
    return r;
}

/* The corners of a long, off-origin, slanted box, and something that sticks out on one side. */
static void figure(struct vec3 points[9], double size)
{
    for (int i = 0; i < 8; i++) {
        const double x = i & 1 ? 1 : -1, y = i & 2 ? 2 : -2, z = i & 4 ? 0.5 : -0.5;
        points[i] = (struct vec3){(float)(size * (x + 0.3 * y + 3)), (float)(size * (y - 0.2 * z + 1)),
                                  (float)(size * (z + 0.4 * x - 5))};
    }
    points[8] = (struct vec3){(float)(size * 6), (float)(size * 2), (float)(size * -4)};
}

static void check_framed(const struct camera_query *query, const struct vec3 *points, uint64_t count)
{
    const struct camera camera = camera_frame(query, points, count);
    const struct rectangle r = project_all(&camera, points, count);
    const double used = 1 - 2 * query->margin, slack = 1e-6;
    for (int a = 0; a < 2; a++) {
        assert_true(r.low[a] >= -used - slack && r.high[a] <= used + slack);
        CHECK_NEAR(r.low[a] + r.high[a], 0, 1e-6); /* centred */
    }
    /* tight: the larger direction touches both its margins */
    CHECK_NEAR(fmax(r.high[0] - r.low[0], r.high[1] - r.low[1]), 2 * used, 1e-5);
    assert_true(r.low[2] > -1 && r.high[2] < 1);
    /* near is close to the points: half of the depth range is used */
    assert_true(r.high[2] - r.low[2] > 1);
}

TEST(camera_frames_tightly_from_everywhere)
{
    const double sizes[] = {0.0005, 1, 500};
    const double aspects[] = {0.4, 1, 2.5};
    struct vec3 points[9];
    for (size_t s = 0; s < 3; s++)
        for (size_t a = 0; a < 3; a++)
            for (int yaw = -180; yaw <= 180; yaw += 45)
                for (int pitch = -90; pitch <= 90; pitch += 30) {
                    struct camera_query query = front_view();
                    query.aspect = aspects[a];
                    query.yaw_deg = yaw + 7;
                    query.pitch_deg = pitch;
                    figure(points, sizes[s]);
                    check_framed(&query, points, 9);
                }
}

static void check_eye_direction(double yaw_deg, double pitch_deg, double x, double y, double z)
{
    struct camera_query query = front_view();
    const struct vec3 cube[2] = {{-1, -1, -1}, {1, 1, 1}};
    query.yaw_deg = yaw_deg;
    query.pitch_deg = pitch_deg;
    const struct camera camera = camera_frame(&query, cube, 2);
    /* the direction from the picture's centre towards the eye is the view's third row */
    CHECK_NEAR(camera.view_from_scene.m[2], x, 1e-9);
    CHECK_NEAR(camera.view_from_scene.m[6], y, 1e-9);
    CHECK_NEAR(camera.view_from_scene.m[10], z, 1e-9);
    double origin[3];
    dmat4_point(&camera.view_from_scene, camera.eye, origin);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(origin[i], 0, 1e-9);
}

TEST(camera_yaw_is_anticlockwise_from_above_and_pitch_lifts)
{
    /* seen from above with +z, the front, down the page, +x is to the right: anticlockwise goes from +z to +x */
    check_eye_direction(0, 0, 0, 0, 1);
    check_eye_direction(90, 0, 1, 0, 0);
    check_eye_direction(180, 0, 0, 0, -1);
    check_eye_direction(-90, 0, -1, 0, 0);
    check_eye_direction(0, 30, 0, 0.5, 0.86602540378443865);
    check_eye_direction(90, 90, 0, 1, 0);
}

TEST(camera_stands_upright_for_any_up)
{
    const double ups[4][3] = {{0, 1, 0}, {0, 0, 1}, {0, 0, -3}, {1, 0, 0}};
    const double forwards[4][3] = {{0, 0, 1}, {0, -1, 0.5}, {1, 1, 7}, {0, 0, -1}};
    for (int i = 0; i < 4; i++) {
        struct camera_query query = front_view();
        memcpy(query.up, ups[i], sizeof query.up);
        memcpy(query.forward, forwards[i], sizeof query.forward);
        query.yaw_deg = 33;
        query.pitch_deg = 20;
        const struct vec3 points[3] = {
            {0, 0, 0}, {(float)ups[i][0], (float)ups[i][1], (float)ups[i][2]}, {0.2f, -0.1f, 0.3f}};
        const struct camera camera = camera_frame(&query, points, 3);
        double foot[3], head[3];
        project(&camera, points[0], foot);
        project(&camera, points[1], head);
        assert_true(head[1] > foot[1] + 0.5);
        /* up has no sideways part in the view */
        CHECK_NEAR(camera.view_from_scene.m[0] * ups[i][0] + camera.view_from_scene.m[4] * ups[i][1] +
                       camera.view_from_scene.m[8] * ups[i][2],
                   0, 1e-9);
    }
}

static void check_finite(const struct camera *camera)
{
    for (int i = 0; i < 16; i++)
        assert_true(isfinite(camera->view_from_scene.m[i]) && isfinite(camera->clip_from_view.m[i]));
}

TEST(camera_of_nothing_and_of_one_point)
{
    const struct camera_query query = front_view();
    const struct camera none = camera_frame(&query, NULL, 0);
    check_finite(&none);
    CHECK_NEAR(none.eye[0], 0, 0);
    assert_true(none.eye[2] > 0.1 && none.eye[2] < 100);
    const struct vec3 points[2] = {{3, 4, 5}, {-2e6f, 1e6f, 3e6f}};
    for (int i = 0; i < 2; i++) {
        const struct camera one = camera_frame(&query, &points[i], 1);
        double ndc[3];
        check_finite(&one);
        project(&one, points[i], ndc);
        CHECK_NEAR(ndc[0], 0, 1e-6);
        CHECK_NEAR(ndc[1], 0, 1e-6);
        assert_true(ndc[2] > -1 && ndc[2] < 1);
    }
}

TEST(camera_of_flat_things)
{
    struct camera_query query = front_view();
    const struct vec3 wall[4] = {{-1, -2, 4}, {1, -2, 4}, {-1, 2, 4}, {1, 2, 4}};
    const struct vec3 floor_[4] = {{-1, 0, -2}, {1, 0, -2}, {-1, 0, 2}, {1, 0, 2}};
    const struct vec3 towards_eye[2] = {{1, 1, -2}, {1, 1, 3}};
    struct camera camera = camera_frame(&query, wall, 4);
    struct rectangle r = project_all(&camera, wall, 4);
    CHECK_NEAR(r.high[1], 0.9, 1e-6);
    CHECK_NEAR(r.low[1], -0.9, 1e-6);
    camera = camera_frame(&query, floor_, 4); /* seen edge-on */
    r = project_all(&camera, floor_, 4);
    CHECK_NEAR(r.high[0], 0.9, 1e-6);
    CHECK_NEAR(r.low[0], -0.9, 1e-6);
    camera = camera_frame(&query, towards_eye, 2); /* a line that projects to a point */
    check_finite(&camera);
    project_all(&camera, towards_eye, 2);
}

TEST(camera_of_degenerate_axes)
{
    const double ups[3][3] = {{0, 1, 0}, {0, 0, 0}, {0, 0, 1}};
    const double forwards[3][3] = {{0, -2, 0}, {0, 0, 0}, {0, 0, 1}};
    struct vec3 points[9];
    figure(points, 1);
    for (int i = 0; i < 3; i++) {
        struct camera_query query = front_view();
        memcpy(query.up, ups[i], sizeof query.up);
        memcpy(query.forward, forwards[i], sizeof query.forward);
        check_framed(&query, points, 9);
    }
}

TEST(camera_without_perspective_is_as_tight)
{
    struct vec3 points[9];
    const double aspects[] = {0.4, 1, 2.5};
    figure(points, 3);
    for (size_t a = 0; a < 3; a++)
        for (int yaw = 0; yaw < 360; yaw += 70) {
            struct camera_query query = front_view();
            query.aspect = aspects[a];
            query.yaw_deg = yaw;
            query.pitch_deg = 25;
            query.is_ortho = true;
            check_framed(&query, points, 9);
        }
}

TEST(camera_has_its_target_in_the_middle_and_everything_inside)
{
    struct vec3 points[9];
    figure(points, 1);
    const struct vec3 targets[] = {points[8], points[0], {30, 2, -4}};
    for (int i = 0; i < 6; i++) {
        const struct vec3 target = targets[i / 2];
        struct camera_query query = front_view();
        query.yaw_deg = 40 * i;
        query.pitch_deg = 10;
        query.is_ortho = i % 2 == 1;
        query.has_target = true;
        query.target[0] = (double)target.x, query.target[1] = (double)target.y, query.target[2] = (double)target.z;
        const struct camera camera = camera_frame(&query, points, 9);
        const struct rectangle r = project_all(&camera, points, 9);
        double ndc[3];
        project(&camera, target, ndc);
        CHECK_NEAR(ndc[0], 0, 1e-9);
        CHECK_NEAR(ndc[1], 0, 1e-9);
        for (int a = 0; a < 2; a++)
            assert_true(r.low[a] > -0.9001 && r.high[a] < 0.9001);
        CHECK_NEAR(fmax(fmax(-r.low[0], r.high[0]), fmax(-r.low[1], r.high[1])), 0.9, 1e-5); /* and tight */
        assert_true(camera_sees_all(&camera, points, 9));
    }
}

TEST(camera_at_a_distance_shows_things_smaller)
{
    struct vec3 points[9];
    struct camera_query query = front_view();
    figure(points, 1);
    query.is_ortho = true;
    query.distance = 4;
    const struct camera flat = camera_frame(&query, points, 9);
    struct rectangle r = project_all(&flat, points, 9);
    CHECK_NEAR(fmax(r.high[0] - r.low[0], r.high[1] - r.low[1]), 2 * 0.9 / 4, 1e-6);
    query.is_ortho = false;
    query.distance = 50;
    const struct camera far = camera_frame(&query, points, 9);
    r = project_all(&far, points, 9);
    assert_true(fmax(r.high[0] - r.low[0], r.high[1] - r.low[1]) < 2 * 0.9 / 30);
    assert_true(r.low[2] > -1 && r.high[2] < 1);
    query.distance = 0.05; /* inside the model: near stays in front of the eye */
    const struct camera close = camera_frame(&query, points, 9);
    assert_true(close.near > 0 && close.far > close.near);
    check_finite(&close);
    assert_false(camera_sees_all(&close, points, 9));
}

TEST(camera_holds_what_it_did_not_frame)
{
    struct vec3 points[9];
    const struct camera_query query = front_view();
    figure(points, 1);
    struct camera camera = camera_frame(&query, points, 8);
    const double near = camera.near, far = camera.far;
    camera_hold(&camera, points, 8);
    CHECK_NEAR(camera.near, near, 0);
    CHECK_NEAR(camera.far, far, 0);
    const struct vec3 outside[2] = {{3, 1, -20}, {3, 1, -3}};
    camera_hold(&camera, outside, 2);
    const struct rectangle r = project_all(&camera, outside, 2);
    assert_true(r.low[2] > -1 && r.high[2] < 1);
    assert_true(camera.near < near && camera.far > far);
}

/* At (2, 3, 4), turned by 90 degrees about y so that it looks along -x, scaled unevenly. */
TEST(camera_of_a_model_looks_as_its_node_does)
{
    const struct trs trs = {{2, 3, 4}, {0, 0.70710678118654752, 0, 0.70710678118654752}, {2, 0.5, 3}};
    const struct dmat4 scene_from_node = dmat4_from_trs(&trs);
    const struct model_camera perspective = {.height = 0.8f, .width = 2, .z_near = 0.5f, .z_far = 100};
    const struct model_camera flat = {.kind = CAMERA_ORTHOGRAPHIC, .height = 1.5f, .width = 3, .z_far = 50};
    const struct vec3 points[2] = {{-8, 3, 4}, {-18, 4, 5}};
    struct camera camera;
    double ndc[3];
    assert_true(camera_of_model(&perspective, &scene_from_node, 2, points, 2, &camera));
    project(&camera, points[0], ndc);
    CHECK_NEAR(ndc[0], 0, 1e-6);
    CHECK_NEAR(ndc[1], 0, 1e-6);
    project(&camera, points[1], ndc); /* 20 in front of it, 1 up, 1 to its left */
    CHECK_NEAR(ndc[0], -1 / (20 * 2 * tan((double)0.8f / 2)), 1e-6);
    CHECK_NEAR(ndc[1], 1 / (20 * tan((double)0.8f / 2)), 1e-6);
    assert_true(camera.near > 9 && camera.near < 10 && camera.far > 20 && camera.far < 21); /* they hug the points */
    assert_true(camera_of_model(&perspective, &scene_from_node, 1, points, 2, &camera));
    CHECK_NEAR(camera.clip_from_view.m[0], 1 / (2 * tan((double)0.8f / 2)), 1e-9);
    assert_true(camera_of_model(&flat, &scene_from_node, 4, points, 2, &camera));
    project(&camera, points[1], ndc);
    CHECK_NEAR(ndc[0], -1 / 6.0, 1e-6);
    CHECK_NEAR(ndc[1], 1 / 1.5, 1e-6);
    const struct vec3 behind[1] = {{20, 3, 4}};
    assert_true(camera_of_model(&flat, &scene_from_node, 1, behind, 1, &camera));
    check_finite(&camera);
    const struct dmat4 nothing = {{0}};
    assert_false(camera_of_model(&flat, &nothing, 1, points, 2, &camera));
}

/* FBX: along its node's x axis, which this one's turn takes to -z, and its z axis, which is right, to x. */
TEST(camera_of_a_model_looks_along_x_where_it_says_so)
{
    const struct trs trs = {{2, 3, 4}, {0, 0.70710678118654752, 0, 0.70710678118654752}, {2, 0.5, 3}};
    const struct dmat4 scene_from_node = dmat4_from_trs(&trs);
    const struct model_camera flat = {
        .kind = CAMERA_ORTHOGRAPHIC, .height = 1.5f, .width = 3, .z_far = 50, .facing = CAMERA_FACING_X};
    const struct vec3 points[2] = {{2, 3, -6}, {3, 4, -16}};
    struct camera camera;
    double ndc[3];
    assert_true(camera_of_model(&flat, &scene_from_node, 2, points, 2, &camera));
    project(&camera, points[0], ndc);
    CHECK_NEAR(ndc[0], 0, 1e-6);
    CHECK_NEAR(ndc[1], 0, 1e-6);
    project(&camera, points[1], ndc); /* 20 in front of it, 1 up, 1 to its right */
    CHECK_NEAR(ndc[0], 1 / 3.0, 1e-6);
    CHECK_NEAR(ndc[1], 1 / 1.5, 1e-6);
}
