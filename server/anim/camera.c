#include "camera.h"

#include <math.h>
#include <string.h>

static const double RADIANS = 0.017453292519943295; /* pi / 180 */

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* False when the vector has no direction. */
static bool unit3(double v[3])
{
    const double length = sqrt(dot3(v, v));
    if (!(length > 1e-12) || !isfinite(length))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return true;
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
    if (!unit3(up))
        memcpy(up, (const double[3]){0, 1, 0}, sizeof up);
    const double along = dot3(query->forward, up);
    for (int i = 0; i < 3; i++)
        front[i] = query->forward[i] - along * up[i];
    if (!unit3(front)) { /* forward is along up: any direction across it is as good */
        double helper[3] = {0, 0, 0};
        helper[fabs(up[2]) < 0.6 ? 2 : 0] = 1;
        cross3(helper, up, left);
        cross3(up, left, front);
        unit3(front);
    }
    cross3(up, front, left); /* front turned by +90 degrees around up */
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

static void to_axes(const struct axes *axes, const struct vec3 *point, double out[3])
{
    const double p[3] = {(double)point->x, (double)point->y, (double)point->z};
    out[0] = dot3(axes->x, p);
    out[1] = dot3(axes->y, p);
    out[2] = dot3(axes->z, p);
}

/* What the framing needs to know of all points, in the eye's axes.
 * A side plane of the picture through the eye e holds all points p when, for the side's slope k,
 *   +-p[axis] + k * p[2] <= +-e[axis] + k * e[2]
 * so only the largest left side counts. */
struct extent {
    double low[3], high[3];
    double plus[2], minus[2]; /* max of +-p[axis] + slope[axis] * p[2] */
};

static struct extent measure(const struct axes *axes, const double slope[2], const struct vec3 *points,
                             uint64_t point_count)
{
    static const struct vec3 ORIGIN = {0, 0, 0};
    struct extent e;
    for (int i = 0; i < 3; i++) {
        e.low[i] = HUGE_VAL;
        e.high[i] = -HUGE_VAL;
    }
    for (int i = 0; i < 2; i++)
        e.plus[i] = e.minus[i] = -HUGE_VAL;
    for (uint64_t n = 0; n < (point_count == 0 ? 1 : point_count); n++) {
        double p[3];
        to_axes(axes, point_count == 0 ? &ORIGIN : &points[n], p);
        for (int i = 0; i < 3; i++) {
            e.low[i] = fmin(e.low[i], p[i]);
            e.high[i] = fmax(e.high[i], p[i]);
        }
        for (int i = 0; i < 2; i++) {
            e.plus[i] = fmax(e.plus[i], p[i] + slope[i] * p[2]);
            e.minus[i] = fmax(e.minus[i], -p[i] + slope[i] * p[2]);
        }
    }
    return e;
}

/* Moves the eye along one axis until the outermost points on both sides are equally far from the centre of
 * the picture: the two outermost points give the next guess, until they stay the same. Any guess is kept
 * where all points stay inside, so that an unlucky order of guesses costs symmetry only. */
static void center(const struct axes *axes, int axis, double slope, const struct extent *extent,
                   const struct vec3 *points, uint64_t point_count, double eye[3])
{
    const double low = extent->plus[axis] - slope * eye[2], high = slope * eye[2] - extent->minus[axis];
    for (int round = 0; round < 12; round++) {
        double top = -HUGE_VAL, bottom = HUGE_VAL, top_point[2] = {0}, bottom_point[2] = {0};
        for (uint64_t n = 0; n < point_count; n++) {
            double p[3];
            to_axes(axes, &points[n], p);
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

/* GL perspective projection (OpenGL 2.1 specification, section 2.11.2: gluPerspective's matrix). */
static struct dmat4 projection(double tan_x, double tan_y, double near, double far)
{
    struct dmat4 clip = {{0}};
    clip.m[0] = 1 / tan_x;
    clip.m[5] = 1 / tan_y;
    clip.m[10] = -(far + near) / (far - near);
    clip.m[11] = -1;
    clip.m[14] = -2 * far * near / (far - near);
    return clip;
}

struct camera camera_frame(const struct camera_query *query, const struct vec3 *points, uint64_t point_count)
{
    const double aspect = clamp(query->aspect, 1e-3, 1e3);
    const double tan_small = tan(clamp(query->fov_deg, 1, 170) * RADIANS / 2);
    const double tan_x = aspect < 1 ? tan_small : tan_small * aspect;
    const double tan_y = aspect < 1 ? tan_small / aspect : tan_small;
    const double used = 1 - 2 * clamp(query->margin, 0, 0.45);
    const double slope[2] = {tan_x * used, tan_y * used};
    const struct axes axes = eye_axes(query);
    const struct extent extent = measure(&axes, slope, points, point_count);

    double size = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, extent.high[i] - extent.low[i]);
    /* A point has no size that could be framed: one unit around it, or what its floats can tell apart. */
    for (int i = 0; i < 3 && !(size > 0); i++)
        size = fmax(size, 1e-3 * fmax(fabs(extent.low[0]), fmax(fabs(extent.low[1]), fabs(extent.low[2]))));
    size = size > 0 ? size : 1;

    double eye[3], nearest = extent.high[2] + 0.02 * size;
    if (extent.high[0] - extent.low[0] <= 0 && extent.high[1] - extent.low[1] <= 0)
        nearest = extent.high[2] + size / tan_small; /* nothing has width: seen end-on, or one point */
    for (int i = 0; i < 2; i++) {
        eye[i] = (extent.plus[i] - extent.minus[i]) / 2;
        nearest = fmax(nearest, (extent.plus[i] + extent.minus[i]) / (2 * slope[i]));
    }
    eye[2] = nearest;
    for (int i = 0; i < 2; i++)
        center(&axes, i, slope[i], &extent, points, point_count, eye);

    const double first = eye[2] - extent.high[2], last = eye[2] - extent.low[2];
    const double slack = 0.01 * size; /* half of what `nearest` leaves at least */
    struct camera camera;
    camera.view_from_scene = view_matrix(&axes, eye);
    camera.clip_from_view = projection(tan_x, tan_y, first - slack, last + slack);
    for (int i = 0; i < 3; i++)
        camera.eye[i] = eye[0] * axes.x[i] + eye[1] * axes.y[i] + eye[2] * axes.z[i];
    return camera;
}
