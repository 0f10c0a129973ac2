/* volume.c - tests points and rays against capsules, boxes and spheres. */
#include "anim/shape/volume.h"

#include "anim/model/mat3.h"

#include <string.h>

const char *volume_kind_name(enum volume_kind kind)
{
    static const char *const NAMES[] = {"capsule", "box", "sphere"};
    return NAMES[kind];
}

static void doubles_of(const float v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)v[i];
}

static void minus(const double a[3], const float b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - (double)b[i];
}

void volume_axes(const struct hit_volume *volume, double out[9])
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = (double)volume->rotation[i];
    quat_normalize(q);
    const struct mat3 m = mat3_from_quat(q);
    memcpy(out, m.m, sizeof m.m);
}

/* --- points --- */

/* Returns the nearest place on the axis, 0 to 1. axis: from one end to the other; m: from the first end to a point. */
static double place_on_axis(const double axis[3], const double m[3])
{
    const double length2 = dot3(axis, axis);
    return length2 > 0 ? fmin(fmax(dot3(m, axis) / length2, 0), 1) : 0;
}

static bool capsule_contains(const double axis[3], double radius, const double m[3])
{
    const double s = place_on_axis(axis, m);
    const double off[3] = {m[0] - s * axis[0], m[1] - s * axis[1], m[2] - s * axis[2]};
    return dot3(off, off) <= radius * radius;
}

static void capsule_axis(const struct hit_volume *volume, double axis[3])
{
    double end[3];
    doubles_of(volume->end, end);
    minus(end, volume->center, axis);
}

bool volume_contains(const struct hit_volume *volume, const double point[3])
{
    double m[3], axis[3];
    minus(point, volume->center, m);
    if (volume->kind != VOLUME_BOX) {
        capsule_axis(volume, axis);
        return capsule_contains(axis, (double)volume->radius, m);
    }
    double axes[9];
    volume_axes(volume, axes);
    for (int i = 0; i < 3; i++)
        if (fabs(dot3(m, axes + 3 * i)) > (double)volume->half[i])
            return false;
    return true;
}

void volume_ball(const struct hit_volume *volume, double center[3], double *radius)
{
    double end[3], axis[3], half[3];
    doubles_of(volume->center, center);
    doubles_of(volume->end, end);
    doubles_of(volume->half, half);
    for (int i = 0; i < 3; i++) {
        axis[i] = (end[i] - center[i]) / 2;
        center[i] += axis[i];
    }
    *radius = volume->kind == VOLUME_BOX ? sqrt(dot3(half, half)) : (double)volume->radius + sqrt(dot3(axis, axis));
}

/* --- rays --- */

/* Finds where a line through m, relative to the centre of a sphere (or of a cylinder, without components along its
 * axis), enters it. It starts from the line's nearest point to the centre, so that a far origin does not lose digits in
 * a difference. */
static bool enter_ball(const double m[3], const double d[3], double radius, double *t)
{
    const double a = dot3(d, d), b = dot3(m, d) / a;
    const double near[3] = {m[0] - b * d[0], m[1] - b * d[1], m[2] - b * d[2]};
    const double capacity = radius * radius - dot3(near, near);
    if (!(capacity >= 0))
        return false;
    *t = -b - sqrt(capacity / a);
    return *t >= 0;
}

static void across(const double v[3], const double axis[3], double length2, double out[3])
{
    const double s = dot3(v, axis) / length2;
    for (int i = 0; i < 3; i++)
        out[i] = v[i] - s * axis[i];
}

/* Keeps the earlier entry. */
static void offer(struct volume_entry *out, bool *is_hit, double t, const double m[3], const double d[3])
{
    if (*is_hit && out->t <= t)
        return;
    *is_hit = true;
    out->t = t;
    for (int i = 0; i < 3; i++)
        out->normal[i] = m[i] + t * d[i];
}

/* A sphere is a capsule of length 0. */
static bool capsule_ray(const double axis[3], double radius, const double m[3], const double d[3],
                        struct volume_entry *out)
{
    const double length2 = dot3(axis, axis);
    const double from_end[3] = {m[0] - axis[0], m[1] - axis[1], m[2] - axis[2]};
    bool is_hit = false;
    double t;
    if (enter_ball(m, d, radius, &t))
        offer(out, &is_hit, t, m, d);
    if (!(length2 > 0))
        return is_hit;
    if (enter_ball(from_end, d, radius, &t))
        offer(out, &is_hit, t, from_end, d);
    double m_across[3], d_across[3];
    across(m, axis, length2, m_across);
    across(d, axis, length2, d_across);
    if (dot3(d_across, d_across) > 0 && enter_ball(m_across, d_across, radius, &t)) {
        const double s = (dot3(m, axis) + t * dot3(d, axis)) / length2;
        if (s >= 0 && s <= 1)
            offer(out, &is_hit, t, m_across, d_across);
    }
    return is_hit;
}

/* Uses the slab method: A. Williams and others, "An Efficient and Robust Ray-Box Intersection Algorithm", 2005. */
static bool box_ray(const struct hit_volume *volume, const double m[3], const double d[3], struct volume_entry *out)
{
    double axes[9], in = 0, away = HUGE_VAL;
    int side = -1;
    volume_axes(volume, axes);
    for (int i = 0; i < 3; i++) {
        const double half = (double)volume->half[i], o = dot3(m, axes + 3 * i), v = dot3(d, axes + 3 * i);
        if (!(fabs(v) > 0)) {
            if (fabs(o) > half)
                return false;
            continue;
        }
        const double near = (v > 0 ? -half - o : half - o) / v, far = (v > 0 ? half - o : -half - o) / v;
        if (near >= in) {
            in = near;
            side = i;
        }
        away = fmin(away, far);
    }
    if (side < 0 || in > away)
        return false;
    const double sign = dot3(d, axes + 3 * side) > 0 ? -1 : 1;
    out->t = in;
    for (int i = 0; i < 3; i++)
        out->normal[i] = sign * axes[3 * side + i];
    return true;
}

bool volume_ray(const struct hit_volume *volume, const double origin[3], const double direction[3],
                struct volume_entry *out)
{
    double m[3], axis[3];
    minus(origin, volume->center, m);
    *out = (struct volume_entry){.is_inside = volume_contains(volume, origin)};
    bool is_hit = out->is_inside;
    if (!is_hit && volume->kind == VOLUME_BOX)
        is_hit = box_ray(volume, m, direction, out);
    else if (!is_hit) {
        capsule_axis(volume, axis);
        is_hit = capsule_ray(axis, (double)volume->radius, m, direction, out);
    }
    if (is_hit && (out->is_inside || !(dot3(out->normal, out->normal) > 0)))
        for (int i = 0; i < 3; i++)
            out->normal[i] = -direction[i];
    return is_hit;
}

bool volume_capsule_ray(const double begin[3], const double end[3], double radius, const double origin[3],
                        const double direction[3], double *t)
{
    const double axis[3] = {end[0] - begin[0], end[1] - begin[1], end[2] - begin[2]};
    const double m[3] = {origin[0] - begin[0], origin[1] - begin[1], origin[2] - begin[2]};
    struct volume_entry entry;
    if (!capsule_ray(axis, radius, m, direction, &entry))
        return false;
    *t = entry.t;
    return true;
}
