/* kernel_vectors.h - arithmetic on vectors of LANES numbers. A template for kernel_*.c, which define LANES (1, 4, 8 or
 * 16) and include it. It uses the compiler's vector_size; the flags of the file select the instructions. */
#include "anim/kernel/kernel_simd.h"

#if LANES == 1
#include <math.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

#define LANES_PASTE(name, lanes) name##_##lanes
#define LANES_JOIN(name, lanes)  LANES_PASTE(name, lanes)
#define NAME(name)               LANES_JOIN(name, LANES)
#define VF                       NAME(vf)
#define VI                       NAME(vi)

typedef float VF __attribute__((vector_size(4 * LANES)));
typedef int32_t VI __attribute__((vector_size(4 * LANES)));

KERNEL_INLINE VF NAME(load)(const float *from)
{
    VF v;
    memcpy(&v, from, sizeof v);
    return v;
}

KERNEL_INLINE void NAME(store)(float *to, VF v) { memcpy(to, &v, sizeof v); }

/* Stores element r of the vectors a, b, c and d as four floats at to[r] + row, for each lane r. */
#if LANES == 1
KERNEL_INLINE void NAME(store_rows)(float *const to[LANES], size_t row, VF a, VF b, VF c, VF d)
{
    const float v[4] = {a[0], b[0], c[0], d[0]};
    memcpy(to[0] + row, v, sizeof v);
}
#elif LANES == 4
KERNEL_INLINE void NAME(store_rows)(float *const to[LANES], size_t row, VF a, VF b, VF c, VF d)
{
    VF rows[4];
    f32x4_transpose(a, b, c, d, rows);
    for (int i = 0; i < 4; i++)
        f32x4_store(to[i] + row, rows[i]);
}
#else
#if LANES == 8
#define WITHIN_QUADS(a, b, i, j, k, l)                                                                                 \
    __builtin_shufflevector(a, b, (i) % 4 + (i) / 4 * 8, (j) % 4 + (j) / 4 * 8, (k) % 4 + (k) / 4 * 8,                 \
                            (l) % 4 + (l) / 4 * 8, (i) % 4 + (i) / 4 * 8 + 4, (j) % 4 + (j) / 4 * 8 + 4,               \
                            (k) % 4 + (k) / 4 * 8 + 4, (l) % 4 + (l) / 4 * 8 + 4)
#else
#define IN_QUAD(i, q) ((i) % 4 + (i) / 4 * 16 + 4 * (q))
#define WITHIN_QUADS(a, b, i, j, k, l)                                                                                 \
    __builtin_shufflevector(a, b, IN_QUAD(i, 0), IN_QUAD(j, 0), IN_QUAD(k, 0), IN_QUAD(l, 0), IN_QUAD(i, 1),           \
                            IN_QUAD(j, 1), IN_QUAD(k, 1), IN_QUAD(l, 1), IN_QUAD(i, 2), IN_QUAD(j, 2), IN_QUAD(k, 2),  \
                            IN_QUAD(l, 2), IN_QUAD(i, 3), IN_QUAD(j, 3), IN_QUAD(k, 3), IN_QUAD(l, 3))
#endif
KERNEL_INLINE void NAME(store_every_fourth)(float *const to[LANES], size_t row, int first, VF v)
{
    f32x4_store(to[first] + row, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    f32x4_store(to[first + 4] + row, __builtin_shufflevector(v, v, 4, 5, 6, 7));
#if LANES == 16
    f32x4_store(to[first + 8] + row, __builtin_shufflevector(v, v, 8, 9, 10, 11));
    f32x4_store(to[first + 12] + row, __builtin_shufflevector(v, v, 12, 13, 14, 15));
#endif
}

/* As with LANES == 4, but within each half or quarter of the vectors, as the machine's instructions work. */
KERNEL_INLINE void NAME(store_rows)(float *const to[LANES], size_t row, VF a, VF b, VF c, VF d)
{
    const VF ab_low = WITHIN_QUADS(a, b, 0, 4, 1, 5), ab_high = WITHIN_QUADS(a, b, 2, 6, 3, 7);
    const VF cd_low = WITHIN_QUADS(c, d, 0, 4, 1, 5), cd_high = WITHIN_QUADS(c, d, 2, 6, 3, 7);
    NAME(store_every_fourth)(to, row, 0, WITHIN_QUADS(ab_low, cd_low, 0, 1, 4, 5));
    NAME(store_every_fourth)(to, row, 1, WITHIN_QUADS(ab_low, cd_low, 2, 3, 6, 7));
    NAME(store_every_fourth)(to, row, 2, WITHIN_QUADS(ab_high, cd_high, 0, 1, 4, 5));
    NAME(store_every_fourth)(to, row, 3, WITHIN_QUADS(ab_high, cd_high, 2, 3, 6, 7));
}
#endif

/* Stores two consecutive rows. */
KERNEL_INLINE void NAME(store_two_rows)(float *const to[LANES], size_t row, const VF first[4], const VF second[4])
{
#if LANES == 8
    VF rows[2][4]; /* of lanes i and i + 4 */
    for (int r = 0; r < 2; r++) {
        const VF *v = r == 0 ? first : second;
        const VF ab_low = WITHIN_QUADS(v[0], v[1], 0, 4, 1, 5), ab_high = WITHIN_QUADS(v[0], v[1], 2, 6, 3, 7);
        const VF cd_low = WITHIN_QUADS(v[2], v[3], 0, 4, 1, 5), cd_high = WITHIN_QUADS(v[2], v[3], 2, 6, 3, 7);
        rows[r][0] = WITHIN_QUADS(ab_low, cd_low, 0, 1, 4, 5);
        rows[r][1] = WITHIN_QUADS(ab_low, cd_low, 2, 3, 6, 7);
        rows[r][2] = WITHIN_QUADS(ab_high, cd_high, 0, 1, 4, 5);
        rows[r][3] = WITHIN_QUADS(ab_high, cd_high, 2, 3, 6, 7);
    }
    for (int i = 0; i < 4; i++) {
        NAME(store)(to[i] + row, __builtin_shufflevector(rows[0][i], rows[1][i], 0, 1, 2, 3, 8, 9, 10, 11));
        NAME(store)(to[i + 4] + row, __builtin_shufflevector(rows[0][i], rows[1][i], 4, 5, 6, 7, 12, 13, 14, 15));
    }
#else
    NAME(store_rows)(to, row, first[0], first[1], first[2], first[3]);
    NAME(store_rows)(to, row + 4, second[0], second[1], second[2], second[3]);
#endif
}

/* The reverse: four floats of each lane, `stride` apart, become four vectors of components. */
KERNEL_INLINE void NAME(load_rows)(const float *from, size_t stride, VF out[4])
{
#if LANES == 1
    (void)stride;
    for (int i = 0; i < 4; i++)
        out[i] = (VF){from[i]};
#elif LANES == 4
    f32x4_transpose(f32x4_load(from), f32x4_load(from + stride), f32x4_load(from + 2 * stride),
                    f32x4_load(from + 3 * stride), out);
#else
    VF lanes[4]; /* every fourth */
    for (size_t i = 0; i < 4; i++) {
        const float *at = from + i * stride;
#if LANES == 8
        lanes[i] = __builtin_shufflevector(f32x4_load(at), f32x4_load(at + 4 * stride), 0, 1, 2, 3, 4, 5, 6, 7);
#else
        lanes[i] = __builtin_shufflevector(
            __builtin_shufflevector(f32x4_load(at), f32x4_load(at + 4 * stride), 0, 1, 2, 3, 4, 5, 6, 7),
            __builtin_shufflevector(f32x4_load(at + 8 * stride), f32x4_load(at + 12 * stride), 0, 1, 2, 3, 4, 5, 6, 7),
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
    }
    const VF ab_low = WITHIN_QUADS(lanes[0], lanes[1], 0, 4, 1, 5);
    const VF ab_high = WITHIN_QUADS(lanes[0], lanes[1], 2, 6, 3, 7);
    const VF cd_low = WITHIN_QUADS(lanes[2], lanes[3], 0, 4, 1, 5);
    const VF cd_high = WITHIN_QUADS(lanes[2], lanes[3], 2, 6, 3, 7);
    out[0] = WITHIN_QUADS(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = WITHIN_QUADS(ab_low, cd_low, 2, 3, 6, 7);
    out[2] = WITHIN_QUADS(ab_high, cd_high, 0, 1, 4, 5);
    out[3] = WITHIN_QUADS(ab_high, cd_high, 2, 3, 6, 7);
#endif
}
#undef WITHIN_QUADS
#undef IN_QUAD

/* --- arithmetic --- */

KERNEL_INLINE VI NAME(bits)(VF v)
{
    VI bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

KERNEL_INLINE VF NAME(of_bits)(VI bits)
{
    VF v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Selects `yes` in lanes where the mask is all ones, and `no` where it is 0. */
KERNEL_INLINE VF NAME(select)(VI mask, VF yes, VF no)
{
    return NAME(of_bits)((mask & NAME(bits)(yes)) | (~mask & NAME(bits)(no)));
}

KERNEL_INLINE VF NAME(root)(VF v)
{
#if LANES == 1
    return (VF){sqrtf(v[0])};
#elif LANES == 4 && defined(__x86_64__)
    return (VF)_mm_sqrt_ps((__m128)v);
#elif LANES == 4
    return (VF)vsqrtq_f32((float32x4_t)v);
#elif LANES == 8
    return (VF)_mm256_sqrt_ps((__m256)v);
#else
    return (VF)_mm512_sqrt_ps((__m512)v);
#endif
}

KERNEL_INLINE VF NAME(dot)(const VF a[4], const VF b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/* Scales to unit length. */
KERNEL_INLINE void NAME(normalize)(VF q[4])
{
    const VF scale = 1 / NAME(root)(NAME(dot)(q, q));
    for (int i = 0; i < 4; i++)
        q[i] = scale * q[i];
}

/* Returns the square of the angle whose cosine is `dot`; 0 for a dot above 1. */
KERNEL_INLINE VF NAME(arc_square)(VF dot)
{
    static const float Q[8] = {KERNEL_ARC};
    const VF rest = 1 - dot;
    const VF x = NAME(of_bits)(NAME(bits)(rest) & (rest > 0));
    const VF x2 = x * x, x4 = x2 * x2;
    const VF low = (Q[0] + Q[1] * x) + (Q[2] + Q[3] * x) * x2;
    const VF high = (Q[4] + Q[5] * x) + (Q[6] + Q[7] * x) * x2;
    return x * (low + high * x4);
}

/* sin(v a) / a, from v and a^2 */
KERNEL_INLINE VF NAME(sine)(VF v, VF square)
{
    static const float S[5] = {KERNEL_SINE};
    const VF y = v * v * square, y2 = y * y;
    return v * ((S[0] + S[1] * y) + y2 * ((S[2] + S[3] * y) + S[4] * y2));
}

KERNEL_INLINE VF NAME(absolute)(VF v) { return NAME(of_bits)(NAME(bits)(v) & INT32_MAX); }

/* Flips the sign of `v` in lanes where `sign` is negative. */
KERNEL_INLINE VF NAME(flip)(VF v, VF sign) { return NAME(of_bits)(NAME(bits)(v) ^ (NAME(bits)(sign) & INT32_MIN)); }

/* Interpolates along the shorter arc from a (u = 0) to b (u = 1), both of unit length; *out may have any length.
 * Returns the cosine of the arc. */
KERNEL_INLINE VF NAME(slerp)(const VF a[4], const VF b[4], VF u, VF out[4])
{
    const VF dot = NAME(dot)(a, b), cosine = NAME(absolute)(dot);
    const VF square = NAME(arc_square)(cosine);
    const VF wa = NAME(sine)(1 - u, square), wb = NAME(flip)(NAME(sine)(u, square), dot);
    for (int i = 0; i < 4; i++)
        out[i] = wa * a[i] + wb * b[i];
    return cosine;
}

#define REAL     VF
#define ROTATION NAME(matrices_of_rotations)
#include "anim/kernel/kernel_rotation.h"
#undef REAL
