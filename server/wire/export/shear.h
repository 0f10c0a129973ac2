/* shear.h - decomposes a shearing matrix into two that do not shear. Private to server/wire. Pure. */
#pragma once

#include "anim/model/mat.h"

/* matrix = translation * outer_rotation * scale * inner_rotation. */
struct shear_parts {
    float translation[3], outer_rotation[4], scale[3], inner_rotation[4];
};

/* Decomposes an affine `matrix` by the singular value decomposition of its 3x3 part, with one-sided Jacobi rotations
 * (M. R. Hestenes, "Inversion of matrices by biorthogonalization and related results", 1958). One scale of a mirroring
 * matrix is negative. */
void shear_take_apart(const struct mat4 *matrix, struct shear_parts *out);
