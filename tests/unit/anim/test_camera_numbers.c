/* server/anim/camera/camera_numbers.h: a camera and its numbers, off-centre and askew. */
#include "anim/camera/camera_numbers.h"
#include "tests/unit/support/check.h"

enum { WIDTH = 300, HEIGHT = 211 };

/* Turned about two axes and away from the origin. */
static struct picture_camera askew(uint32_t kind)
{
    const double a = 0.7, b = -0.4;
    const double rows[3][4] = {{cos(a), 0, sin(a), 0.3},
                               {sin(b) * sin(a), cos(b), -sin(b) * cos(a), -1.2},
                               {-cos(b) * sin(a), sin(b), cos(b) * cos(a), -6}};
    struct picture_camera camera = {
        .kind = kind, .fx = 171, .fy = 93.5, .cx = 41.25, .cy = 250, .near = 0.75, .far = 9.5};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            camera.view_from_scene[4 * c + r] = rows[r][c];
    camera.view_from_scene[15] = 1;
    return camera;
}

/* The pixel and depth of a point, as protocol/http.md has them. */
static void by_numbers(const struct picture_camera *camera, const double point[3], double out[3])
{
    double opencv[16], p[3];
    picture_camera_turn(camera->view_from_scene, opencv);
    for (int r = 0; r < 3; r++)
        p[r] = opencv[r] * point[0] + opencv[4 + r] * point[1] + opencv[8 + r] * point[2] + opencv[12 + r];
    const double depth = camera->kind == PICTURE_CAMERA_PERSPECTIVE ? p[2] : 1;
    out[0] = camera->fx * p[0] / depth + camera->cx;
    out[1] = camera->fy * p[1] / depth + camera->cy;
    out[2] = p[2];
}

static void by_matrices(const struct camera *camera, const double point[3], double out[3])
{
    double view[3], clip[4];
    const double *m = camera->clip_from_view.m;
    dmat4_point(&camera->view_from_scene, point, view);
    for (int r = 0; r < 4; r++)
        clip[r] = m[r] * view[0] + m[4 + r] * view[1] + m[8 + r] * view[2] + m[12 + r];
    out[0] = (clip[0] / clip[3] + 1) / 2 * WIDTH;
    out[1] = (1 - clip[1] / clip[3]) / 2 * HEIGHT;
    out[2] = -view[2];
}

TEST(camera_of_numbers_projects_as_they_say)
{
    static const double POINTS[][3] = {{0, 0, 0}, {1, 2, -0.5}, {-0.7, 0.1, 1.5}, {0.2, -3, 0.3}};
    for (uint32_t kind = PICTURE_CAMERA_PERSPECTIVE; kind <= PICTURE_CAMERA_ORTHOGRAPHIC; kind++) {
        const struct picture_camera numbers = askew(kind);
        struct err err = {0};
        assert_int_equal(camera_numbers_check(&numbers, &err), 0);
        const struct camera camera = camera_of_numbers(&numbers, WIDTH, HEIGHT);
        for (size_t i = 0; i < sizeof POINTS / sizeof *POINTS; i++) {
            double expected[3], got[3];
            by_numbers(&numbers, POINTS[i], expected);
            by_matrices(&camera, POINTS[i], got);
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(got[k], expected[k], 1e-9);
        }
        double eye[3];
        dmat4_point(&camera.view_from_scene, camera.eye, eye);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(eye[k], 0, 1e-12);
    }
}

TEST(camera_numbers_of_what_they_made)
{
    for (uint32_t kind = PICTURE_CAMERA_PERSPECTIVE; kind <= PICTURE_CAMERA_ORTHOGRAPHIC; kind++) {
        const struct picture_camera numbers = askew(kind);
        const struct camera camera = camera_of_numbers(&numbers, WIDTH, HEIGHT);
        const struct picture_camera again = camera_numbers(&camera, WIDTH, HEIGHT);
        assert_int_equal(again.kind, kind);
        CHECK_NEAR(again.fx, numbers.fx, 1e-12 * numbers.fx);
        CHECK_NEAR(again.fy, numbers.fy, 1e-12 * numbers.fy);
        CHECK_NEAR(again.cx, numbers.cx, 1e-9);
        CHECK_NEAR(again.cy, numbers.cy, 1e-9);
        assert_memory_equal(again.view_from_scene, numbers.view_from_scene, sizeof again.view_from_scene);
        assert_true(again.near == numbers.near && again.far == numbers.far);
    }
}

TEST(camera_numbers_hold_what_is_in_front)
{
    static const struct vec3 POINTS[] = {{0, 0, -4}, {1, 1, -8}};
    static const struct vec3 AROUND[] = {{0, 0, 4}, {0, 0, -8}}, BEHIND[] = {{0, 0, 4}};
    const double view[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    for (uint32_t kind = PICTURE_CAMERA_PERSPECTIVE; kind <= PICTURE_CAMERA_ORTHOGRAPHIC; kind++) {
        struct picture_camera plain = {.kind = kind, .fx = 1, .fy = 1};
        memcpy(plain.view_from_scene, view, sizeof view);
        struct picture_camera camera = plain;
        camera_numbers_hold(&camera, POINTS, 2);
        CHECK_NEAR(camera.near, 4 - 0.04, 1e-12);
        CHECK_NEAR(camera.far, 8 + 0.04, 1e-12);
        camera = plain;
        camera.near = 0.25;
        camera_numbers_hold(&camera, POINTS, 2);
        assert_true(camera.near == 0.25);
        CHECK_NEAR(camera.far, 8.04, 1e-12);
        camera = plain;
        camera.far = 2; /* nearer than everything */
        camera_numbers_hold(&camera, POINTS, 2);
        assert_true(camera.far == 2 && camera.near > 0 && camera.near < 2);
        camera = plain;
        camera_numbers_hold(&camera, AROUND, 2);
        assert_true(camera.near > 0 && camera.near <= 0.08);
        CHECK_NEAR(camera.far, 8.12, 1e-12);
        struct err err = {0};
        camera = plain;
        camera_numbers_hold(&camera, BEHIND, 1);
        assert_int_equal(camera_numbers_check(&camera, &err), 0);
        camera = plain;
        camera_numbers_hold(&camera, NULL, 0);
        assert_true(camera.near > 0 && camera.far > camera.near);
    }
}
