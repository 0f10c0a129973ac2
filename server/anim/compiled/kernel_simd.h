/* kernel_simd.h - vectors of four, for kernel_*.c. */
#pragma once

#include "anim/compiled/kernel.h"

#include <string.h>

/* Vectors stay in registers only where no call is between. */
#define KERNEL_INLINE static inline __attribute__((always_inline))

typedef float f32x4 __attribute__((vector_size(16)));
typedef double f64x4 __attribute__((vector_size(32))); /* by address only: not every machine has it */

KERNEL_INLINE f32x4 f32x4_load(const float *from)
{
    f32x4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

KERNEL_INLINE void f32x4_store(float *to, f32x4 v) { memcpy(to, &v, sizeof v); }
