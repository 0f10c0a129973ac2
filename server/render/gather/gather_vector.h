/* gather_vector.h - four samples side by side, for gather_*.c. */
#pragma once

#include <stdint.h>
#include <string.h>

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));

static const i32x4 LANES = {0, 1, 2, 3};

static inline f32x4 f32x4_load(const float *from)
{
    f32x4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline i32x4 i32x4_all(int32_t value) { return (i32x4){value, value, value, value}; }

static inline f32x4 f32x4_all(float value) { return (f32x4){value, value, value, value}; }

static inline i32x4 i32x4_load(const uint32_t *from)
{
    i32x4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Selects by a comparison mask, which has all bits of a lane set or none. */
static inline i32x4 i32x4_choose(i32x4 mask, i32x4 a, i32x4 b) { return (a & mask) | (b & ~mask); }

static inline f32x4 f32x4_choose(i32x4 mask, f32x4 a, f32x4 b) { return (f32x4)i32x4_choose(mask, (i32x4)a, (i32x4)b); }

static inline f32x4 f32x4_abs(f32x4 v) { return (f32x4)((i32x4)v & 0x7fffffff); }
static inline f32x4 f32x4_max(f32x4 a, f32x4 b) { return f32x4_choose(a > b, a, b); }
static inline f32x4 f32x4_min(f32x4 a, f32x4 b) { return f32x4_choose(a < b, a, b); }

/* Copies the sign of `sign` to a non-negative value. */
static inline f32x4 f32x4_with_sign(f32x4 v, f32x4 sign) { return (f32x4)((i32x4)v | ((i32x4)sign & INT32_MIN)); }
