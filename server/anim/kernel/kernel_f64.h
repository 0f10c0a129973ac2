/* kernel_f64.h - matrices in double precision, for kernel_*.c and clips that are COMPILED_F64. It does the operations
 * of kernel_scalar.c in the same order. */
#pragma once

#include "anim/kernel/kernel_simd.h"

/* What lanes become: the outputs of struct kernel_lanes, where LANES_TO_ROUNDED is `local` with is_precise. */
enum lanes_way { LANES_TO_MATRICES, LANES_TO_ROUNDED, LANES_TO_F64, LANES_TO_PARTS };

/* Numbers of each lane: four of a rotation or nine of a matrix, then, from index 9 on, three of translation and three
 * of scale. */
enum { F64_PARTS = 15 };

#define REAL     f64x4
#define ROTATION f64_of_rotations
#include "anim/kernel/kernel_rotation.h"
#undef REAL

#ifdef __AVX512F__
#define REAL     f64x8
#define ROTATION f64x8_of_rotations
#include "anim/kernel/kernel_rotation.h"
#undef REAL
#endif

/* Stores one row of the matrices of four lanes. v[0] to v[3] are its elements, each with one value per lane. */
KERNEL_INLINE void f64_store_rows(const f64x4 v[4], const uint32_t nodes[4], size_t row, double *out)
{
    const f64x4 ab_even = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
    const f64x4 ab_odd = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const f64x4 cd_even = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
    const f64x4 cd_odd = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    const f64x4 rows[4] = {
        __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5), __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5),
        __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7), __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7)};
    for (int i = 0; i < 4; i++)
        memcpy(out + 12 * (size_t)nodes[i] + 4 * row, &rows[i], sizeof rows[i]);
}

/* Makes the matrices of four lanes. `parts` has F64_PARTS numbers, `stride` apart, each with the lanes side by side. */
KERNEL_INLINE void f64_matrices(uint32_t flags, const float *parts, uint32_t stride, const uint32_t nodes[4],
                                double *out)
{
    f64x4 v[9], m[9];
    const bool is_turned = (flags & LANES_ROTATE) != 0;
    for (uint32_t i = 0; i < (is_turned ? 4 : 9); i++)
        f64x4_widen(f32x4_load(parts + i * stride), &v[i]);
    if (is_turned)
        f64_of_rotations(v, m);
    for (uint32_t i = 0; i < 9 && !is_turned; i++)
        m[i] = v[i];
    for (uint32_t i = 0; i < 9 && (flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0; i++) {
        f64x4 scale;
        f64x4_widen(f32x4_load(parts + (12 + i % 3) * stride), &scale);
        m[i] = m[i] * scale;
    }
    for (uint32_t r = 0; r < 3; r++) {
        f64x4 row[4] = {m[3 * r], m[3 * r + 1], m[3 * r + 2]};
        f64x4_widen(f32x4_load(parts + (9 + r) * stride), &row[3]);
        f64_store_rows(row, nodes, r, out);
    }
}
