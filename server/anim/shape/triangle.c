/* triangle.c - S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle Intersection", 2013, for rays; planes, edges and
 * corners for balls. */
#include "anim/shape/triangle.h"

#include "anim/shape/volume.h"

#include <string.h>

void triangle_ray_init(struct triangle_ray *ray, const double origin[3], const double direction[3])
{
    memcpy(ray->origin, origin, sizeof ray->origin);
    memcpy(ray->direction, direction, sizeof ray->direction);
    int z = 0;
    for (int i = 1; i < 3; i++)
        z = fabs(direction[i]) > fabs(direction[z]) ? i : z;
    ray->axis[0] = (z + 1) % 3;
    ray->axis[1] = (z + 2) % 3;
    ray->axis[2] = z;
    ray->shear[0] = direction[ray->axis[0]] / direction[z];
    ray->shear[1] = direction[ray->axis[1]] / direction[z];
    ray->shear[2] = 1 / direction[z];
}

/* Computes the unit normal towards the side that the ray comes from; false for a triangle without area. */
static bool facing_normal(const double corners[3][3], const double direction[3], double normal[3])
{
    double ab[3], ac[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = corners[1][i] - corners[0][i];
        ac[i] = corners[2][i] - corners[0][i];
    }
    cross3(ab, ac, normal);
    if (!(unit3(normal) > 0))
        return false;
    const double sign = dot3(normal, direction) > 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        normal[i] *= sign;
    return true;
}

static void put_point(const double corners[3][3], struct triangle_entry *out)
{
    for (int i = 0; i < 3; i++)
        out->touched[i] = out->barycentric[0] * corners[0][i] + out->barycentric[1] * corners[1][i] +
                          out->barycentric[2] * corners[2][i];
}

bool triangle_hit(const struct triangle_ray *ray, const double corners[3][3], struct triangle_entry *out)
{
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        z[i] = corners[i][ray->axis[2]] - ray->origin[ray->axis[2]];
        x[i] = corners[i][ray->axis[0]] - ray->origin[ray->axis[0]] - ray->shear[0] * z[i];
        y[i] = corners[i][ray->axis[1]] - ray->origin[ray->axis[1]] - ray->shear[1] * z[i];
    }
    const double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))
        return false;
    const double sum = u + v + w;
    if (!(fabs(sum) > 0))
        return false;
    out->t = (u * z[0] + v * z[1] + w * z[2]) * ray->shear[2] / sum;
    if (!(out->t >= 0) || !(out->t < HUGE_VAL))
        return false;
    out->barycentric[0] = u / sum;
    out->barycentric[1] = v / sum;
    out->barycentric[2] = w / sum;
    put_point(corners, out);
    return facing_normal(corners, ray->direction, out->normal);
}

/* --- balls --- */

static double near_edge(const double a[3], const double b[3], const double point[3], double *share)
{
    double ab[3], ap[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i];
        ap[i] = point[i] - a[i];
    }
    const double length2 = dot3(ab, ab);
    *share = length2 > 0 ? fmin(fmax(dot3(ap, ab) / length2, 0), 1) : 0;
    double rest2 = 0;
    for (int i = 0; i < 3; i++)
        rest2 += (ap[i] - *share * ab[i]) * (ap[i] - *share * ab[i]);
    return rest2;
}

/* Computes the barycentric coordinates of `point` projected along the normal; false outside the triangle. */
static bool over_face(const double corners[3][3], const double point[3], double barycentric[3])
{
    double ab[3], ac[3], ap[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = corners[1][i] - corners[0][i];
        ac[i] = corners[2][i] - corners[0][i];
        ap[i] = point[i] - corners[0][i];
    }
    double normal[3], part[3];
    cross3(ab, ac, normal);
    const double area2 = dot3(normal, normal);
    if (!(area2 > 0))
        return false;
    cross3(ap, ac, part);
    barycentric[1] = dot3(part, normal) / area2;
    cross3(ab, ap, part);
    barycentric[2] = dot3(part, normal) / area2;
    barycentric[0] = 1 - barycentric[1] - barycentric[2];
    return barycentric[0] >= 0 && barycentric[1] >= 0 && barycentric[2] >= 0;
}

static void edge_barycentric(int edge, double share, double barycentric[3])
{
    barycentric[0] = barycentric[1] = barycentric[2] = 0;
    barycentric[edge] = 1 - share;
    barycentric[(edge + 1) % 3] += share;
}

double triangle_nearest(const double corners[3][3], const double point[3], double barycentric[3], double nearest[3])
{
    struct triangle_entry at = {.barycentric = {1, 0, 0}}; /* no edge is near, because a coordinate is NaN */
    if (!over_face(corners, point, at.barycentric)) {
        double best = HUGE_VAL;
        for (int e = 0; e < 3; e++) {
            double share;
            const double rest2 = near_edge(corners[e], corners[(e + 1) % 3], point, &share);
            if (rest2 < best) {
                best = rest2;
                edge_barycentric(e, share, at.barycentric);
            }
        }
    }
    put_point(corners, &at);
    memcpy(barycentric, at.barycentric, sizeof at.barycentric);
    memcpy(nearest, at.touched, sizeof at.touched);
    const double off[3] = {point[0] - nearest[0], point[1] - nearest[1], point[2] - nearest[2]};
    return sqrt(dot3(off, off));
}

/* Finds where the ball's centre meets the plane `radius` in front of the triangle, over its face. */
static bool sweep_face(const struct triangle_ray *ray, double radius, const double corners[3][3], double *t)
{
    double normal[3], from[3], at[3], barycentric[3];
    if (!facing_normal(corners, ray->direction, normal))
        return false;
    for (int i = 0; i < 3; i++)
        from[i] = ray->origin[i] - corners[0][i];
    const double fall = -dot3(normal, ray->direction), height = dot3(normal, from) - radius;
    if (!(fall > 0) || !(height >= 0))
        return false;
    *t = height / fall;
    for (int i = 0; i < 3; i++)
        at[i] = ray->origin[i] + *t * ray->direction[i];
    return over_face(corners, at, barycentric);
}

bool triangle_sweep(const struct triangle_ray *ray, double radius, const double corners[3][3],
                    struct triangle_entry *out)
{
    out->t = 0;
    if (!(triangle_nearest(corners, ray->origin, out->barycentric, out->touched) <= radius)) {
        double t;
        bool is_hit = false;
        if (sweep_face(ray, radius, corners, &t)) {
            is_hit = true;
            out->t = t;
        }
        for (int e = 0; e < 3; e++)
            if (volume_capsule_ray(corners[e], corners[(e + 1) % 3], radius, ray->origin, ray->direction, &t) &&
                (!is_hit || t < out->t)) {
                is_hit = true;
                out->t = t;
            }
        if (!is_hit)
            return false;
    }
    double middle[3];
    for (int i = 0; i < 3; i++)
        middle[i] = ray->origin[i] + out->t * ray->direction[i];
    triangle_nearest(corners, middle, out->barycentric, out->touched);
    for (int i = 0; i < 3; i++)
        out->normal[i] = middle[i] - out->touched[i];
    if (!(unit3(out->normal) > 0))
        for (int i = 0; i < 3; i++)
            out->normal[i] = -ray->direction[i];
    return true;
}
