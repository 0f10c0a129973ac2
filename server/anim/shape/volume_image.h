/* volume_image.h - the image of a volume under an affine map: its shape in the world, which may be scaled and sheared.
 * Finds its nearest point to another, and where a moving ball touches it.
 *
 * The image is the set of the images of all points of the volume. It is convex, and so is the distance from a point
 * that moves along a line. Pure; any thread. */
#pragma once

#include "anim/shape/volume.h"

struct volume_image {
    const struct hit_volume *volume;
    struct dmat4 world_from_joint; /* affine */
    /* private: the ball of a capsule or a sphere becomes an ellipsoid with these axes (columns, unit) and half axes */
    double axes[9], half_axes[3];
};

void volume_image_init(struct volume_image *image, const struct hit_volume *volume,
                       const struct dmat4 *world_from_joint);

/* Returns the distance of the point from the image, 0 inside it. *nearest: the nearest point of the image. */
double volume_image_distance(const struct volume_image *image, const double point[3], double nearest[3]);

/* Finds where a ball, whose centre moves from `origin` along `direction` (unit), first touches the image. False: not up
 * to t = most. out->t: the distance that the centre has moved. normal: unit, from `touched` to the centre. Where the
 * ball touches from the start, t is 0. Where its centre is inside the image too, touched is the origin and the normal
 * is against the direction. */
bool volume_image_sweep(const struct volume_image *image, const double origin[3], const double direction[3],
                        double radius, double most, struct volume_entry *out, double touched[3]);
