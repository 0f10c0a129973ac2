/* dualquat.h - a rigid motion as a unit dual quaternion, for dual quaternion skinning. Pure; any thread.
 *
 * real = the rotation as a unit quaternion, dual = (t, 0) * real / 2 with t the translation (L. Kavan et al.,
 * "Geometric Skinning with Approximate Dual Quaternion Blending", 2008, section 3). Components are x, y, z, w. A dual
 * quaternion and its negative are the same motion. */
#pragma once

#include "base/err.h"
#include "anim/model/mat.h"

struct dualquat {
    double real[4], dual[4];
};

/* A matrix counts as rigid when its axes differ from length 1, and the cosines between them from 0, by at most this. */
#define DUALQUAT_TOLERANCE 1e-4

/* Converts `m`, with w of the real part >= 0 (for half a turn, the last nonzero component > 0). Returns 0, or
 * ERR_NOT_RIGID when `m` scales, shears or mirrors; the message says which. */
int dualquat_from_matrix(const struct dmat4 *m, struct dualquat *out, struct err *err);

/* Flips the sign of *q if needed, so that its real part has no negative dot product with `real`. */
void dualquat_align_sign(struct dualquat *q, const double real[4]);
