/* kernel_rows.h - products of affine matrices by rows, for kernel_*.c, which define ROWS: how many rows of four floats
 * a vector holds, 1, 2 or 4. It does the operations of kernel_scalar.c in the same order. With 4, the last row of the
 * matrices in scratch memory takes part: it is 0. */
#include "anim/kernel/kernel_simd.h"

#if ROWS > 1
#include <immintrin.h>
#endif

typedef int32_t i32x4 __attribute__((vector_size(16)));

/* Multiplies a row by a matrix whose last row is 0 0 0 1. */
KERNEL_INLINE f32x4 row_multiply(f32x4 row, f32x4 b0, f32x4 b1, f32x4 b2)
{
    const i32x4 mask = {0, 0, 0, -1};
    i32x4 bits;
    memcpy(&bits, &row, sizeof bits);
    bits &= mask;
    f32x4 rest;
    memcpy(&rest, &bits, sizeof rest);
    return (__builtin_shufflevector(row, row, 0, 0, 0, 0) * b0 + __builtin_shufflevector(row, row, 1, 1, 1, 1) * b1) +
           (__builtin_shufflevector(row, row, 2, 2, 2, 2) * b2 + rest);
}

#if ROWS == 1

struct rows_by_1 {
    f32x4 first, second, last;
};
#define ROWS_TYPE struct rows_by_1

KERNEL_INLINE ROWS_TYPE rows_multiply(const float *a, const float *b)
{
    const f32x4 b0 = f32x4_load(b), b1 = f32x4_load(b + 4), b2 = f32x4_load(b + 8);
    return (ROWS_TYPE){row_multiply(f32x4_load(a), b0, b1, b2), row_multiply(f32x4_load(a + 4), b0, b1, b2),
                       row_multiply(f32x4_load(a + 8), b0, b1, b2)};
}

KERNEL_INLINE void rows_store(float *to, ROWS_TYPE rows)
{
    f32x4_store(to, rows.first);
    f32x4_store(to + 4, rows.second);
    f32x4_store(to + 8, rows.last);
}

KERNEL_INLINE void rows_keep(float *to, ROWS_TYPE rows) { rows_store(to, rows); }

KERNEL_INLINE ROWS_TYPE rows_join(f32x4 first, f32x4 second, f32x4 last) { return (ROWS_TYPE){first, second, last}; }

#elif ROWS == 2

struct rows_by_2 {
    f32x8 upper;
    f32x4 last;
};
#define ROWS_TYPE struct rows_by_2

/* Loads a row of b twice, straight from memory. */
KERNEL_INLINE f32x8 f32x8_twice(const float *row)
{
    return (f32x8)_mm256_broadcast_ps((const __m128 *)(const void *)row);
}

KERNEL_INLINE ROWS_TYPE rows_multiply(const float *a, const float *b)
{
    f32x8 upper;
    memcpy(&upper, a, sizeof upper);
    const f32x8 rest = __builtin_shufflevector(upper, (f32x8){0}, 8, 8, 8, 3, 8, 8, 8, 7);
    const f32x8 product = (__builtin_shufflevector(upper, upper, 0, 0, 0, 0, 4, 4, 4, 4) * f32x8_twice(b) +
                           __builtin_shufflevector(upper, upper, 1, 1, 1, 1, 5, 5, 5, 5) * f32x8_twice(b + 4)) +
                          (__builtin_shufflevector(upper, upper, 2, 2, 2, 2, 6, 6, 6, 6) * f32x8_twice(b + 8) + rest);
    return (ROWS_TYPE){product, row_multiply(f32x4_load(a + 8), f32x4_load(b), f32x4_load(b + 4), f32x4_load(b + 8))};
}

KERNEL_INLINE void rows_store(float *to, ROWS_TYPE rows)
{
    memcpy(to, &rows.upper, sizeof rows.upper);
    f32x4_store(to + 8, rows.last);
}

KERNEL_INLINE void rows_keep(float *to, ROWS_TYPE rows) { rows_store(to, rows); }

KERNEL_INLINE ROWS_TYPE rows_join(f32x4 first, f32x4 second, f32x4 last)
{
    return (ROWS_TYPE){__builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7), last};
}

#else

typedef float f32x16 __attribute__((vector_size(64)));

struct rows_by_4 {
    f32x16 all;
};
#define ROWS_TYPE struct rows_by_4

/* Loads a row of b four times, straight from memory. */
KERNEL_INLINE f32x16 row_four_times(const float *row) { return (f32x16)_mm512_broadcast_f32x4(_mm_loadu_ps(row)); }

KERNEL_INLINE ROWS_TYPE rows_multiply(const float *a, const float *b)
{
    f32x16 rows;
    memcpy(&rows, a, sizeof rows);
    const f32x16 rest =
        __builtin_shufflevector(rows, (f32x16){0}, 16, 16, 16, 3, 16, 16, 16, 7, 16, 16, 16, 11, 16, 16, 16, 15);
    const f32x16 x = (f32x16)_mm512_permute_ps((__m512)rows, 0x00) * row_four_times(b);
    const f32x16 y = (f32x16)_mm512_permute_ps((__m512)rows, 0x55) * row_four_times(b + 4);
    const f32x16 z = (f32x16)_mm512_permute_ps((__m512)rows, 0xaa) * row_four_times(b + 8);
    return (ROWS_TYPE){(x + y) + (z + rest)};
}

KERNEL_INLINE void rows_store(float *to, ROWS_TYPE rows)
{
    const f32x16 v = rows.all;
    const f32x8 upper = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
    memcpy(to, &upper, sizeof upper);
    f32x4_store(to + 8, __builtin_shufflevector(v, v, 8, 9, 10, 11));
}

/* Stores to scratch memory in one piece, because it is read back in one. */
KERNEL_INLINE void rows_keep(float *to, ROWS_TYPE rows) { memcpy(to, &rows.all, sizeof rows.all); }

KERNEL_INLINE ROWS_TYPE rows_join(f32x4 first, f32x4 second, f32x4 last)
{
    const f32x8 upper = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
    const f32x8 lower = __builtin_shufflevector(last, (f32x4){0}, 0, 1, 2, 3, 4, 5, 6, 7);
    return (ROWS_TYPE){__builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
}

#endif

/* As rows_store(), but column by column and with the last row. */
KERNEL_INLINE void rows_store_columns(float *to, ROWS_TYPE rows)
{
#if ROWS == 4
    const f32x16 last = {0, 1};
    const f32x16 columns =
        __builtin_shufflevector(rows.all, last, 0, 4, 8, 16, 1, 5, 9, 16, 2, 6, 10, 16, 3, 7, 11, 17);
    memcpy(to, &columns, sizeof columns);
#else
#if ROWS == 2
    const f32x4 a = __builtin_shufflevector(rows.upper, rows.upper, 0, 1, 2, 3);
    const f32x4 b = __builtin_shufflevector(rows.upper, rows.upper, 4, 5, 6, 7);
#else
    const f32x4 a = rows.first, b = rows.second;
#endif
    const f32x4 c = rows.last, d = {0, 0, 0, 1};
    f32x4 columns[4];
    f32x4_transpose(a, b, c, d, columns);
    for (int i = 0; i < 4; i++)
        f32x4_store(to + 4 * i, columns[i]);
#endif
}

KERNEL_INLINE void f64_load_rows(const double *from, f64x4 rows[3])
{
    for (int r = 0; r < 3; r++)
        memcpy(&rows[r], from + 4 * r, sizeof rows[r]);
}

KERNEL_INLINE void f64_widen_rows(const float *from, f64x4 rows[3])
{
    for (int r = 0; r < 3; r++)
        f64x4_widen(f32x4_load(from + 4 * r), &rows[r]);
}

/* Computes the product a * b in double precision. The numbers of a are loaded one by one, into whole vectors. */
KERNEL_INLINE void f64_multiply(const double *a, const f64x4 b[3], f64x4 out[3])
{
    for (int r = 0; r < 3; r++) {
        f64x4 row;
        memcpy(&row, a + 4 * r, sizeof row);
        const f64x4 rest = __builtin_shufflevector(row, (f64x4){0}, 4, 5, 6, 3);
        out[r] = (a[4 * r] * b[0] + a[4 * r + 1] * b[1]) + (a[4 * r + 2] * b[2] + rest);
    }
}

KERNEL_INLINE void f64_store_own(const f64x4 rows[3], double *to)
{
    for (int r = 0; r < 3; r++)
        memcpy(to + 4 * r, &rows[r], sizeof rows[r]);
}

/* Stores in the pieces in which it is read back; smaller ones would have to reach the cache first. */
KERNEL_INLINE void f64_round(const f64x4 rows[3], float *to)
{
    rows_keep(to, rows_join(__builtin_convertvector(rows[0], f32x4), __builtin_convertvector(rows[1], f32x4),
                            __builtin_convertvector(rows[2], f32x4)));
}

/* Where the products of nodes are computed, and from which input (struct kernel_rig). */
enum rows_way { ROWS_F32, ROWS_F64, ROWS_WIDENED };

KERNEL_INLINE void rows_root(const struct kernel_rig *rig, uint32_t n, enum rows_way way)
{
    double *f64 = rig->f64 + 12 * (size_t)n;
    float *own = rig->matrices + KERNEL_MATRIX * (size_t)n;
    f64x4 rows[3];
    if (way == ROWS_F64) {
        f64_load_rows(f64, rows);
        f64_round(rows, own);
    } else {
        f64_widen_rows(own, rows);
        f64_store_own(rows, f64);
    }
}

KERNEL_INLINE void rows_node(const struct kernel_rig *rig, uint32_t n, enum rows_way way)
{
    const size_t parent = (uint32_t)rig->nodes[n].parent;
    float *own = rig->matrices + KERNEL_MATRIX * (size_t)n;
    f64x4 local[3], product[3];
    if (way == ROWS_F32) {
        rows_keep(own, rows_multiply(rig->matrices + KERNEL_MATRIX * parent, own));
        return;
    }
    if (way == ROWS_F64)
        f64_load_rows(rig->f64 + 12 * (size_t)n, local);
    else
        f64_widen_rows(own, local);
    f64_multiply(rig->f64 + 12 * parent, local, product);
    f64_store_own(product, rig->f64 + 12 * (size_t)n);
    f64_round(product, own);
}

KERNEL_INLINE void rows_output(const float *matrices, const struct kernel_palette *palette, uint32_t i, bool is_mat4)
{
    const struct rig_output *output = &palette->outputs[i];
    const ROWS_TYPE rows = rows_multiply(matrices + KERNEL_MATRIX * (size_t)output->rig_node, output->joint_from_bind);
    if (is_mat4)
        rows_store_columns(palette->out + 16 * (size_t)output->joint, rows);
    else
        rows_store(palette->out + 12 * (size_t)output->joint, rows);
}

/* Interleaves nodes and outputs in one loop where possible: outputs do not depend on each other, so they fill the time
 * in which a chain of parents waits. Output i needs no node beyond i + lag (struct rig_skin). */
KERNEL_INLINE void rows_compose(const struct kernel_rig *rig, const struct kernel_palette *palette, bool is_mat4,
                                enum rows_way way)
{
    const uint32_t count = rig->count;
    const float *matrices = rig->matrices;
    uint32_t n = 0, i = 0;
    for (; n < count && rig->nodes[n].parent < 0; n++) /* a root's scene_from_node is its parent_from_node */
        if (way != ROWS_F32)
            rows_root(rig, n, way);
    for (; i < palette->count && (uint64_t)i + palette->lag < n; i++)
        rows_output(matrices, palette, i, is_mat4);
    for (; n < count && n < (uint64_t)i + palette->lag; n++)
        rows_node(rig, n, way);
    for (; n < count && i < palette->count; n++, i++) {
        rows_node(rig, n, way);
        rows_output(matrices, palette, i, is_mat4);
    }
    for (; n < count; n++)
        rows_node(rig, n, way);
    for (; i < palette->count; i++)
        rows_output(matrices, palette, i, is_mat4);
}

KERNEL_INLINE void compose_way(const struct kernel_rig *rig, const struct kernel_palette *palette, enum rows_way way)
{
    if (palette->is_mat4)
        rows_compose(rig, palette, true, way);
    else
        rows_compose(rig, palette, false, way);
}

static void compose(const struct kernel_rig *rig, const struct kernel_palette *palette)
{
    if (rig->f64 == NULL)
        compose_way(rig, palette, ROWS_F32);
    else if (rig->is_widened)
        compose_way(rig, palette, ROWS_WIDENED);
    else
        compose_way(rig, palette, ROWS_F64);
}

static void write_palette(const float *scene_from_node, const struct kernel_palette *palette)
{
    for (uint32_t i = 0; i < palette->count; i++)
        rows_output(scene_from_node, palette, i, palette->is_mat4);
}

/* Computes world * rows in double precision and rounds once. */
KERNEL_INLINE void move_rows(const double *world, const float *rows, f32x4 out[3])
{
    f64x4 b[3];
    f64_widen_rows(rows, b);
    for (int r = 0; r < 3; r++) {
        const f64x4 rest = {0, 0, 0, world[4 * r + 3]};
        const f64x4 row = (world[4 * r] * b[0] + world[4 * r + 1] * b[1]) + (world[4 * r + 2] * b[2] + rest);
        out[r] = __builtin_convertvector(row, f32x4);
    }
}

static void move(const struct kernel_move *move)
{
    const f32x4 last = {0, 0, 0, 1};
    for (size_t i = 0; i < move->count; i++) {
        const bool is_still = move->world_from_still != NULL && move->is_moved[i] != 0;
        f32x4 rows[3], columns[4];
        move_rows(is_still ? move->world_from_still : move->world_from_scene, move->rows + 12 * i, rows);
        if (move->is_mat4)
            f32x4_transpose(rows[0], rows[1], rows[2], last, columns);
        for (size_t c = 0; c < 4 && move->is_mat4; c++)
            f32x4_store(move->out + 16 * i + 4 * c, columns[c]);
        for (size_t r = 0; r < 3 && !move->is_mat4; r++)
            f32x4_store(move->out + 12 * i + 4 * r, rows[r]);
    }
}
