#include "render/passes/pass_camera.h"

/* Finds the point at view depth z that projects to a place in clip space: two linear equations, x = w * place_x and
 * y = w * place_y. */
static void find_point(const double *m, double place_x, double place_y, double z, double out[3])
{
    const double xx = m[0] - place_x * m[3], xy = m[4] - place_x * m[7];
    const double yx = m[1] - place_y * m[3], yy = m[5] - place_y * m[7];
    const double x = -((m[8] - place_x * m[11]) * z + m[12] - place_x * m[15]);
    const double y = -((m[9] - place_y * m[11]) * z + m[13] - place_y * m[15]);
    const double determinant = xx * yy - xy * yx;
    out[0] = (x * yy - xy * y) / determinant;
    out[1] = (xx * y - x * yx) / determinant;
    out[2] = z;
}

struct pass_ray pass_camera_ray(const struct pass_camera *camera, double x, double y)
{
    const double *m = camera->clip_from_view.m;
    const double place_x = 2 * x / camera->width - 1, place_y = 1 - 2 * y / camera->height;
    struct pass_ray ray;
    double next[3];
    find_point(m, place_x, place_y, 0, ray.from);
    find_point(m, place_x, place_y, -1, next);
    for (int i = 0; i < 3; i++)
        ray.along[i] = next[i] - ray.from[i];
    return ray;
}

bool pass_camera_pixel(const struct pass_camera *camera, const double point[3], double pixel[2])
{
    const double *m = camera->clip_from_view.m;
    double clip[4];
    for (int i = 0; i < 4; i++)
        clip[i] = m[i] * point[0] + m[4 + i] * point[1] + m[8 + i] * point[2] + m[12 + i];
    const bool is_seen = clip[3] > 0;
    pixel[0] = is_seen ? (clip[0] / clip[3] + 1) / 2 * camera->width : (double)NAN;
    pixel[1] = is_seen ? (1 - clip[1] / clip[3]) / 2 * camera->height : (double)NAN;
    return is_seen;
}
