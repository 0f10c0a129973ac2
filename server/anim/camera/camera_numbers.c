#include "anim/camera/camera_numbers.h"

/* As in camera.c: what near and far leave beside the points, and the nearest that near may be with perspective, as a
 * share of the distance to their middle. */
static const double BESIDE_SHARE = 0.01, NEAR_SHARE = 0.01;
/* The same without perspective, as a share of the points' depth: any depth works there. */
static const double FLAT_NEAR_SHARE = 1e-6;
static const double APART = 1.01; /* far / near at least */

struct picture_camera camera_numbers(const struct camera *camera, uint32_t width, uint32_t height)
{
    struct picture_camera numbers = {.kind =
                                         camera->is_ortho ? PICTURE_CAMERA_ORTHOGRAPHIC : PICTURE_CAMERA_PERSPECTIVE,
                                     .fx = width / (2 * camera->half[0]),
                                     .fy = height / (2 * camera->half[1]),
                                     .cx = (1 + camera->shift[0]) / 2 * width,
                                     .cy = (1 - camera->shift[1]) / 2 * height,
                                     .near = camera->near,
                                     .far = camera->far};
    for (int k = 0; k < 16; k++)
        numbers.view_from_scene[k] = camera->view_from_scene.m[k] + 0; /* avoids -0, which JSON may lose */
    return numbers;
}

struct camera camera_of_numbers(const struct picture_camera *numbers, uint32_t width, uint32_t height)
{
    struct camera camera = {.is_ortho = numbers->kind == PICTURE_CAMERA_ORTHOGRAPHIC,
                            .half = {width / (2 * numbers->fx), height / (2 * numbers->fy)},
                            .shift = {2 * numbers->cx / width - 1, 1 - 2 * numbers->cy / height},
                            .near = numbers->near,
                            .far = numbers->far};
    const double *view = numbers->view_from_scene;
    memcpy(camera.view_from_scene.m, view, sizeof camera.view_from_scene.m);
    for (int i = 0; i < 3; i++) /* the point that a rigid matrix maps to the origin */
        camera.eye[i] = -dot3(view + 4 * i, view + 12);
    camera_project(&camera);
    return camera;
}

void camera_numbers_hold(struct picture_camera *numbers, const struct vec3 *points, uint64_t point_count)
{
    struct dmat4 view;
    memcpy(view.m, numbers->view_from_scene, sizeof view.m);
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (uint64_t n = 0; n < point_count; n++) {
        double p[3];
        dmat4_point(&view, DOUBLE3(points[n]), p);
        first = fmin(first, -p[2]);
        last = fmax(last, -p[2]);
    }
    if (!(last > 0)) /* nothing is in front of the camera */
        first = last = 1;
    const bool is_flat = numbers->kind == PICTURE_CAMERA_ORTHOGRAPHIC;
    const double size = last > first ? last - first : last, middle = (first + last) / 2;
    const double nearest = is_flat ? FLAT_NEAR_SHARE * size : NEAR_SHARE * (middle > 0 ? middle : last);
    const double beside = BESIDE_SHARE * size;
    const double near = fmax(first - beside, nearest), far = fmax(last + beside, near * APART);
    if (numbers->near == 0)
        numbers->near = numbers->far > 0 ? fmin(near, numbers->far / APART) : near;
    if (numbers->far == 0)
        numbers->far = fmax(far, numbers->near * APART);
}
