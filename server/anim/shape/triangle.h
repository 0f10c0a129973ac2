/* triangle.h - tests rays and moving balls against a triangle, from both sides. Pure; any thread; double precision.
 *
 * A triangle is three corners, double[3][3]. Barycentric coordinates are the shares of the corners, in their order,
 * with the sum 1. */
#pragma once

#include "anim/model/mat.h"

#include <stdbool.h>

/* A ray prepared for many triangles. */
struct triangle_ray {
    double origin[3], direction[3]; /* unit */
    int axis[3];                    /* private */
    double shear[3];
};

struct triangle_entry {
    double t; /* >= 0 */
    double barycentric[3];
    double normal[3];  /* unit; towards the side that the ray comes from, or from the touched point to the centre of the
                          ball */
    double touched[3]; /* on the triangle */
};

void triangle_ray_init(struct triangle_ray *ray, const double origin[3], const double direction[3]);

/* Finds where the ray passes through the triangle, including its edges and corners. Of two triangles with a common edge
 * at least one is hit where the ray passes between them. A triangle without area, or seen from the edge, is never hit.
 */
bool triangle_hit(const struct triangle_ray *ray, const double corners[3][3], struct triangle_entry *out);

/* Finds the point of the triangle nearest to `point`. Returns the distance. */
double triangle_nearest(const double corners[3][3], const double point[3], double barycentric[3], double nearest[3]);

/* Finds where a ball, whose centre moves along the ray, first touches the triangle; t is 0 where it does from the
 * start. */
bool triangle_sweep(const struct triangle_ray *ray, double radius, const double corners[3][3],
                    struct triangle_entry *out);
