/* triangle.h - rays and moving balls at a triangle, from both sides. Pure; any thread; double precision.
 *
 * Triangles have three corners, struct double[3][3]; barycentric coordinates are the shares of the corners, in their
 * order, with the sum 1. */
#pragma once

#include "anim/model/mat.h"

#include <stdbool.h>

/* A ray made ready for many triangles. */
struct triangle_ray {
    double origin[3], direction[3]; /* unit */
    int axis[3];                    /* private */
    double shear[3];
};

struct triangle_entry {
    double t; /* >= 0 */
    double barycentric[3];
    double
        normal[3]; /* unit; towards the side that the ray comes from, of a ball from the touched point to its middle */
    double touched[3]; /* on the triangle */
};

void triangle_ray_init(struct triangle_ray *ray, const double origin[3], const double direction[3]);

/* Where the ray passes through the triangle, its edges and corners included. Of two triangles with a common edge at
 * least one is hit where the ray passes between them. A triangle without area, or seen from the edge, is not. */
bool triangle_hit(const struct triangle_ray *ray, const double corners[3][3], struct triangle_entry *out);

/* The point of the triangle that is nearest to `point`. Returns the distance. */
double triangle_nearest(const double corners[3][3], const double point[3], double barycentric[3], double nearest[3]);

/* Where a ball first touches the triangle whose middle goes along the ray; t 0 where it does from the start. */
bool triangle_sweep(const struct triangle_ray *ray, double radius, const double corners[3][3],
                    struct triangle_entry *out);
