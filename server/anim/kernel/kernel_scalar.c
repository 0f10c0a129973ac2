/* The kernels in plain C, one number at a time. The others must give the same results, and other machines run it. */
#include "anim/kernel/kernel.h"

#include <math.h>
#include <string.h>

static float arc_square(float dot)
{
    static const float Q[8] = {KERNEL_ARC};
    const float rest = 1 - dot, x = rest > 0 ? rest : 0;
    const float x2 = x * x, x4 = x2 * x2;
    const float low = (Q[0] + Q[1] * x) + (Q[2] + Q[3] * x) * x2;
    const float high = (Q[4] + Q[5] * x) + (Q[6] + Q[7] * x) * x2;
    return x * (low + high * x4);
}

/* sin(v a) / a, from v and a^2 */
static float sine(float v, float square)
{
    static const float S[5] = {KERNEL_SINE};
    const float y = v * v * square, y2 = y * y;
    return v * ((S[0] + S[1] * y) + y2 * ((S[2] + S[3] * y) + S[4] * y2));
}

/* The lane of one node, with the places of its numbers in frames, constants and weights. */
struct lane {
    const struct kernel_lanes *lanes;
    const struct lane_block *block;
    uint32_t index; /* within the block */
    float u[3];     /* for translation, rotation, scale */
};

static struct lane lane_of(const struct kernel_lanes *lanes, uint32_t block, uint32_t index)
{
    struct lane lane = {lanes, &lanes->blocks[block], index, {lanes->u, lanes->u, lanes->u}};
    const uint32_t flags = lane.block->flags, width = lane.block->width;
    if ((flags & LANES_STEP) != 0) {
        const float *factors = lanes->values + lane.block->constant_first + block_factors_at(flags) * width + index;
        for (uint32_t i = 0; i < 3; i++)
            lane.u[i] = lanes->u * factors[i * width];
    }
    return lane;
}

/* Interpolates component `c` of a block's frame. */
static float between(const struct lane *lane, uint32_t c, float u)
{
    const uint32_t at = lane->block->frame_offset + c * lane->block->width + lane->index;
    const float from = lane->lanes->from[at], to = lane->lanes->to[at];
    return from + u * (to - from);
}

/* Interpolates a component with the spline's weights; `slope_at`: how many vectors after it its slope is. */
static float along_spline(const struct lane *lane, uint32_t c, uint32_t slope_at)
{
    const struct kernel_spline *spline = &lane->lanes->spline;
    const uint32_t width = lane->block->width, at = lane->block->frame_offset + c * width + lane->index;
    const float *from = lane->lanes->from + at, *to = lane->lanes->to + at;
    const float bent = spline->slope_from * from[slope_at * width] + spline->slope_to * to[slope_at * width];
    return *from + (spline->step * (*to - *from) + bent);
}

static float constant(const struct lane *lane, uint32_t c)
{
    return lane->lanes->values[lane->block->constant_first + c * lane->block->width + lane->index];
}

static void rotation(const struct lane *lane, float u, float q[4])
{
    if ((lane->block->flags & LANES_CUBIC_ROTATE) != 0) {
        for (uint32_t i = 0; i < 4; i++)
            q[i] = along_spline(lane, i, 4);
        return;
    }
    const uint32_t width = lane->block->width, at = lane->block->frame_offset + lane->index;
    const float *a = lane->lanes->from + at, *b = lane->lanes->to + at;
    const float dot = (a[0] * b[0] + a[width] * b[width]) + (a[2 * width] * b[2 * width] + a[3 * width] * b[3 * width]);
    const float square = arc_square(dot);
    const float wa = sine(1 - u, square), wb = sine(u, square);
    for (uint32_t i = 0; i < 4; i++)
        q[i] = wa * a[i * width] + wb * b[i * width];
}

/* The components of a lane's matrix. */
struct parts {
    bool is_turned, is_scaled;
    float rotation[4]; /* any length but 0 */
    float matrix[9];   /* otherwise, row-major */
    float translation[3], scale[3];
};

/* Fills three components of a frame from vector `in_frame` on. */
static void place(const struct lane *lane, uint32_t in_frame, bool is_spline, float u, float out[3])
{
    for (uint32_t i = 0; i < 3; i++)
        out[i] = is_spline ? along_spline(lane, in_frame + i, 3) : between(lane, in_frame + i, u);
}

static struct parts parts_of(const struct lane *lane)
{
    const uint32_t flags = lane->block->flags;
    struct parts parts = {.is_turned = (flags & LANES_ROTATE) != 0,
                          .is_scaled = (flags & (LANES_SCALE | LANES_FIXED_SCALE)) != 0};
    uint32_t in_constants = 0;
    if (parts.is_turned) {
        rotation(lane, lane->u[1], parts.rotation);
    } else {
        for (uint32_t i = 0; i < 9; i++)
            parts.matrix[i] = constant(lane, i);
        in_constants += 9;
    }
    const uint32_t after_rotation = block_rotation_vectors(flags);
    if ((flags & LANES_TRANSLATE) != 0) {
        place(lane, after_rotation, (flags & LANES_CUBIC_TRANSLATE) != 0, lane->u[0], parts.translation);
    } else {
        for (uint32_t i = 0; i < 3; i++)
            parts.translation[i] = constant(lane, in_constants + i);
        in_constants += 3;
    }
    if ((flags & LANES_SCALE) != 0)
        place(lane, after_rotation + block_translation_vectors(flags), (flags & LANES_CUBIC_SCALE) != 0, lane->u[2],
              parts.scale);
    for (uint32_t i = 0; i < 3 && (flags & LANES_FIXED_SCALE) != 0; i++)
        parts.scale[i] = constant(lane, in_constants + i);
    return parts;
}

#define REAL       float
#define NAME(name) name
#include "anim/kernel/kernel_scalar_real.h"
#define REAL       double
#define NAME(name) f64_##name
#include "anim/kernel/kernel_scalar_real.h"

/* Stores the moving components to a struct rig_part. */
static void store_parts(const struct lane *lane, const struct parts *parts, float *to)
{
    const uint32_t flags = lane->block->flags;
    const float *q = parts->rotation;
    const float scale = 1 / sqrtf((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    for (uint32_t i = 0; i < 4 && (flags & LANES_ROTATE) != 0; i++)
        to[i] = scale * q[i];
    for (uint32_t i = 0; i < 4 && (flags & LANES_TRANSLATE) != 0; i++)
        to[4 + i] = i < 3 ? parts->translation[i] : 1;
    for (uint32_t i = 0; i < 4 && (flags & LANES_SCALE) != 0; i++)
        to[8 + i] = i < 3 ? parts->scale[i] : 0;
}

/* Computes the rows in double precision, and rounds them. */
static void rows_by_f64(const struct parts *parts, float m[12])
{
    double rows[12];
    f64_rows_of_parts(parts, rows);
    for (int e = 0; e < 12; e++)
        m[e] = (float)rows[e];
}

static void scalar_lanes(const struct kernel_lanes *lanes)
{
    for (uint32_t b = 0; b < lanes->block_count; b++)
        for (uint32_t i = 0; i < lanes->blocks[b].width; i++) {
            const struct lane lane = lane_of(lanes, b, i);
            const struct parts parts = parts_of(&lane);
            const size_t node = lanes->blocks[b].rig_nodes[i];
            if (lanes->parts != NULL)
                store_parts(&lane, &parts, lanes->parts + KERNEL_PART * node);
            else if (lanes->f64 != NULL)
                f64_rows_of_parts(&parts, lanes->f64 + 12 * node);
            else if (lanes->is_precise)
                rows_by_f64(&parts, lanes->local + KERNEL_MATRIX * node);
            else
                rows_of_parts(&parts, lanes->local + KERNEL_MATRIX * node);
        }
}

static void scalar_palette(const float *scene_from_node, const struct kernel_palette *palette)
{
    for (uint32_t i = 0; i < palette->count; i++) {
        const struct rig_output *output = &palette->outputs[i];
        float rows[12];
        multiply(scene_from_node + KERNEL_MATRIX * (size_t)output->rig_node, output->joint_from_bind, rows);
        if (!palette->is_mat4) {
            memcpy(palette->out + 12 * (size_t)output->joint, rows, sizeof rows);
            continue;
        }
        float *columns = palette->out + 16 * (size_t)output->joint;
        for (int e = 0; e < 16; e++)
            columns[e] = e % 4 < 3 ? rows[e % 4 * 4 + e / 4] : e == 15;
    }
}

static void compose_f64(const struct kernel_rig *rig)
{
    for (uint32_t n = 0; n < rig->count; n++) {
        double *own = rig->f64 + 12 * (size_t)n;
        for (size_t e = 0; e < 12 && rig->is_widened; e++)
            own[e] = (double)rig->matrices[KERNEL_MATRIX * (size_t)n + e];
        if (rig->nodes[n].parent >= 0)
            f64_multiply(rig->f64 + 12 * (size_t)rig->nodes[n].parent, own, own);
        for (int e = 0; e < 12; e++)
            rig->matrices[KERNEL_MATRIX * (size_t)n + (size_t)e] = (float)own[e];
    }
}

static void compose(const struct kernel_rig *rig)
{
    for (uint32_t n = 0; n < rig->count; n++) {
        float *own = rig->matrices + KERNEL_MATRIX * (size_t)n;
        if (rig->nodes[n].parent >= 0)
            multiply(rig->matrices + KERNEL_MATRIX * (size_t)rig->nodes[n].parent, own, own);
    }
}

static void scalar_compose(const struct kernel_rig *rig, const struct kernel_palette *palette)
{
    if (rig->f64 != NULL)
        compose_f64(rig);
    else
        compose(rig);
    scalar_palette(rig->matrices, palette);
}

static void scalar_move(const struct kernel_move *move)
{
    for (size_t i = 0; i < move->count; i++) {
        const bool is_still = move->world_from_still != NULL && move->is_moved[i] != 0;
        double rows[12];
        for (int e = 0; e < 12; e++)
            rows[e] = (double)move->rows[12 * i + (size_t)e];
        f64_multiply(is_still ? move->world_from_still : move->world_from_scene, rows, rows);
        for (size_t e = 0; e < 12 && !move->is_mat4; e++)
            move->out[12 * i + e] = (float)rows[e];
        for (size_t e = 0; e < 16 && move->is_mat4; e++)
            move->out[16 * i + e] = e % 4 < 3 ? (float)rows[e % 4 * 4 + e / 4] : e == 15;
    }
}

static double whole_factor(double square)
{
    const double error = square - 1;
    if (error <= KERNEL_UNIT_ERROR && error >= -KERNEL_UNIT_ERROR)
        return 2 - 2 * error + 2 * error * error;
    return square >= KERNEL_KEPT_LEAST && square <= KERNEL_KEPT_MOST ? 2 : 2 / square;
}

static void whole_rows(const double *t, float *out)
{
    const double *q = t + 3, *s = t + 7;
    const double factor = whole_factor(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = factor * q[0], y = factor * q[1], z = factor * q[2];
    const double xx = x * q[0], yy = y * q[1], zz = z * q[2], xy = x * q[1], xz = x * q[2], yz = y * q[2];
    const double xw = x * q[3], yw = y * q[3], zw = z * q[3];
    const double rows[12] = {(1 - (yy + zz)) * s[0], (xy - zw) * s[1],       (xz + yw) * s[2],       t[0],
                             (xy + zw) * s[0],       (1 - (xx + zz)) * s[1], (yz - xw) * s[2],       t[1],
                             (xz - yw) * s[0],       (yz + xw) * s[1],       (1 - (xx + yy)) * s[2], t[2]};
    for (int e = 0; e < 12; e++)
        out[e] = (float)rows[e];
}

static void scalar_whole(const double *const from[KERNEL_WHOLE], float *const to[KERNEL_WHOLE])
{
    for (int i = 0; i < KERNEL_WHOLE; i++)
        whole_rows(from[i], to[i]);
}

/* Blends: lanes are independent, so one alone does what many do. */
#define LANES 1
#include "anim/kernel/kernel_vectors.h"
#include "anim/kernel/kernel_mix.h"
#include "anim/kernel/kernel_group.h"

const struct kernel KERNEL_SCALAR = {"scalar", scalar_lanes, scalar_compose, scalar_palette,  mix_all_1,   scalar_move,
                                     1,        NULL,         mix_group_1,    compose_group_1, scalar_whole};
