/* dualquat_palette.h - the palette of a skin as dual quaternions, with signs that a shader can blend. Pure; any thread.
 *
 * A dual quaternion and its negative are the same motion, but a blend of two needs both in one hemisphere. A joint's is
 * in that of the nearest joint of the same skin above it; the topmost have the sign of dualquat_from_matrix(). */
#pragma once

#include "anim/model/model.h"
#include "anim/pose/dualquat.h"

enum { DUALQUAT_FLOATS = 8 };

/* Of one skin: in which order its joints get their signs, and from whom. */
struct dualquat_signs {
    uint32_t *order; /* [joint_count of the skin]: whoever is above before who is below */
    uint32_t *above; /* [joint_count of the skin]: the nearest joint of the skin above, or UINT32_MAX */
};

/* How many uint32_t dualquat_signs_find() takes as scratch. */
size_t dualquat_signs_scratch(const struct model *model, uint32_t skin);
/* Fills signs->order and signs->above, which are the caller's. */
void dualquat_signs_find(const struct dualquat_signs *signs, const struct model *model, uint32_t skin,
                         uint32_t *scratch);

/* out: DUALQUAT_FLOATS a joint, in the skin's order: real x y z w, dual x y z w. palette: [joint_count of the skin],
 * rigid matrices. Returns 0, or ERR_NOT_RIGID naming the joint. */
int dualquat_palette(const struct dualquat_signs *signs, const struct model *model, uint32_t skin,
                     const struct mat4 *palette, float *out, struct err *err);
