/* dualquat_palette.h - the palette of a skin as dual quaternions, with signs that a shader can blend. Pure; any thread.
 *
 * A dual quaternion and its negative are the same motion, but to blend two, both must be in one hemisphere. Each
 * joint's is in the hemisphere of its nearest ancestor joint in the same skin. Topmost joints have the sign of
 * dualquat_from_matrix(). */
#pragma once

#include "anim/model/model.h"
#include "anim/pose/dualquat.h"

enum { DUALQUAT_FLOATS = 8 };

/* The order in which the joints of a skin get their signs, and the joint from which each gets it. */
struct dualquat_signs {
    uint32_t *order; /* [joint_count of the skin]: ancestors first */
    uint32_t *above; /* [joint_count of the skin]: nearest ancestor in the skin, or UINT32_MAX */
};

/* Returns the number of uint32_t of scratch memory that dualquat_signs_find() needs. */
size_t dualquat_signs_scratch(const struct model *model, uint32_t skin);
/* Fills signs->order and signs->above, which the caller owns. */
void dualquat_signs_find(const struct dualquat_signs *signs, const struct model *model, uint32_t skin,
                         uint32_t *scratch);

/* out: DUALQUAT_FLOATS a joint, in the skin's order: real x y z w, dual x y z w. palette: [joint_count of the skin],
 * rigid matrices. Returns 0, or ERR_NOT_RIGID naming the joint. */
int dualquat_palette(const struct dualquat_signs *signs, const struct model *model, uint32_t skin,
                     const struct mat4 *palette, float *out, struct err *err);
