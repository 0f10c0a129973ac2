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

KERNEL_INLINE void whole_row(f64x4 a, f64x4 b, f64x4 c, f64x4 t, size_t row, float *const to[4])
{
    f32x4 rows[4];
    f32x4_transpose(__builtin_convertvector(a, f32x4), __builtin_convertvector(b, f32x4),
                    __builtin_convertvector(c, f32x4), __builtin_convertvector(t, f32x4), rows);
    for (int i = 0; i < 4; i++)
        f32x4_store(to[i] + 4 * row, rows[i]);
}

static void whole(const double *const from[KERNEL_WHOLE], float *const to[KERNEL_WHOLE])
{
    typedef long long bits4 __attribute__((vector_size(32)));
    f64x4 t[4], q[4], s[4];
    f64x4_transpose(from, 0, t);
    f64x4_transpose(from, 3, q);
    f64x4_transpose(from, 6, s); /* s[1] to s[3] */
    const f64x4 square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], error = square - 1;
    const bits4 is_unit = (error <= KERNEL_UNIT_ERROR) & (error >= -KERNEL_UNIT_ERROR);
    const bits4 is_kept = (square >= KERNEL_KEPT_LEAST) & (square <= KERNEL_KEPT_MOST);
    const f64x4 unit = 2 - 2 * error + 2 * error * error, two = 2 + (error - error), other = 2 / square;
    const f64x4 factor =
        (f64x4)((is_unit & (bits4)unit) | (~is_unit & is_kept & (bits4)two) | (~is_unit & ~is_kept & (bits4)other));
    const f64x4 x = factor * q[0], y = factor * q[1], z = factor * q[2];
    const f64x4 xx = x * q[0], yy = y * q[1], zz = z * q[2], xy = x * q[1], xz = x * q[2], yz = y * q[2];
    const f64x4 xw = x * q[3], yw = y * q[3], zw = z * q[3];
    whole_row((1 - (yy + zz)) * s[1], (xy - zw) * s[2], (xz + yw) * s[3], t[0], 0, to);
    whole_row((xy + zw) * s[1], (1 - (xx + zz)) * s[2], (yz - xw) * s[3], t[1], 1, to);
    whole_row((xz - yw) * s[1], (yz + xw) * s[2], (1 - (xx + yy)) * s[3], t[2], 2, to);
}
