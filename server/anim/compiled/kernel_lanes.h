/* kernel_lanes.h - local matrices of LANES nodes at once; a template for kernel_*.c, which define LANES (4, 8 or 16)
 * and include it. Defines lanes_weights_LANES() and lanes_matrices_LANES(). The operations are those of
 * kernel_scalar.c, in the same order. Vectors are the compiler's own (vector_size): the flags of the file say what they
 * become. */
#include "anim/compiled/kernel_f64.h"

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

/* Element r of each of four vectors of components becomes four floats at to[r]: `row` of the matrices of all lanes. */
#if LANES == 4
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

/* As with LANES == 4, in each quarter or half of the vectors by itself, as such machines do it. */
KERNEL_INLINE void NAME(store_rows)(float *const to[LANES], size_t row, VF a, VF b, VF c, VF d)
{
    const VF ab_low = WITHIN_QUADS(a, b, 0, 4, 1, 5), ab_high = WITHIN_QUADS(a, b, 2, 6, 3, 7);
    const VF cd_low = WITHIN_QUADS(c, d, 0, 4, 1, 5), cd_high = WITHIN_QUADS(c, d, 2, 6, 3, 7);
    NAME(store_every_fourth)(to, row, 0, WITHIN_QUADS(ab_low, cd_low, 0, 1, 4, 5));
    NAME(store_every_fourth)(to, row, 1, WITHIN_QUADS(ab_low, cd_low, 2, 3, 6, 7));
    NAME(store_every_fourth)(to, row, 2, WITHIN_QUADS(ab_high, cd_high, 0, 1, 4, 5));
    NAME(store_every_fourth)(to, row, 3, WITHIN_QUADS(ab_high, cd_high, 2, 3, 6, 7));
}
#undef WITHIN_QUADS
#undef IN_QUAD
#endif

/* u of `LANES` lanes, for translations (0), rotations (1) or scales (2). */
KERNEL_INLINE VF NAME(u_of)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                            uint32_t what)
{
    const VF u = lanes->u - (VF){0};
    if ((block->flags & LANES_STEP) == 0)
        return u;
    const uint32_t at = (block_factors_at(block->flags) + what) * block->width + first;
    return u * NAME(load)(lanes->values + block->constant_first + at);
}

KERNEL_INLINE VF NAME(sine)(VF v, VF square)
{
    static const float S[5] = {KERNEL_SINE};
    const VF y = v * v * square, y2 = y * y;
    return v * ((S[0] + S[1] * y) + y2 * ((S[2] + S[3] * y) + S[4] * y2));
}

/* The weights of the two rotations of each lane, a pass of its own: its long chains of operations then overlap with
 * those of other lanes instead of waiting for them. */
KERNEL_INLINE void NAME(lanes_weights)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                       float *weights)
{
    static const float Q[8] = {KERNEL_ARC};
    const uint32_t w = block->width;
    const float *from = lanes->from + block->frame_offset + first, *to = lanes->to + block->frame_offset + first;
    const VF dot =
        (NAME(load)(from) * NAME(load)(to) + NAME(load)(from + w) * NAME(load)(to + w)) +
        (NAME(load)(from + 2 * w) * NAME(load)(to + 2 * w) + NAME(load)(from + 3 * w) * NAME(load)(to + 3 * w));
    const VF rest = 1 - dot;
    const VI is_above = rest > 0;
    VI kept;
    memcpy(&kept, &rest, sizeof kept);
    kept &= is_above;
    VF x;
    memcpy(&x, &kept, sizeof x);
    const VF x2 = x * x, x4 = x2 * x2;
    const VF low = (Q[0] + Q[1] * x) + (Q[2] + Q[3] * x) * x2;
    const VF high = (Q[4] + Q[5] * x) + (Q[6] + Q[7] * x) * x2;
    const VF square = x * (low + high * x4);
    const VF u = NAME(u_of)(lanes, block, first, 1);
    NAME(store)(weights + first, NAME(sine)(1 - u, square));
    NAME(store)(weights + LANE_WIDTH + first, NAME(sine)(u, square));
}

KERNEL_INLINE void NAME(rotations)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                   const float *weights, VF q[4])
{
    const uint32_t w = block->width;
    const float *from = lanes->from + block->frame_offset + first, *to = lanes->to + block->frame_offset + first;
    const VF wa = NAME(load)(weights + first), wb = NAME(load)(weights + LANE_WIDTH + first);
    for (uint32_t i = 0; i < 4; i++)
        q[i] = wa * NAME(load)(from + i * w) + wb * NAME(load)(to + i * w);
}

#define REAL     VF
#define ROTATION NAME(matrices_of_rotations)
#include "anim/compiled/kernel_rotation.h"
#undef REAL

KERNEL_INLINE void NAME(between)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                 uint32_t component, uint32_t what, VF out[3])
{
    const VF u = NAME(u_of)(lanes, block, first, what);
    const uint32_t at = block->frame_offset + component * block->width + first;
    for (uint32_t i = 0; i < 3; i++) {
        const VF a = NAME(load)(lanes->from + at + i * block->width), b = NAME(load)(lanes->to + at + i * block->width);
        out[i] = a + u * (b - a);
    }
}

/* What the matrices of the lanes are made of: rotations in m[0] to m[3], or rows of 3x3 matrices in m. */
KERNEL_INLINE void NAME(parts)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                               const float *weights, VF m[9], VF t[3], VF s[3])
{
    const uint32_t flags = block->flags, w = block->width;
    const float *constants = lanes->values + block->constant_first + first;
    uint32_t in_frame = 0;
    if ((flags & LANES_ROTATE) != 0) {
        NAME(rotations)(lanes, block, first, weights, m);
        in_frame += 4;
    } else {
        for (uint32_t i = 0; i < 9; i++)
            m[i] = NAME(load)(constants + i * w);
        constants += 9 * w;
    }
    if ((flags & LANES_TRANSLATE) != 0) {
        NAME(between)(lanes, block, first, in_frame, 0, t);
        in_frame += 3;
    } else {
        for (uint32_t i = 0; i < 3; i++)
            t[i] = NAME(load)(constants + i * w);
        constants += 3 * w;
    }
    if ((flags & LANES_SCALE) != 0)
        NAME(between)(lanes, block, first, in_frame, 2, s);
    for (uint32_t i = 0; i < 3 && (flags & LANES_FIXED_SCALE) != 0; i++)
        s[i] = NAME(load)(constants + i * w);
}

KERNEL_INLINE void NAME(lanes_matrices)(const struct kernel_lanes *lanes, const struct lane_block *block,
                                        uint32_t first, const float *weights)
{
    VF parts[9], m[9], t[3], s[3];
    float *to[LANES];
    NAME(parts)(lanes, block, first, weights, parts, t, s);
    if ((block->flags & LANES_ROTATE) != 0)
        NAME(matrices_of_rotations)(parts, m);
    for (uint32_t i = 0; i < 9 && (block->flags & LANES_ROTATE) == 0; i++)
        m[i] = parts[i];
    for (uint32_t i = 0; i < 9 && (block->flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0; i++)
        m[i] = m[i] * s[i % 3];
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = lanes->local + KERNEL_MATRIX * (size_t)block->rig_nodes[first + i];
    NAME(store_rows)(to, 0, m[0], m[1], m[2], t[0]);
    NAME(store_rows)(to, 4, m[3], m[4], m[5], t[1]);
    NAME(store_rows)(to, 8, m[6], m[7], m[8], t[2]);
}

/* The same in double precision from the rotations on, four lanes at a time (kernel_f64.h). */
KERNEL_INLINE void NAME(lanes_f64)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                   const float *weights)
{
    VF m[9], t[3], s[3];
    float parts[F64_PARTS * LANES];
    NAME(parts)(lanes, block, first, weights, m, t, s);
    for (uint32_t i = 0; i < ((block->flags & LANES_ROTATE) != 0 ? 4 : 9); i++)
        NAME(store)(parts + i * LANES, m[i]);
    for (uint32_t i = 0; i < 3; i++)
        NAME(store)(parts + (9 + i) * LANES, t[i]);
    for (uint32_t i = 0; i < 3 && (block->flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0; i++)
        NAME(store)(parts + (12 + i) * LANES, s[i]);
    for (uint32_t i = 0; i < LANES; i += 4)
        f64_matrices(block->flags, parts + i, LANES, block->rig_nodes + first + i, lanes->f64);
}

/* All blocks, LANES nodes at a time, of which every block has a multiple. */
KERNEL_INLINE void NAME(lanes_all)(const struct kernel_lanes *lanes)
{
    for (uint32_t b = 0; b < lanes->block_count; b++)
        for (uint32_t i = 0; i < lanes->blocks[b].width && (lanes->blocks[b].flags & LANES_ROTATE) != 0; i += LANES)
            NAME(lanes_weights)(lanes, &lanes->blocks[b], i, lanes->weights + 2 * (size_t)LANE_WIDTH * b);
    for (uint32_t b = 0; b < lanes->block_count; b++)
        for (uint32_t i = 0; i < lanes->blocks[b].width; i += LANES)
            if (lanes->f64 != NULL)
                NAME(lanes_f64)(lanes, &lanes->blocks[b], i, lanes->weights + 2 * (size_t)LANE_WIDTH * b);
            else
                NAME(lanes_matrices)(lanes, &lanes->blocks[b], i, lanes->weights + 2 * (size_t)LANE_WIDTH * b);
}
