/* dualquat.h - a rigid motion as a unit dual quaternion, for dual quaternion skinning. Pure; any thread.
 *
 * real = the rotation as a unit quaternion, dual = (t, 0) * real / 2 with t the translation (L. Kavan et al.,
 * "Geometric Skinning with Approximate Dual Quaternion Blending", 2008, section 3); components x, y, z, w. The two
 * signs of a dual quaternion mean the same motion. */
#pragma once

#include "base/err.h"
#include "anim/model/mat.h"

struct dualquat {
    double real[4], dual[4];
};

/* How far an axis may be from length 1, and the cosine of two axes from 0, in a matrix that counts as rigid. */
#define DUALQUAT_TOLERANCE 1e-4

/* The motion of `m`, with the w of its real part at least 0 (of a half turn, the last component that is not 0). Returns
 * 0, or ERR_NOT_RIGID when `m` scales, shears or mirrors; the message says how. */
int dualquat_from_matrix(const struct dmat4 *m, struct dualquat *out, struct err *err);

/* Gives *q the sign with which its rotation is in the same hemisphere as `real`: no negative scalar product. */
void dualquat_align_sign(struct dualquat *q, const double real[4]);
