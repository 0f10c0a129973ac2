/* layout.c - stores matrices as floats. */
#include "anim/pose/layout.h"

#include <string.h>

size_t layout_store_matrix(const struct mat4 *matrix, enum layout layout, float out[LAYOUT_FLOATS_MAX])
{
    if (layout == LAYOUT_MAT4) {
        memcpy(out, matrix->m, sizeof matrix->m);
        return 16;
    }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            out[4 * row + column] = matrix->m[4 * column + row];
    return 12;
}

const char *layout_name(enum layout layout)
{
    static const char *const NAMES[] = {
        [LAYOUT_MAT4] = "mat4", [LAYOUT_MAT3X4] = "mat3x4", [LAYOUT_DUALQUAT] = "dualquat"};
    return NAMES[layout];
}
