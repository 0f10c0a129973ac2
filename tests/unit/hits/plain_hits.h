/* plain_hits.h - hits by the simplest methods, for comparison: no trees, no closed forms. Distances to convex solids
 * are minimised along a ray by golden sections, and their zeros are found by bisection. */
#pragma once

#include "anim/hits/hit_scene.h"

/* Random numbers that are the same in every run. */
struct plain_random {
    uint64_t state;
};
double plain_uniform(struct plain_random *random, double low, double high);
/* A random unit vector, uniform over the sphere. */
void plain_direction(struct plain_random *random, double out[3]);
/* A random matrix: rotated, off the origin, scaled by 0.3 to 3 along each axis, sometimes sheared and mirrored. */
void plain_matrix(struct plain_random *random, struct dmat4 *out);
/* A random volume of any kind, within 2 units of the origin. */
void plain_volume(struct plain_random *random, struct hit_volume *out);

/* Returns the depth of a point in a volume, in joint space: above 0 outside, convex. */
double plain_depth(const struct hit_volume *volume, const double point[3]);

/* Finds the first distance up to `most` at which the ray is in the image of the volume. */
bool plain_ray(const struct hit_volume *volume, const struct dmat4 *world_from_joint, const double origin[3],
               const double direction[3], double most, double *distance);

/* Returns the distance of a point from the image of the volume, by iteration. */
double plain_distance(const struct hit_volume *volume, const struct dmat4 *world_from_joint, const double point[3]);

/* Returns the greatest product of a point of the image with `normal`. */
double plain_support(const struct hit_volume *volume, const struct dmat4 *world_from_joint, const double normal[3]);
