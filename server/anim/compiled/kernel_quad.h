/* kernel_quad.h - vectors of four, for kernel_*.c. */
#pragma once

#include "anim/compiled/kernel.h"

#include <string.h>

/* Vectors stay in registers only where no call is between. */
#define KERNEL_INLINE static inline __attribute__((always_inline))

typedef float quad __attribute__((vector_size(16)));
typedef double wide __attribute__((vector_size(32))); /* by address only: not every machine has it */

KERNEL_INLINE quad quad_load(const float *from)
{
    quad v;
    memcpy(&v, from, sizeof v);
    return v;
}

KERNEL_INLINE void quad_store(float *to, quad v) { memcpy(to, &v, sizeof v); }
