/* camera.c - the tightest camera for points, and the cameras of a file. */
#include "anim/camera/camera.h"

#include <math.h>
#include <string.h>

static const double RADIANS = 0.017453292519943295; /* pi / 180 */
/* Shares of the framed size: the least distance to the eye, and the margin that near and far leave. */
static const double NEAREST_SHARE = 0.02, BESIDE_SHARE = 0.01;
static const double NEAR_SHARE = 0.01;     /* of the distance to the middle: the nearest that near may be */
static const double OUTSIDE_SHARE = 0.001; /* of the picture: points this little outside still count as inside */

/* Normalizes a vector; false when it has no direction. */
static bool to_unit(double v[3])
{
    const double length = unit3(v);
    return length > 1e-12 && isfinite(length);
}

static double clamp(double value, double low, double high) { return fmin(fmax(value, low), high); }

/* The eye's axes in scene space: x right, y up, z from the model towards the eye. */
struct axes {
    double x[3], y[3], z[3];
};

static struct axes eye_axes(const struct camera_query *query)
{
    double up[3], front[3], left[3];
    memcpy(up, query->up, sizeof up);
    if (!to_unit(up))
        memcpy(up, (const double[3]){0, 1, 0}, sizeof up);
    const double along = dot3(query->forward, up);
    for (int i = 0; i < 3; i++)
        front[i] = query->forward[i] - along * up[i];
    if (!to_unit(front)) { /* forward is along up: any perpendicular direction will do */
        double helper[3] = {0, 0, 0};
        helper[fabs(up[2]) < 0.6 ? 2 : 0] = 1;
        cross3(helper, up, left);
        cross3(up, left, front);
        to_unit(front);
    }
    cross3(up, front, left); /* front turned by +90 degrees about up */
    const double yaw = query->yaw_deg * RADIANS, pitch = query->pitch_deg * RADIANS;
    struct axes axes;
    for (int i = 0; i < 3; i++) {
        const double level = cos(yaw) * front[i] + sin(yaw) * left[i];
        axes.z[i] = cos(pitch) * level + sin(pitch) * up[i];
        axes.y[i] = cos(pitch) * up[i] - sin(pitch) * level;
    }
    cross3(axes.y, axes.z, axes.x);
    return axes;
}

static void to_axes(const struct axes *axes, const double p[3], double out[3])
{
    out[0] = dot3(axes->x, p);
    out[1] = dot3(axes->y, p);
    out[2] = dot3(axes->z, p);
}

/* The extent of all points along the eye's axes, as far as framing needs it. A side plane of the picture through the
 * eye e holds all points p when, for the side's slope k,
 *   +-p[axis] + k * p[2] <= +-e[axis] + k * e[2]
 * so only the largest left side counts. */
struct extent {
    struct box box;
    double plus[2], minus[2]; /* max of +-p[axis] + slope[axis] * p[2] */
};

static struct extent measure(const struct axes *axes, const double slope[2], const struct vec3 *points,
                             uint64_t point_count)
{
    static const double ORIGIN[3] = {0, 0, 0};
    struct extent e = {.box = BOX_EMPTY};
    for (int i = 0; i < 2; i++)
        e.plus[i] = e.minus[i] = -HUGE_VAL;
    for (uint64_t n = 0; n < (point_count == 0 ? 1 : point_count); n++) {
        double p[3];
        to_axes(axes, point_count == 0 ? ORIGIN : DOUBLE3(points[n]), p);
        box_add(&e.box, p);
        for (int i = 0; i < 2; i++) {
            e.plus[i] = fmax(e.plus[i], p[i] + slope[i] * p[2]);
            e.minus[i] = fmax(e.minus[i], -p[i] + slope[i] * p[2]);
        }
    }
    return e;
}

/* Moves the eye along one axis until the outermost points on both sides are equally far from the centre of the picture.
 * The two outermost points give the next guess, until they stay the same. Every guess keeps all points inside, so
 * stopping early costs only symmetry. */
static void center(const struct axes *axes, int axis, double slope, const struct extent *extent,
                   const struct vec3 *points, uint64_t point_count, double eye[3])
{
    const double low = extent->plus[axis] - slope * eye[2], high = slope * eye[2] - extent->minus[axis];
    for (int round = 0; round < 12; round++) {
        double top = -HUGE_VAL, bottom = HUGE_VAL, top_point[2] = {0}, bottom_point[2] = {0};
        for (uint64_t n = 0; n < point_count; n++) {
            double p[3];
            to_axes(axes, DOUBLE3(points[n]), p);
            const double depth = eye[2] - p[2], projected = (p[axis] - eye[axis]) / depth;
            if (projected > top) {
                top = projected;
                top_point[0] = p[axis], top_point[1] = depth;
            }
            if (projected < bottom) {
                bottom = projected;
                bottom_point[0] = p[axis], bottom_point[1] = depth;
            }
        }
        const double depths = top_point[1] + bottom_point[1];
        if (!(depths > 0) || fabs(top + bottom) <= 1e-12 * (top - bottom))
            return;
        const double next = (top_point[0] * bottom_point[1] + bottom_point[0] * top_point[1]) / depths;
        eye[axis] = low <= high ? clamp(next, low, high) : next;
    }
}

static struct dmat4 view_matrix(const struct axes *axes, const double eye[3])
{
    const double *rows[3] = {axes->x, axes->y, axes->z};
    struct dmat4 view = DMAT4_IDENTITY;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            view.m[4 * c + r] = rows[r][c];
        view.m[12 + r] = -eye[r];
    }
    return view;
}

/* GL's perspective and orthographic projections (OpenGL 2.1 specification, section 2.11.2: Frustum and Ortho). */
void camera_project(struct camera *camera)
{
    const double near = camera->near, far = camera->far, depth = far - near;
    struct dmat4 clip = {{0}};
    clip.m[0] = 1 / camera->half[0];
    clip.m[5] = 1 / camera->half[1];
    if (camera->is_ortho) {
        clip.m[10] = -2 / depth;
        clip.m[12] = camera->shift[0];
        clip.m[13] = camera->shift[1];
        clip.m[14] = -(far + near) / depth;
        clip.m[15] = 1;
    } else {
        clip.m[8] = 0 - camera->shift[0]; /* not -0 */
        clip.m[9] = 0 - camera->shift[1];
        clip.m[10] = -(far + near) / depth;
        clip.m[11] = -1;
        clip.m[14] = -2 * far * near / depth;
    }
    camera->clip_from_view = clip;
}

/* Sets near and far around two distances from the eye, with a margin of `beside`. */
static void set_depth(struct camera *camera, double first, double last, double beside, double reference)
{
    camera->near = fmax(first - beside, NEAR_SHARE * reference);
    camera->far = fmax(last + beside, camera->near * 1.01);
}

/* Returns the longest side of the points. A single point has none: it counts as one unit, or as the precision of its
 * floats. */
static double size_of(const struct extent *extent)
{
    double size = box_size(&extent->box);
    for (int i = 0; i < 3 && !(size > 0); i++)
        size =
            fmax(size, 1e-3 * fmax(fabs(extent->box.min[0]), fmax(fabs(extent->box.min[1]), fabs(extent->box.min[2]))));
    return size > 0 ? size : 1;
}

/* Places the eye, in its own axes, so that everything just fits a perspective picture. */
static void place_eye(const struct axes *axes, const double slope[2], const struct extent *extent,
                      const struct vec3 *points, uint64_t point_count, double size, double eye[3])
{
    double nearest = extent->box.max[2] + NEAREST_SHARE * size;
    if (extent->box.max[0] - extent->box.min[0] <= 0 && extent->box.max[1] - extent->box.min[1] <= 0)
        nearest = extent->box.max[2] + size / fmin(slope[0], slope[1]); /* no width: seen end-on, or a point */
    for (int i = 0; i < 2; i++) {
        eye[i] = (extent->plus[i] - extent->minus[i]) / 2;
        nearest = fmax(nearest, (extent->plus[i] + extent->minus[i]) / (2 * slope[i]));
    }
    eye[2] = nearest;
    for (int i = 0; i < 2; i++)
        center(axes, i, slope[i], extent, points, point_count, eye);
}

/* The same with the eye straight in front of a target. */
static void place_eye_before(const double target[3], const double slope[2], const struct extent *extent, double size,
                             double eye[3])
{
    memcpy(eye, target, 3 * sizeof *eye);
    eye[2] = fmax(extent->box.max[2], target[2]) + NEAREST_SHARE * size;
    for (int i = 0; i < 2; i++) {
        eye[2] = fmax(eye[2], (extent->plus[i] - target[i]) / slope[i]);
        eye[2] = fmax(eye[2], (extent->minus[i] + target[i]) / slope[i]);
    }
}

/* Returns half the size of an orthographic picture in which everything around a middle just fits. */
static double half_size(const double middle[3], const double slope[2], const struct extent *extent, double size)
{
    double half = 0;
    for (int i = 0; i < 2; i++)
        half = fmax(half, fmax(extent->box.max[i] - middle[i], middle[i] - extent->box.min[i]) / slope[i]);
    return half > 0 ? half : size;
}

struct camera camera_frame(const struct camera_query *query, const struct vec3 *points, uint64_t point_count)
{
    const double aspect = clamp(query->aspect, 1e-4, 1e4), distance = query->distance > 0 ? query->distance : 1;
    const double tan_small = query->is_ortho ? 1 : tan(clamp(query->fov_deg, 1, 170) * RADIANS / 2);
    const double used = 1 - 2 * clamp(query->margin, 0, 0.45);
    struct camera camera = {.is_ortho = query->is_ortho,
                            .half = {tan_small * fmax(aspect, 1), tan_small / fmin(aspect, 1)}};
    const double slope[2] = {camera.half[0] * used, camera.half[1] * used};
    const struct axes axes = eye_axes(query);
    const struct extent extent = measure(&axes, slope, points, point_count);
    const double size = size_of(&extent);

    double eye[3], middle[3]; /* in the eye's axes; the middle that the camera turns around */
    for (int i = 0; i < 3; i++)
        middle[i] = (extent.box.min[i] + extent.box.max[i]) / 2;
    if (query->has_target)
        to_axes(&axes, query->target, middle);
    if (query->is_ortho) {
        const double half = half_size(middle, slope, &extent, size) * distance;
        camera.half[0] *= half;
        camera.half[1] *= half;
        eye[0] = middle[0], eye[1] = middle[1];
        eye[2] = fmax(extent.box.max[2], middle[2]) + size;
    } else if (query->has_target) {
        place_eye_before(middle, slope, &extent, size, eye);
    } else {
        place_eye(&axes, slope, &extent, points, point_count, size, eye);
    }
    if (!query->is_ortho)
        eye[2] = middle[2] + (eye[2] - middle[2]) * distance;

    set_depth(&camera, eye[2] - extent.box.max[2], eye[2] - extent.box.min[2], BESIDE_SHARE * size, eye[2] - middle[2]);
    camera.view_from_scene = view_matrix(&axes, eye);
    camera_project(&camera);
    for (int i = 0; i < 3; i++)
        camera.eye[i] = eye[0] * axes.x[i] + eye[1] * axes.y[i] + eye[2] * axes.z[i];
    return camera;
}

bool camera_sees_all(const struct camera *camera, const struct vec3 *points, uint64_t point_count)
{
    const double inside = 1 + 2 * OUTSIDE_SHARE;
    for (uint64_t n = 0; n < point_count; n++) {
        double p[3];
        dmat4_point(&camera->view_from_scene, DOUBLE3(points[n]), p);
        const double reach = camera->is_ortho ? inside : -p[2] * inside;
        if (!(fabs(p[0]) <= reach * camera->half[0] && fabs(p[1]) <= reach * camera->half[1]))
            return false;
    }
    return true;
}

void camera_hold(struct camera *camera, const struct vec3 *points, uint64_t point_count)
{
    double first = camera->near, last = camera->far;
    for (uint64_t n = 0; n < point_count; n++) {
        double p[3];
        dmat4_point(&camera->view_from_scene, DOUBLE3(points[n]), p);
        first = fmin(first, -p[2]);
        last = fmax(last, -p[2]);
    }
    if (first >= camera->near && last <= camera->far)
        return;
    const double beside = BESIDE_SHARE * (last - first);
    set_depth(camera, first < camera->near ? first - beside : first, last > camera->far ? last + beside : last, 0,
              camera->near);
    camera_project(camera);
}

/* A wider picture shows more at its sides, a taller one more above and below. */
static void set_half(const struct model_camera *from, double aspect, struct camera *camera)
{
    const bool is_ortho = from->kind == CAMERA_ORTHOGRAPHIC;
    const double height = is_ortho ? (double)from->height : tan((double)from->height / 2);
    const double own = is_ortho ? (double)from->width / (double)from->height : (double)from->width;
    camera->half[1] = own > 0 && aspect < own ? height * own / aspect : height;
    camera->half[0] = camera->half[1] * aspect;
}

bool camera_of_model(const struct model_camera *from, const struct dmat4 *scene_from_node, double aspect,
                     const struct vec3 *points, uint64_t point_count, struct camera *out)
{
    struct axes axes;
    for (int i = 0; i < 3; i++) /* backwards, away from what it looks at */
        axes.z[i] = from->facing == CAMERA_FACING_X ? -scene_from_node->m[i] : scene_from_node->m[8 + i];
    memcpy(axes.y, scene_from_node->m + 4, sizeof axes.y);
    if (!to_unit(axes.z) || !to_unit(axes.y))
        return false;
    cross3(axes.y, axes.z, axes.x);
    if (!to_unit(axes.x))
        return false;
    cross3(axes.z, axes.x, axes.y);
    double eye[3];
    struct camera camera = {.is_ortho = from->kind == CAMERA_ORTHOGRAPHIC};
    memcpy(camera.eye, scene_from_node->m + 12, sizeof camera.eye);
    to_axes(&axes, camera.eye, eye);
    camera.view_from_scene = view_matrix(&axes, eye);
    set_half(from, clamp(aspect, 1e-4, 1e4), &camera);

    const double slope[2] = {1, 1};
    const struct extent extent = measure(&axes, slope, points, point_count);
    const double last = eye[2] - extent.box.min[2], beside = BESIDE_SHARE * size_of(&extent);
    const double z_far = from->z_far > 0 ? fmin((double)from->z_far, last + beside) : last + beside;
    camera.near = fmax((double)from->z_near, eye[2] - extent.box.max[2] - beside);
    if (camera.is_ortho && camera.near <= 0) /* any depth works there, also 0 */
        camera.near = fmin(1e-6 * size_of(&extent), z_far / 2);
    camera.far = fmax(z_far, camera.near * 1.01);
    camera_project(&camera);
    *out = camera;
    return true;
}
