/* layout.h - the layouts of a pose's matrix as floats. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"

#include <stddef.h>
#include <stdint.h>

/* mat4: 4x4, column-major. mat3x4: the upper three rows, row by row. dualquat: real x y z w, dual x y z w. */
enum layout { LAYOUT_MAT4, LAYOUT_MAT3X4, LAYOUT_DUALQUAT };
/* "mat4" */
const char *layout_name(enum layout layout);
/* Returns 16, 12 or 8. */
static inline uint32_t layout_floats(enum layout layout)
{
    return layout == LAYOUT_MAT4 ? 16 : layout == LAYOUT_MAT3X4 ? 12 : 8;
}
enum { LAYOUT_FLOATS_MAX = 16 };
/* Stores the matrix in `layout`, which is not LAYOUT_DUALQUAT. Returns the number of floats, 16 or 12. */
size_t layout_store_matrix(const struct mat4 *matrix, enum layout layout, float out[LAYOUT_FLOATS_MAX]);
