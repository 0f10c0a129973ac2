/* shear.h - a matrix that shears as two that do not. Private to server/wire. Pure. */
#pragma once

#include "anim/model/mat.h"

/* matrix = translation * outer_rotation * scale * inner_rotation. */
struct shear_parts {
    float translation[3], outer_rotation[4], scale[3], inner_rotation[4];
};

/* By the singular value decomposition of the 3x3 part, with one-sided Jacobi rotations (M. R. Hestenes, "Inversion of
 * matrices by biorthogonalization and related results", 1958). Of a mirror one scale is negative. `matrix` is affine.
 */
void shear_take_apart(const struct mat4 *matrix, struct shear_parts *out);
