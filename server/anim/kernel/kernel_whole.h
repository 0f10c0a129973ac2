/* kernel_whole.h - makes matrices of whole local transforms in double precision, four at once, for kernel_*.c. It does
 * the operations of kernel_scalar.c in the same order. */
#include "anim/kernel/kernel_simd.h"

KERNEL_INLINE void f64x4_transpose(const double *const from[4], size_t first, f64x4 out[4])
{
    f64x4 a, b, c, d;
    memcpy(&a, from[0] + first, sizeof a);
    memcpy(&b, from[1] + first, sizeof b);
    memcpy(&c, from[2] + first, sizeof c);
    memcpy(&d, from[3] + first, sizeof d);
    const f64x4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const f64x4 cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

/* The columns come by address: without AVX, gcc notes that it passes such vectors in another way than old versions. */
KERNEL_INLINE void whole_row(const f64x4 columns[4], size_t row, float *const to[4])
{
    f32x4 rows[4];
    f32x4_transpose(__builtin_convertvector(columns[0], f32x4), __builtin_convertvector(columns[1], f32x4),
                    __builtin_convertvector(columns[2], f32x4), __builtin_convertvector(columns[3], f32x4), rows);
    for (int i = 0; i < 4; i++)
        f32x4_store(to[i] + 4 * row, rows[i]);
}

typedef int64_t bits64x4 __attribute__((vector_size(32)));

KERNEL_INLINE bool bits64x4_are_all(const bits64x4 *bits)
{
#ifdef __AVX__
    return _mm256_movemask_pd((__m256d)*bits) == 15;
#else
    return ((*bits)[0] & (*bits)[1] & (*bits)[2] & (*bits)[3]) != 0;
#endif
}

/* Replaces the factors of rotations that are not of unit length. */
KERNEL_INLINE void whole_other_factors(const f64x4 *square, const bits64x4 *is_unit, f64x4 *factor)
{
    const bits64x4 is_kept = (*square >= KERNEL_KEPT_LEAST) & (*square <= KERNEL_KEPT_MOST);
    const f64x4 two = {2, 2, 2, 2}, quotient = two / *square;
    const bits64x4 other = (is_kept & (bits64x4)two) | (~is_kept & (bits64x4)quotient);
    *factor = (f64x4)((*is_unit & (bits64x4)*factor) | (~*is_unit & other));
}

static void whole(const double *const from[KERNEL_WHOLE], float *const to[KERNEL_WHOLE])
{
    f64x4 t[4], q[4], s[4];
    f64x4_transpose(from, 0, t);
    f64x4_transpose(from, 3, q);
    f64x4_transpose(from, 6, s); /* s[1] to s[3] */
    const f64x4 square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], error = square - 1;
    const bits64x4 is_unit = (error <= KERNEL_UNIT_ERROR) & (error >= -KERNEL_UNIT_ERROR);
    f64x4 factor = 2 - 2 * error + 2 * error * error;
    if (!bits64x4_are_all(&is_unit))
        whole_other_factors(&square, &is_unit, &factor);
    const f64x4 x = factor * q[0], y = factor * q[1], z = factor * q[2];
    const f64x4 xx = x * q[0], yy = y * q[1], zz = z * q[2], xy = x * q[1], xz = x * q[2], yz = y * q[2];
    const f64x4 xw = x * q[3], yw = y * q[3], zw = z * q[3];
    const f64x4 matrix[3][4] = {{(1 - (yy + zz)) * s[1], (xy - zw) * s[2], (xz + yw) * s[3], t[0]},
                                {(xy + zw) * s[1], (1 - (xx + zz)) * s[2], (yz - xw) * s[3], t[1]},
                                {(xz - yw) * s[1], (yz + xw) * s[2], (1 - (xx + yy)) * s[3], t[2]}};
    for (size_t row = 0; row < 3; row++)
        whole_row(matrix[row], row, to);
}
