/* volume_image.c - nearest points of ellipsoids, swept ellipsoids and parallelepipeds; Newton's iteration on the
 * distance of a moving ball. */
#include "anim/shape/volume_image.h"

#include "anim/shape/eigen3.h"

#include <string.h>

void volume_image_init(struct volume_image *image, const struct hit_volume *volume,
                       const struct dmat4 *world_from_joint)
{
    image->volume = volume;
    image->world_from_joint = *world_from_joint;
    if (volume->kind == VOLUME_BOX)
        return;
    const double *m = world_from_joint->m, radius = (double)volume->radius;
    double square[9]; /* the eigenvectors of L * transpose(L) are the axes of L * ball, the eigenvalues their squares */
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            square[3 * c + r] = m[r] * m[c] + m[4 + r] * m[4 + c] + m[8 + r] * m[8 + c];
    eigen3(square, image->axes);
    for (int i = 0; i < 3; i++)
        image->half_axes[i] = radius * sqrt(fmax(square[4 * i], 0));
}

/* --- ellipsoids --- */

/* Finds the nearest point to q of the ellipsoid with these half axes along x, y, z. It is q inside, else x_i = e_i^2
 * q_i / (e_i^2 + s) with the s > 0 for which it lies on the surface (D. Eberly, "Distance from a Point to an Ellipse,
 * an Ellipsoid, or a Hyperellipsoid", 2013). The sum of squares falls and is convex in s, so Newton's iteration rises
 * to its root from the left. */
static void nearest_in_ellipsoid(const double e[3], const double q[3], double x[3])
{
    enum { STEPS_MAX = 64 };
    double sum = 0, s = 0;
    for (int i = 0; i < 3; i++) {
        sum += e[i] > 0 ? (q[i] / e[i]) * (q[i] / e[i]) : 0;
        s = fmax(s, e[i] * (fabs(q[i]) - e[i]));
    }
    for (int i = 0; i < 3; i++)
        x[i] = e[i] > 0 ? q[i] : 0;
    if (sum <= 1)
        return;
    for (int step = 0; step < STEPS_MAX; step++) {
        double value = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            const double capacity = e[i] * e[i] + s, part = e[i] > 0 ? e[i] * q[i] / capacity : 0;
            x[i] = e[i] * part;
            value += part * part;
            slope -= e[i] > 0 ? 2 * part * part / capacity : 0;
        }
        const double next = s - value / slope;
        if (!(value > 1e-15) || !(next > s))
            return;
        s = next;
    }
}

static void to_axes(const struct volume_image *image, const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = dot3(v, image->axes + 3 * i);
}

static double apart(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
    return sqrt(dot3(out, out));
}

/* --- capsules: an ellipsoid whose centre moves from 0 to `axis`; q and axis along the ellipsoid's axes --- */

/* Returns the derivative by s of the distance of q from the ellipsoid at s; 0 where q is inside. */
static double slope_at(const double e[3], const double q[3], const double axis[3], double s, double x[3])
{
    double off[3], rest[3];
    for (int i = 0; i < 3; i++)
        off[i] = q[i] - s * axis[i];
    nearest_in_ellipsoid(e, off, x);
    const double distance = apart(off, x, rest);
    for (int i = 0; i < 3; i++)
        x[i] += s * axis[i];
    return distance > 0 ? -dot3(rest, axis) / distance : 0;
}

/* The distance is convex in s, so its slope rises. The Illinois method (M. Dowell and P. Jarratt, 1971) finds the root
 * of the slope between two ends. */
static void nearest_in_capsule(const double e[3], const double q[3], const double axis[3], double x[3])
{
    enum { STEPS_MAX = 100 };
    double low = 0, high = 1, at_low = slope_at(e, q, axis, 0, x);
    if (!(at_low < 0))
        return;
    double at_high = slope_at(e, q, axis, 1, x);
    if (!(at_high > 0))
        return;
    int last = 0;
    for (int step = 0; step < STEPS_MAX && high - low > 1e-16; step++) {
        double s = low - at_low * (high - low) / (at_high - at_low);
        if (!(s > low && s < high) || step % 8 == 7)
            s = low + (high - low) / 2;
        const double slope = slope_at(e, q, axis, s, x);
        if (!(fabs(slope) > 1e-15 * (at_high - at_low)) || s <= low || s >= high)
            return;
        if (slope < 0) {
            low = s;
            at_low = slope;
            at_high /= last == -1 ? 2 : 1;
            last = -1;
        } else {
            high = s;
            at_high = slope;
            at_low /= last == 1 ? 2 : 1;
            last = 1;
        }
    }
}

static double capsule_distance(const struct volume_image *image, const double point[3], double nearest[3])
{
    const double begin[3] = {(double)image->volume->center[0], (double)image->volume->center[1],
                             (double)image->volume->center[2]};
    const double length[3] = {(double)image->volume->end[0] - begin[0], (double)image->volume->end[1] - begin[1],
                              (double)image->volume->end[2] - begin[2]};
    double middle[3], axis[3], from[3], q[3], axis_along[3], x[3], rest[3];
    dmat4_point(&image->world_from_joint, begin, middle);
    dmat4_direction(&image->world_from_joint, length, axis);
    apart(point, middle, from);
    to_axes(image, from, q);
    to_axes(image, axis, axis_along);
    if (dot3(axis, axis) > 0)
        nearest_in_capsule(image->half_axes, q, axis_along, x);
    else
        nearest_in_ellipsoid(image->half_axes, q, x);
    const double distance = apart(q, x, rest);
    for (int i = 0; i < 3; i++)
        nearest[i] = middle[i] + x[0] * image->axes[i] + x[1] * image->axes[3 + i] + x[2] * image->axes[6 + i];
    return distance;
}

/* --- boxes: a parallelepiped with half edges a, b, c (columns of `edges`) around 0 --- */

/* Sets x[free..] of the free columns so that edges * x is nearest to q, by the normal equations and Cramer's rule.
 * False where the columns are not independent. */
static bool solve_free(const double edges[9], const int *free, int count, const double q[3], double x[3])
{
    double g[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, b[3] = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            g[i][j] = dot3(edges + 3 * free[i], edges + 3 * free[j]);
        b[i] = dot3(edges + 3 * free[i], q);
    }
    const double whole = determinant3(g[0], g[1], g[2]);
    if (!(whole > 0))
        return false;
    for (int i = 0; i < count; i++) {
        double column[3][3];
        memcpy(column, g, sizeof column);
        memcpy(column[i], b, sizeof b); /* g is symmetric: rows are columns */
        x[free[i]] = determinant3(column[0], column[1], column[2]) / whole;
        if (!(fabs(x[free[i]]) <= 1))
            return false;
    }
    return true;
}

/* Each coordinate of the nearest point is at one of its ends or free. Of all 27 cases the best one inside the box wins.
 */
static double box_distance(const struct volume_image *image, const double point[3], double nearest[3])
{
    const struct hit_volume *volume = image->volume;
    const double center[3] = {(double)volume->center[0], (double)volume->center[1], (double)volume->center[2]};
    double axes[9], edges[9], middle[3], from[3], best = HUGE_VAL;
    volume_axes(volume, axes);
    dmat4_point(&image->world_from_joint, center, middle);
    for (int i = 0; i < 3; i++) {
        const double half = (double)volume->half[i];
        const double edge[3] = {half * axes[3 * i], half * axes[3 * i + 1], half * axes[3 * i + 2]};
        dmat4_direction(&image->world_from_joint, edge, edges + 3 * i);
    }
    apart(point, middle, from);
    for (int way = 0; way < 27; way++) {
        const int states[3] = {way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1};
        int free[3], count = 0;
        double x[3], q[3], at[3], rest[3];
        memcpy(q, from, sizeof q);
        for (int i = 0; i < 3; i++) {
            x[i] = states[i];
            if (states[i] == 0)
                free[count++] = i;
            for (int k = 0; k < 3; k++)
                q[k] -= x[i] * edges[3 * i + k];
        }
        if (count > 0 && !solve_free(edges, free, count, q, x))
            continue;
        for (int k = 0; k < 3; k++)
            at[k] = x[0] * edges[k] + x[1] * edges[3 + k] + x[2] * edges[6 + k];
        const double distance = count == 3 ? 0 : apart(from, at, rest);
        if (distance < best) {
            best = distance;
            for (int k = 0; k < 3; k++)
                nearest[k] = middle[k] + at[k];
        }
    }
    return best;
}

double volume_image_distance(const struct volume_image *image, const double point[3], double nearest[3])
{
    return image->volume->kind == VOLUME_BOX ? box_distance(image, point, nearest)
                                             : capsule_distance(image, point, nearest);
}

/* --- balls --- */

/* The distance along the way is convex. From the left, where it is too large, Newton's steps never pass its root, and
 * where it no longer falls there is no root. */
bool volume_image_sweep(const struct volume_image *image, const double origin[3], const double direction[3],
                        double radius, double most, struct volume_entry *out, double touched[3])
{
    enum { STEPS_MAX = 200 };
    double t = 0;
    *out = (struct volume_entry){.t = 0};
    for (int step = 0; step < STEPS_MAX && t <= most; step++) {
        double middle[3], away[3], size = radius;
        for (int i = 0; i < 3; i++) {
            middle[i] = origin[i] + t * direction[i];
            size = fmax(size, fabs(middle[i]));
        }
        const double distance = volume_image_distance(image, middle, touched);
        if (!(distance < HUGE_VAL))
            return false;
        apart(middle, touched, away);
        const double length = sqrt(dot3(away, away)), gap = distance - radius;
        for (int i = 0; i < 3; i++)
            out->normal[i] = distance > 0 && length > 0 ? away[i] / length : -direction[i];
        if (gap <= 1e-14 * size) {
            out->is_inside = step == 0 && gap <= 0;
            out->t = t;
            return true;
        }
        const double slope = dot3(out->normal, direction);
        if (!(slope < 0))
            return false;
        t += gap / -slope;
    }
    return false;
}
