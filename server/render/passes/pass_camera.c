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

static struct pass_ray find_ray(const struct pass_camera *camera, double x, double y)
{
    const double *m = camera->clip_from_view.m;
    const double place_x = 2 * x / camera->width - 1, place_y = 1 - 2 * y / camera->height;
    struct pass_ray ray = {.from = {0}};
    double next[3];
    find_point(m, place_x, place_y, 0, ray.from);
    find_point(m, place_x, place_y, -1, next);
    for (int i = 0; i < 3; i++)
        ray.along[i] = next[i] - ray.from[i];
    return ray;
}

static struct pass_ray difference(const struct pass_ray *ray, const struct pass_ray *other, double count)
{
    struct pass_ray out;
    for (int i = 0; i < 3; i++) {
        out.from[i] = (ray->from[i] - other->from[i]) / count;
        out.along[i] = (ray->along[i] - other->along[i]) / count;
    }
    return out;
}

void pass_camera_init(struct pass_camera *camera, const struct dmat4 *view_from_scene,
                      const struct dmat4 *clip_from_view, uint32_t width, uint32_t height)
{
    *camera = (struct pass_camera){
        .view_from_scene = *view_from_scene, .clip_from_view = *clip_from_view, .width = width, .height = height};
    camera->corner = find_ray(camera, 0, 0);
    const struct pass_ray right = find_ray(camera, width, 0), down = find_ray(camera, 0, height);
    camera->right = difference(&right, &camera->corner, width);
    camera->down = difference(&down, &camera->corner, height);
}

struct pass_ray pass_camera_ray(const struct pass_camera *camera, double x, double y)
{
    struct pass_ray ray;
    for (int i = 0; i < 3; i++) {
        ray.from[i] = camera->corner.from[i] + x * camera->right.from[i] + y * camera->down.from[i];
        ray.along[i] = camera->corner.along[i] + x * camera->right.along[i] + y * camera->down.along[i];
    }
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
