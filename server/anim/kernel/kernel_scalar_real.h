/* kernel_scalar_real.h - matrices of one lane and their product, in one precision. A template for kernel_scalar.c,
 * which defines REAL (float or double) and NAME() and includes it. */
#define ROTATION NAME(matrix_of_rotation)
#include "anim/kernel/kernel_rotation.h"

/* m: three rows of 4. */
static void NAME(rows_of_parts)(const struct parts *parts, REAL m[12])
{
    REAL q[4], turned[9];
    for (int i = 0; i < 4; i++)
        q[i] = (REAL)parts->rotation[i];
    NAME(matrix_of_rotation)(q, turned);
    for (int i = 0; i < 9; i++) {
        const REAL element = parts->is_turned ? turned[i] : (REAL)parts->matrix[i];
        m[i / 3 * 4 + i % 3] = parts->is_scaled ? element * (REAL)parts->scale[i % 3] : element;
    }
    for (int r = 0; r < 3; r++)
        m[4 * r + 3] = (REAL)parts->translation[r];
}

/* out = a * b for affine matrices; out may be b. */
static void NAME(multiply)(const REAL *a, const REAL *b, REAL *out)
{
    REAL product[12];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            product[4 * r + c] =
                (a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c]) + (a[4 * r + 2] * b[8 + c] + (c == 3 ? a[4 * r + 3] : 0));
    memcpy(out, product, sizeof product);
}
#undef REAL
#undef NAME
