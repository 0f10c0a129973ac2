/* kernel_lanes.h - local matrices of LANES nodes at once. A template for kernel_*.c, which define LANES (4, 8 or 16)
 * and include it. It defines lanes_weights_LANES() and lanes_out_LANES() and does the operations of kernel_scalar.c in
 * the same order. */
#include "anim/kernel/kernel_f64.h"
#include "anim/kernel/kernel_vectors.h"

/* Returns u of `LANES` lanes, for translations (0), rotations (1) or scales (2). */
KERNEL_INLINE VF NAME(u_of)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                            uint32_t what)
{
    const VF u = lanes->u - (VF){0};
    if ((block->flags & LANES_STEP) == 0)
        return u;
    const uint32_t at = (block_factors_at(block->flags) + what) * block->width + first;
    return u * NAME(load)(lanes->values + block->constant_first + at);
}

/* Computes the weights of the two rotations of each lane, in a pass of its own, so that the long dependency chains of
 * different lanes overlap. */
KERNEL_INLINE void NAME(lanes_weights)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                       float *weights)
{
    const uint32_t w = block->width;
    const float *from = lanes->from + block->frame_offset + first, *to = lanes->to + block->frame_offset + first;
    const VF dot =
        (NAME(load)(from) * NAME(load)(to) + NAME(load)(from + w) * NAME(load)(to + w)) +
        (NAME(load)(from + 2 * w) * NAME(load)(to + 2 * w) + NAME(load)(from + 3 * w) * NAME(load)(to + 3 * w));
    const VF square = NAME(arc_square)(dot);
    const VF u = NAME(u_of)(lanes, block, first, 1);
    NAME(store)(weights + first, NAME(sine)(1 - u, square));
    NAME(store)(weights + LANE_WIDTH + first, NAME(sine)(u, square));
}

/* Interpolates `count` components of a frame from vector `in_frame` on with the spline's weights. */
KERNEL_INLINE void NAME(along_spline)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                      uint32_t in_frame, uint32_t count, VF *out)
{
    const uint32_t w = block->width, at = block->frame_offset + in_frame * w + first;
    const float *from = lanes->from + at, *to = lanes->to + at;
    const VF step = lanes->spline.step - (VF){0};
    const VF slope_from = lanes->spline.slope_from - (VF){0}, slope_to = lanes->spline.slope_to - (VF){0};
    for (uint32_t i = 0; i < count; i++) {
        const VF a = NAME(load)(from + i * w), b = NAME(load)(to + i * w);
        const VF bent = slope_from * NAME(load)(from + (count + i) * w) + slope_to * NAME(load)(to + (count + i) * w);
        out[i] = a + (step * (b - a) + bent);
    }
}

KERNEL_INLINE void NAME(rotations)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                   const float *weights, VF q[4])
{
    if ((block->flags & LANES_CUBIC_ROTATE) != 0) {
        NAME(along_spline)(lanes, block, first, 0, 4, q);
        return;
    }
    const uint32_t w = block->width;
    const float *from = lanes->from + block->frame_offset + first, *to = lanes->to + block->frame_offset + first;
    const VF wa = NAME(load)(weights + first), wb = NAME(load)(weights + LANE_WIDTH + first);
    for (uint32_t i = 0; i < 4; i++)
        q[i] = wa * NAME(load)(from + i * w) + wb * NAME(load)(to + i * w);
}

/* Interpolates translations (what = 0) or scales (2) of the frames. */
KERNEL_INLINE void NAME(between)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                 uint32_t what, VF out[3])
{
    const uint32_t flags = block->flags;
    const uint32_t component = block_rotation_vectors(flags) + (what == 0 ? 0 : block_translation_vectors(flags));
    if ((flags & (what == 0 ? LANES_CUBIC_TRANSLATE : LANES_CUBIC_SCALE)) != 0) {
        NAME(along_spline)(lanes, block, first, component, 3, out);
        return;
    }
    const VF u = NAME(u_of)(lanes, block, first, what);
    const uint32_t at = block->frame_offset + component * block->width + first;
    for (uint32_t i = 0; i < 3; i++) {
        const VF a = NAME(load)(lanes->from + at + i * block->width), b = NAME(load)(lanes->to + at + i * block->width);
        out[i] = a + u * (b - a);
    }
}

/* Loads the components of the lanes' matrices: rotations in m[0] to m[3], or rows of 3x3 matrices in m. */
KERNEL_INLINE void NAME(parts)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                               const float *weights, VF m[9], VF t[3], VF s[3])
{
    const uint32_t flags = block->flags, w = block->width;
    const float *constants = lanes->values + block->constant_first + first;
    if ((flags & LANES_ROTATE) != 0) {
        NAME(rotations)(lanes, block, first, weights, m);
    } else {
        for (uint32_t i = 0; i < 9; i++)
            m[i] = NAME(load)(constants + i * w);
        constants += 9 * w;
    }
    if ((flags & LANES_TRANSLATE) != 0) {
        NAME(between)(lanes, block, first, 0, t);
    } else {
        for (uint32_t i = 0; i < 3; i++)
            t[i] = NAME(load)(constants + i * w);
        constants += 3 * w;
    }
    if ((flags & LANES_SCALE) != 0)
        NAME(between)(lanes, block, first, 2, s);
    for (uint32_t i = 0; i < 3 && (flags & LANES_FIXED_SCALE) != 0; i++)
        s[i] = NAME(load)(constants + i * w);
}

/* Vectors of doubles: one for all lanes, or one for each half. */
#if LANES == 4 || (LANES == 8 && !defined(__AVX512F__))
#define VD          f64x4
#define WIDEN       f64x4_widen
#define OF_ROTATION f64_of_rotations
#else
#define VD          f64x8
#define WIDEN       f64x8_widen
#define OF_ROTATION f64x8_of_rotations
#endif

#if LANES == 4 || (LANES == 8 && defined(__AVX512F__))
enum { NAME(halves) = 1 };
typedef VF NAME(half);
KERNEL_INLINE void NAME(widen)(const VF *v, VD out[1]) { WIDEN(*v, out); }
KERNEL_INLINE VF NAME(join)(const NAME(half) * v) { return *v; }
#else
enum { NAME(halves) = 2 };
#if LANES == 8
#define LOWER 0, 1, 2, 3
#define UPPER 4, 5, 6, 7
typedef f32x4 NAME(half);
#else
#define LOWER 0, 1, 2, 3, 4, 5, 6, 7
#define UPPER 8, 9, 10, 11, 12, 13, 14, 15
typedef float NAME(half) __attribute__((vector_size(32)));
#endif
KERNEL_INLINE void NAME(widen)(const VF *v, VD out[2])
{
    WIDEN(__builtin_shufflevector(*v, *v, LOWER), &out[0]);
    WIDEN(__builtin_shufflevector(*v, *v, UPPER), &out[1]);
}

KERNEL_INLINE VF NAME(join)(const NAME(half) v[2]) { return __builtin_shufflevector(v[0], v[1], LOWER, UPPER); }
#undef LOWER
#undef UPPER
#endif

/* Makes 3x3 matrices of rotations in double precision, multiplies them with scales unless s is NULL, and rounds each
 * half as soon as it is there, because there are too few registers for both. */
KERNEL_INLINE void NAME(matrices_by_f64)(const VF q[4], const VF *s, VF m[9])
{
    VD wide_q[4][NAME(halves)], wide_s[3][NAME(halves)];
    NAME(half) rounded[9][NAME(halves)];
    for (uint32_t i = 0; i < 4; i++)
        NAME(widen)(&q[i], wide_q[i]);
    for (uint32_t i = 0; i < 3 && s != NULL; i++)
        NAME(widen)(&s[i], wide_s[i]);
    for (uint32_t h = 0; h < NAME(halves); h++) {
        const VD of[4] = {wide_q[0][h], wide_q[1][h], wide_q[2][h], wide_q[3][h]};
        VD turned[9];
        OF_ROTATION(of, turned);
        for (uint32_t i = 0; i < 9; i++)
            rounded[i][h] = __builtin_convertvector(s != NULL ? turned[i] * wide_s[i % 3][h] : turned[i], NAME(half));
    }
    for (uint32_t i = 0; i < 9; i++)
        m[i] = NAME(join)(rounded[i]);
}
#undef VD
#undef WIDEN
#undef OF_ROTATION

/* is_precise: in double precision from the rotations on, and rounded. A single product is exact there. */
KERNEL_INLINE void NAME(lanes_matrices)(const struct kernel_lanes *lanes, const struct lane_block *block,
                                        uint32_t first, const float *weights, bool is_precise)
{
    VF parts[9], m[9], t[3], s[3] = {{0}, {0}, {0}};
    float *to[LANES];
    const bool is_done = is_precise && (block->flags & LANES_ROTATE) != 0;
    NAME(parts)(lanes, block, first, weights, parts, t, s);
    if (is_done)
        NAME(matrices_by_f64)(parts, (block->flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0 ? s : NULL, m);
    else if ((block->flags & LANES_ROTATE) != 0)
        NAME(matrices_of_rotations)(parts, m);
    for (uint32_t i = 0; i < 9 && (block->flags & LANES_ROTATE) == 0; i++)
        m[i] = parts[i];
    for (uint32_t i = 0; i < 9 && (block->flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0 && !is_done; i++)
        m[i] = m[i] * s[i % 3];
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = lanes->local + KERNEL_MATRIX * (size_t)block->rig_nodes[first + i];
    NAME(store_rows)(to, 0, m[0], m[1], m[2], t[0]);
    NAME(store_rows)(to, 4, m[3], m[4], m[5], t[1]);
    NAME(store_rows)(to, 8, m[6], m[7], m[8], t[2]);
}

/* Makes the matrices in double precision from the rotations on, four lanes at a time (kernel_f64.h). */
KERNEL_INLINE void NAME(lanes_f64)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                   const float *weights)
{
    VF m[9], t[3], s[3] = {{0}, {0}, {0}};
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

/* Stores the moving components as rows of struct rig_part. */
KERNEL_INLINE void NAME(lanes_parts)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                     const float *weights)
{
    const uint32_t flags = block->flags;
    VF v[4];
    float *to[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = lanes->parts + KERNEL_PART * (size_t)block->rig_nodes[first + i];
    if ((flags & LANES_ROTATE) != 0) {
        NAME(rotations)(lanes, block, first, weights, v);
        NAME(normalize)(v);
        NAME(store_rows)(to, 0, v[0], v[1], v[2], v[3]);
    }
    if ((flags & LANES_TRANSLATE) != 0) {
        NAME(between)(lanes, block, first, 0, v);
        NAME(store_rows)(to, 4, v[0], v[1], v[2], 1 - (VF){0});
    }
    if ((flags & LANES_SCALE) != 0) {
        NAME(between)(lanes, block, first, 2, v);
        NAME(store_rows)(to, 8, v[0], v[1], v[2], (VF){0});
    }
}

KERNEL_INLINE void NAME(lanes_out)(const struct kernel_lanes *lanes, const struct lane_block *block, uint32_t first,
                                   const float *weights, enum lanes_way way)
{
    if (way == LANES_TO_PARTS)
        NAME(lanes_parts)(lanes, block, first, weights);
    else if (way == LANES_TO_F64)
        NAME(lanes_f64)(lanes, block, first, weights);
    else
        NAME(lanes_matrices)(lanes, block, first, weights, way == LANES_TO_ROUNDED);
}

/* Evaluates all blocks, LANES nodes at a time. The width of every block is a multiple of LANES. */
KERNEL_INLINE void NAME(lanes_all)(const struct kernel_lanes *lanes, enum lanes_way way)
{
    for (uint32_t b = 0; b < lanes->block_count; b++)
        for (uint32_t i = 0; i < lanes->blocks[b].width && block_has_arcs(lanes->blocks[b].flags); i += LANES)
            NAME(lanes_weights)(lanes, &lanes->blocks[b], i, lanes->weights + 2 * (size_t)LANE_WIDTH * b);
    for (uint32_t b = 0; b < lanes->block_count; b++)
        for (uint32_t i = 0; i < lanes->blocks[b].width; i += LANES)
            NAME(lanes_out)(lanes, &lanes->blocks[b], i, lanes->weights + 2 * (size_t)LANE_WIDTH * b, way);
}
