/* volume.h - one solid of anim/model/model.h in its own space: what is in it, and where a ray enters it.
 *
 * Pure; any thread. All in double precision, in the joint's space; a volume's floats are taken as they are, the
 * rotation of a box is made unit first. Volumes are solid and closed: their surface belongs to them. */
#pragma once

#include "anim/model/mat.h"

#include <stdbool.h>

/* Where a ray enters. */
struct volume_entry {
    double t;         /* origin + t * direction, >= 0 */
    double normal[3]; /* outwards, of no particular length; of an origin in the volume: against the direction */
    bool is_inside;   /* the origin is in the volume: t is 0 */
};

/* "capsule" */
const char *volume_kind_name(enum volume_kind kind);

/* joint_from_box of a box, as a matrix whose columns are its axes: column c is out + 3 * c. */
void volume_axes(const struct hit_volume *volume, double out[9]);

bool volume_contains(const struct hit_volume *volume, const double point[3]);

/* The ball around a volume: of a capsule and of a box the smallest that is centred in its middle. */
void volume_ball(const struct hit_volume *volume, double center[3], double *radius);

/* Whether the ray meets the volume, and where first. direction: not zero, of any length. */
bool volume_ray(const struct hit_volume *volume, const double origin[3], const double direction[3],
                struct volume_entry *out);

/* The same of a capsule between two points that the origin is not in: *t alone. */
bool volume_capsule_ray(const double begin[3], const double end[3], double radius, const double origin[3],
                        const double direction[3], double *t);
