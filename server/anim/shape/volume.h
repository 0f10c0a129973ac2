/* volume.h - one solid of anim/model/model.h in its own space: which points it contains, and where a ray enters it.
 *
 * Pure; any thread. All is in double precision, in the joint's space. A volume's floats are used unchanged, except that
 * the rotation of a box is normalised. Volumes are solid and closed: they include their surface. */
#pragma once

#include "anim/model/mat.h"

#include <stdbool.h>

/* Where a ray enters. */
struct volume_entry {
    double t;         /* origin + t * direction, >= 0 */
    double normal[3]; /* outwards, any length; where the origin is in the volume, against the direction */
    bool is_inside;   /* the origin is in the volume, and t is 0 */
};

/* "capsule" */
const char *volume_kind_name(enum volume_kind kind);

/* Converts joint_from_box of a box to a matrix whose columns are its axes: column c is out + 3 * c. */
void volume_axes(const struct hit_volume *volume, double out[9]);

bool volume_contains(const struct hit_volume *volume, const double point[3]);

/* Computes a ball around a volume. For a capsule and a box it is the smallest one around its centre. */
void volume_ball(const struct hit_volume *volume, double center[3], double *radius);

/* Finds whether and where the ray first meets the volume. direction: not zero, any length. */
bool volume_ray(const struct hit_volume *volume, const double origin[3], const double direction[3],
                struct volume_entry *out);

/* The same for a capsule between two points, when the origin is outside; sets only *t. */
bool volume_capsule_ray(const double begin[3], const double end[3], double radius, const double origin[3],
                        const double direction[3], double *t);
