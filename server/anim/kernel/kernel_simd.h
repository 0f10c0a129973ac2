/* kernel_simd.h - vectors of four, for kernel_*.c and hit_rows.c. */
#pragma once

#include "anim/kernel/kernel.h"

#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

/* Forces inlining: vectors stay in registers only where there is no call. */
#define KERNEL_INLINE static inline __attribute__((always_inline))

typedef float f32x4 __attribute__((vector_size(16)));
typedef double f64x4 __attribute__((vector_size(32))); /* pass by address: not all machines have it */
#ifdef __AVX__
typedef float f32x8 __attribute__((vector_size(32)));
#endif
#ifdef __AVX512F__
typedef double f64x8 __attribute__((vector_size(64)));
#endif

KERNEL_INLINE f32x4 f32x4_load(const float *from)
{
    f32x4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

KERNEL_INLINE void f32x4_store(float *to, f32x4 v) { memcpy(to, &v, sizeof v); }

KERNEL_INLINE void f32x4_transpose(f32x4 a, f32x4 b, f32x4 c, f32x4 d, f32x4 out[4])
{
    const f32x4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const f32x4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/* One instruction, of which __builtin_convertvector() makes two or more, and a way through memory. */
KERNEL_INLINE void f64x4_widen(f32x4 v, f64x4 *out)
{
#ifdef __AVX__
    *out = (f64x4)_mm256_cvtps_pd((__m128)v);
#else
    *out = __builtin_convertvector(v, f64x4);
#endif
}

#ifdef __AVX512F__
KERNEL_INLINE void f64x8_widen(f32x8 v, f64x8 *out) { *out = (f64x8)_mm512_cvtps_pd((__m256)v); }
#endif
