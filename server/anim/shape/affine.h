/* affine.h - affine 4x4 matrices: inverse, stretch, interpolation. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"

#include <stdbool.h>

/* Inverts an affine matrix by its cofactors. False, with *out undefined, where its determinant is 0 or an element of
 * the inverse is not finite: a flat image has no inside. */
bool affine_invert(const struct dmat4 *m, struct dmat4 *out);

/* Returns a tight upper bound of the factor by which the matrix lengthens a vector: the root of the largest row sum of
 * transpose(L) * L (S. A. Gershgorin, 1931). */
double affine_stretch(const struct dmat4 *m);

/* Interpolates a + u * (b - a) as (1 - u) * a + u * b, element by element, so that every point moves straight from one
 * image to the other. */
void affine_between(const struct dmat4 *a, const struct dmat4 *b, double u, struct dmat4 *out);

/* world * m, where m is the upper three rows of an affine matrix, row by row (LAYOUT_MAT3X4). */
void affine_times_rows(const struct dmat4 *world, const float rows[12], struct dmat4 *out);
