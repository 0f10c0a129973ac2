#include "tests/unit/hits/plain_hits.h"

#include <math.h>
#include <string.h>

double plain_uniform(struct plain_random *random, double low, double high)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(random->state >> 11) / 9007199254740992.0;
}

void plain_direction(struct plain_random *random, double out[3])
{
    do
        for (int i = 0; i < 3; i++)
            out[i] = plain_uniform(random, -1, 1);
    while (dot3(out, out) > 1 || dot3(out, out) < 1e-3);
    unit3(out);
}

void plain_matrix(struct plain_random *random, struct dmat4 *out)
{
    struct trs trs;
    for (int i = 0; i < 4; i++)
        trs.rotation[i] = plain_uniform(random, -1, 1);
    quat_normalize(trs.rotation);
    for (int i = 0; i < 3; i++) {
        trs.translation[i] = plain_uniform(random, -5, 5);
        trs.scale[i] = plain_uniform(random, 0.3, 3);
    }
    if (plain_uniform(random, 0, 1) < 0.2)
        trs.scale[1] = -trs.scale[1];
    *out = dmat4_from_trs(&trs);
    if (plain_uniform(random, 0, 1) < 0.3) {
        struct dmat4 shear = DMAT4_IDENTITY;
        shear.m[4] = plain_uniform(random, -0.8, 0.8);
        shear.m[9] = plain_uniform(random, -0.8, 0.8);
        *out = dmat4_mul(out, &shear);
    }
}

void plain_volume(struct plain_random *random, struct hit_volume *out)
{
    *out = (struct hit_volume){.kind = (uint32_t)plain_uniform(random, 0, 3), .rotation = {0, 0, 0, 1}};
    for (int i = 0; i < 3; i++)
        out->center[i] = out->end[i] = (float)plain_uniform(random, -1, 1);
    if (out->kind != VOLUME_BOX)
        out->radius = (float)plain_uniform(random, 0.05, 0.6);
    for (int i = 0; i < 3; i++) {
        if (out->kind == VOLUME_CAPSULE)
            out->end[i] = (float)plain_uniform(random, -1, 1);
        if (out->kind == VOLUME_BOX)
            out->half[i] = (float)plain_uniform(random, 0.05, 0.8);
    }
    for (int i = 0; i < 4 && out->kind == VOLUME_BOX; i++)
        out->rotation[i] = (float)plain_uniform(random, -1, 1);
}

/* --- joint space --- */

/* Columns of the rotation of a box, written out. */
static void box_axes(const struct hit_volume *volume, double axes[3][3])
{
    const double a = (double)volume->rotation[0], b = (double)volume->rotation[1], c = (double)volume->rotation[2],
                 d = (double)volume->rotation[3], n = 2 / (a * a + b * b + c * c + d * d);
    axes[0][0] = 1 - n * (b * b + c * c), axes[1][0] = n * (a * b - c * d), axes[2][0] = n * (a * c + b * d);
    axes[0][1] = n * (a * b + c * d), axes[1][1] = 1 - n * (a * a + c * c), axes[2][1] = n * (b * c - a * d);
    axes[0][2] = n * (a * c - b * d), axes[1][2] = n * (b * c + a * d), axes[2][2] = 1 - n * (a * a + b * b);
}

double plain_depth(const struct hit_volume *volume, const double point[3])
{
    double m[3], axis[3];
    for (int i = 0; i < 3; i++) {
        m[i] = point[i] - (double)volume->center[i];
        axis[i] = (double)volume->end[i] - (double)volume->center[i];
    }
    if (volume->kind == VOLUME_BOX) {
        double axes[3][3], most = -HUGE_VAL;
        box_axes(volume, axes);
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(dot3(m, axes[i])) - (double)volume->half[i]);
        return most;
    }
    const double length2 = dot3(axis, axis);
    double s = length2 > 0 ? dot3(m, axis) / length2 : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int i = 0; i < 3; i++)
        m[i] -= s * axis[i];
    return sqrt(dot3(m, m)) - (double)volume->radius;
}

struct line {
    const struct hit_volume *volume;
    double origin[3], direction[3];
};

static double depth_at(const struct line *line, double t)
{
    double p[3];
    for (int i = 0; i < 3; i++)
        p[i] = line->origin[i] + t * line->direction[i];
    return plain_depth(line->volume, p);
}

bool plain_ray(const struct hit_volume *volume, const struct dmat4 *world_from_joint, const double origin[3],
               const double direction[3], double most, double *distance)
{
    const double GOLDEN = 0.6180339887498949;
    struct dmat4 joint_from_world;
    struct line line = {.volume = volume};
    if (!dmat4_invert(world_from_joint, &joint_from_world))
        return false;
    dmat4_point(&joint_from_world, origin, line.origin);
    dmat4_direction(&joint_from_world, direction, line.direction);
    double low = 0, high = most;
    if (depth_at(&line, 0) <= 0) {
        *distance = 0;
        return true;
    }
    for (int step = 0; step < 120 && depth_at(&line, low) > 0; step++) {
        const double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
        if (depth_at(&line, a) <= 0)
            high = low = a;
        else if (depth_at(&line, b) <= 0)
            high = low = b;
        else if (depth_at(&line, a) < depth_at(&line, b))
            high = b;
        else
            low = a;
    }
    if (depth_at(&line, high) > 0)
        return false;
    for (low = 0; high - low > 1e-15 * high;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (depth_at(&line, middle) <= 0)
            high = middle;
        else
            low = middle;
    }
    *distance = high;
    return true;
}

/* --- world --- */

/* The nearest point of the image of a ball around `middle` (in joint space): of all y = G (G + s)^-1 q on its surface,
 * G = radius^2 L L^T, the s is found by halving. */
static double ball_distance(const double g[9], const double q[3])
{
    double low = 0, high = 1, y[3];
    for (int step = 0; step < 300; step++) {
        const double s = step < 80 && high == 1 ? high : low + (high - low) / 2;
        double m[9], z[3], whole;
        memcpy(m, g, sizeof m);
        for (int i = 0; i < 9; i += 4)
            m[i] += s;
        whole = determinant3(m, m + 3, m + 6);
        for (int i = 0; i < 3; i++) {
            double c[9];
            memcpy(c, m, sizeof c);
            memcpy(c + 3 * i, q, 3 * sizeof *c);
            z[i] = determinant3(c, c + 3, c + 6) / whole;
        }
        double inside = 0; /* y^T G^-1 y = z^T G z */
        for (int r = 0; r < 3; r++) {
            y[r] = g[r] * z[0] + g[3 + r] * z[1] + g[6 + r] * z[2];
            inside += y[r] * z[r];
        }
        if (high == 1 && inside > 1 && s >= 1) {
            high = 2;
            continue;
        }
        if (inside > 1 && s >= high)
            high *= 2;
        else if (inside > 1)
            low = s;
        else
            high = s;
        if (step > 0 && inside > 1 && s == 0)
            low = 0;
    }
    const double off[3] = {q[0] - y[0], q[1] - y[1], q[2] - y[2]};
    return sqrt(dot3(off, off));
}

static double box_distance(const struct hit_volume *volume, const struct dmat4 *m, const double point[3])
{
    double axes[3][3], edges[3][3], x[3] = {0, 0, 0}, q[3];
    const double center[3] = {(double)volume->center[0], (double)volume->center[1], (double)volume->center[2]};
    box_axes(volume, axes);
    dmat4_point(m, center, q);
    for (int i = 0; i < 3; i++) {
        dmat4_direction(m, axes[i], edges[i]);
        q[i] = point[i] - q[i];
    }
    for (int step = 0; step < 4000; step++)
        for (int i = 0; i < 3; i++) { /* the best of one coordinate */
            double rest[3];
            for (int k = 0; k < 3; k++)
                rest[k] = q[k] - x[0] * edges[0][k] - x[1] * edges[1][k] - x[2] * edges[2][k] + x[i] * edges[i][k];
            const double half = (double)volume->half[i], best = dot3(rest, edges[i]) / dot3(edges[i], edges[i]);
            x[i] = best < -half ? -half : best > half ? half : best;
        }
    for (int k = 0; k < 3; k++)
        q[k] -= x[0] * edges[0][k] + x[1] * edges[1][k] + x[2] * edges[2][k];
    return sqrt(dot3(q, q));
}

static double capsule_distance_at(const struct hit_volume *volume, const struct dmat4 *m, const double point[3],
                                  const double g[9], double s)
{
    double at[3], q[3];
    for (int i = 0; i < 3; i++)
        at[i] = (1 - s) * (double)volume->center[i] + s * (double)volume->end[i];
    dmat4_point(m, at, q);
    for (int i = 0; i < 3; i++)
        q[i] = point[i] - q[i];
    return ball_distance(g, q);
}

double plain_distance(const struct hit_volume *volume, const struct dmat4 *world_from_joint, const double point[3])
{
    const double GOLDEN = 0.6180339887498949;
    const double *m = world_from_joint->m, radius = (double)volume->radius;
    struct dmat4 joint_from_world;
    double inside[3], g[9];
    if (dmat4_invert(world_from_joint, &joint_from_world)) {
        dmat4_point(&joint_from_world, point, inside);
        if (plain_depth(volume, inside) <= 0)
            return 0;
    }
    if (volume->kind == VOLUME_BOX)
        return box_distance(volume, world_from_joint, point);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            g[3 * c + r] = radius * radius * (m[r] * m[c] + m[4 + r] * m[4 + c] + m[8 + r] * m[8 + c]);
    double low = 0, high = 1;
    for (int step = 0; step < 60; step++) {
        const double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
        if (capsule_distance_at(volume, world_from_joint, point, g, a) <
            capsule_distance_at(volume, world_from_joint, point, g, b))
            high = b;
        else
            low = a;
    }
    return capsule_distance_at(volume, world_from_joint, point, g, (low + high) / 2);
}

double plain_support(const struct hit_volume *volume, const struct dmat4 *world_from_joint, const double normal[3])
{
    const double *m = world_from_joint->m;
    double back[3], begin[3], end[3], most;
    for (int c = 0; c < 3; c++)
        back[c] = dot3(m + 4 * c, normal);
    for (int i = 0; i < 3; i++) {
        begin[i] = (double)volume->center[i];
        end[i] = (double)volume->end[i];
    }
    most = fmax(dot3(back, begin), dot3(back, end)) + (double)volume->radius * sqrt(dot3(back, back));
    if (volume->kind == VOLUME_BOX) {
        double axes[3][3];
        box_axes(volume, axes);
        for (int i = 0; i < 3; i++)
            most += (double)volume->half[i] * fabs(dot3(back, axes[i]));
    }
    return most + dot3(m + 12, normal);
}
