/* kernel_mix.h - blends of LANES nodes at once; a template for kernel_*.c, which define LANES and include it behind
 * kernel_vectors.h. Defines mix_all_LANES(). Every lane has its own operations, in the same order, whatever the width;
 * what may be left out is decided for LANE_WIDTH nodes together. */
#include "anim/kernel/kernel_f64.h"

/* The local transforms of LANES nodes, by components. */
struct NAME(part) {
    VF rotation[4]; /* of any length but 0 */
    VF translation[4], scale[4];
};

/* What is known of LANES nodes while their layers are mixed. */
struct NAME(mixed) {
    struct NAME(part) part;
    VF sum;          /* of the weights so far */
    VI count, fault; /* how many layers share; not 0: beyond the limits of kernel.h */
};

KERNEL_INLINE void NAME(load_part)(const float *parts, size_t node, bool is_sized, struct NAME(part) * out)
{
    const float *from = parts + KERNEL_PART * node;
    NAME(load_rows)(from, KERNEL_PART, out->rotation);
    NAME(load_rows)(from + 4, KERNEL_PART, out->translation);
    if (is_sized)
        NAME(load_rows)(from + 8, KERNEL_PART, out->scale);
}

/* True when the layer may move one of the LANE_WIDTH nodes around `node`. */
KERNEL_INLINE bool NAME(is_in)(const struct kernel_layer *layer, size_t node)
{
    return layer->blocks == NULL || layer->blocks[node / LANE_WIDTH] != 0;
}

KERNEL_INLINE VF NAME(weights_at)(const struct kernel_layer *layer, size_t node)
{
    return NAME(load)(layer->weights + (layer->blocks == NULL ? 0 : node));
}

KERNEL_INLINE VF NAME(absolute)(VF v) { return NAME(of_bits)(NAME(bits)(v) & INT32_MAX); }

/* `v` with its sign changed where `sign` has one. */
KERNEL_INLINE VF NAME(flip)(VF v, VF sign) { return NAME(of_bits)(NAME(bits)(v) ^ (NAME(bits)(sign) & INT32_MIN)); }

/* Along the shorter arc from a (u = 0) to b (1), both of unit length; *out is of any. Returns the cosine of the arc. */
KERNEL_INLINE VF NAME(slerp)(const VF a[4], const VF b[4], VF u, VF out[4])
{
    const VF dot = NAME(dot)(a, b), cosine = NAME(absolute)(dot);
    const VF square = NAME(arc_square)(cosine);
    const VF wa = NAME(sine)(1 - u, square), wb = NAME(flip)(NAME(sine)(u, square), dot);
    for (int i = 0; i < 4; i++)
        out[i] = wa * a[i] + wb * b[i];
    return cosine;
}

/* --- layers that override --- */

/* Adds a layer's share. Running means: with W the weights so far, value += w / (W + w) * (layer's - value). */
KERNEL_INLINE void NAME(share)(struct NAME(mixed) * mixed, const struct NAME(part) * layer, VF weight, bool is_sized)
{
    struct NAME(part) *part = &mixed->part;
    const VI is_share = weight > 0, is_first = is_share & (mixed->count == 0);
    const VF sum = mixed->sum + weight, u = NAME(select)(is_share, weight / sum, (VF){0});
    VF q[4], from[4];
    for (int i = 0; i < 4; i++)
        from[i] = NAME(select)(is_first, layer->rotation[i], part->rotation[i]);
    NAME(normalize)(from);
    const VF cosine = NAME(slerp)(from, layer->rotation, u, q);
    for (int i = 0; i < 4; i++)
        part->rotation[i] = NAME(select)(is_share & ~is_first, q[i], from[i]);
    for (int i = 0; i < 3; i++) {
        const VF t = NAME(select)(is_first, layer->translation[i], part->translation[i]);
        part->translation[i] = t + u * (layer->translation[i] - t);
    }
    for (int i = 0; i < 3 && is_sized; i++) {
        const VF s = NAME(select)(is_first, layer->scale[i], part->scale[i]);
        part->scale[i] = s + u * (layer->scale[i] - s);
    }
    mixed->sum = sum;
    mixed->count -= is_share; /* a mask of ones is -1 */
    mixed->fault |= is_share & ~is_first & (cosine < KERNEL_DOT_MIN);
}

/* One step towards the mean of the rotations, from `mean`, of unit length: the sum of the arcs to all, each times its
 * share. Returns the square of its length. */
KERNEL_INLINE VF NAME(step)(const struct kernel_mix *mix, size_t node, const struct NAME(mixed) * mixed, VI is_active,
                            VF mean[4], VI *fault)
{
    VF step[4] = {{0}, {0}, {0}, {0}};
    const VF NO_ARC = {0};
    for (uint32_t l = 0; l < mix->override_count; l++) {
        const struct kernel_layer *layer = &mix->layers[l];
        VF q[4];
        if (!NAME(is_in)(layer, node))
            continue;
        const VF weight = NAME(weights_at)(layer, node);
        NAME(load_rows)(layer->parts + KERNEL_PART * node, KERNEL_PART, q);
        const VF dot = NAME(dot)(mean, q), cosine = NAME(absolute)(dot);
        const VF scale = (weight / mixed->sum) / NAME(sine)(1 - NO_ARC, NAME(arc_square)(cosine));
        for (int i = 0; i < 4; i++)
            step[i] = step[i] + scale * (NAME(flip)(q[i], dot) - cosine * mean[i]);
        *fault |= is_active & (weight > 0) & (cosine < KERNEL_SPREAD_MIN);
    }
    const VF square = NAME(dot)(step, step);
    const VF sine = NAME(sine)(1 - NO_ARC, square), half = NAME(sine)(1 - NO_ARC, .25f * square);
    const VF cosine = 1 - .5f * square * (half * half);
    VF moved[4];
    for (int i = 0; i < 4; i++)
        moved[i] = cosine * mean[i] + sine * step[i];
    NAME(normalize)(moved);
    for (int i = 0; i < 4; i++)
        mean[i] = NAME(select)(is_active, moved[i], mean[i]);
    return square;
}

KERNEL_INLINE bool NAME(is_any)(VI mask)
{
    int32_t any = 0;
    for (int i = 0; i < LANES; i++)
        any |= mask[i];
    return any != 0;
}

/* Of three and more rotations, one after the other were only near. */
KERNEL_INLINE void NAME(find_means)(const struct kernel_mix *mix, size_t node, struct NAME(mixed) * mixed)
{
    VI is_active = mixed->count >= 3, fault = {0};
    VF mean[4];
    memcpy(mean, mixed->part.rotation, sizeof mean);
    NAME(normalize)(mean);
    for (int n = 0; n < KERNEL_STEPS_MAX && NAME(is_any)(is_active); n++) {
        const VF square = NAME(step)(mix, node, mixed, is_active, mean, &fault);
        is_active = is_active & (square > KERNEL_STEP_MIN);
    }
    for (int i = 0; i < 4; i++)
        mixed->part.rotation[i] = NAME(select)(mixed->count >= 3, mean[i], mixed->part.rotation[i]);
    mixed->fault |= fault | is_active;
}

/* --- additive layers --- */

/* conjugate(a) * b */
KERNEL_INLINE void NAME(relative)(const VF a[4], const VF b[4], VF out[4])
{
    out[0] = (a[3] * b[0] - a[0] * b[3]) - (a[1] * b[2] - a[2] * b[1]);
    out[1] = (a[3] * b[1] - a[1] * b[3]) - (a[2] * b[0] - a[0] * b[2]);
    out[2] = (a[3] * b[2] - a[2] * b[3]) - (a[0] * b[1] - a[1] * b[0]);
    out[3] = NAME(dot)(a, b);
}

/* a * b */
KERNEL_INLINE void NAME(product)(const VF a[4], const VF b[4], VF out[4])
{
    out[0] = (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]);
    out[1] = (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]);
    out[2] = (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]);
    out[3] = (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]);
}

KERNEL_INLINE void NAME(add_rotation)(struct NAME(mixed) * mixed, const VF reference[4], const VF added[4], VF weight)
{
    const VF none[4] = {{0}, {0}, {0}, 1 - (VF){0}};
    VF whole[4], part[4], turned[4];
    NAME(relative)(reference, added, whole);
    NAME(normalize)(whole);
    const VF cosine = NAME(slerp)(none, whole, weight, part);
    NAME(product)(mixed->part.rotation, part, turned);
    for (int i = 0; i < 4; i++)
        mixed->part.rotation[i] = NAME(select)(weight > 0, turned[i], mixed->part.rotation[i]);
    mixed->fault |= (weight > 0) & (cosine < KERNEL_DOT_MIN);
}

KERNEL_INLINE void NAME(add)(struct NAME(mixed) * mixed, const struct NAME(part) * reference,
                             const struct NAME(part) * added, VF weight, bool is_sized)
{
    struct NAME(part) *part = &mixed->part;
    const VI is_share = weight > 0;
    NAME(add_rotation)(mixed, reference->rotation, added->rotation, weight);
    for (int i = 0; i < 3; i++)
        part->translation[i] = part->translation[i] + weight * (added->translation[i] - reference->translation[i]);
    for (int i = 0; i < 3 && is_sized; i++) {
        const VI is_zero = reference->scale[i] == 0;
        const VF ratio = added->scale[i] / NAME(select)(is_zero, 1 - (VF){0}, reference->scale[i]);
        const VF grown = part->scale[i] * (1 + weight * (ratio - 1));
        const VF size = NAME(select)(is_zero, part->scale[i] + weight * added->scale[i], grown);
        part->scale[i] = NAME(select)(is_share, size, part->scale[i]);
        mixed->fault |= is_share & ~is_zero & (NAME(absolute)(ratio) > KERNEL_RATIO_MAX);
    }
}

/* --- matrices --- */

#if LANES == 1
/* As kernel_f64.h has it for four. */
KERNEL_INLINE void NAME(store_f64)(const struct NAME(part) * part, bool is_sized, size_t node, double *out)
{
    struct parts parts = {.is_turned = true, .is_scaled = is_sized};
    for (int i = 0; i < 4; i++)
        parts.rotation[i] = part->rotation[i][0];
    for (int i = 0; i < 3; i++) {
        parts.translation[i] = part->translation[i][0];
        parts.scale[i] = is_sized ? part->scale[i][0] : 1;
    }
    f64_rows_of_parts(&parts, out + 12 * node);
}
#else
KERNEL_INLINE void NAME(store_f64)(const struct NAME(part) * part, bool is_sized, size_t node, double *out)
{
    float parts[F64_PARTS * LANES];
    for (int i = 0; i < 4; i++)
        NAME(store)(parts + i * LANES, part->rotation[i]);
    for (int i = 0; i < 3; i++)
        NAME(store)(parts + (9 + i) * LANES, part->translation[i]);
    for (int i = 0; i < 3 && is_sized; i++)
        NAME(store)(parts + (12 + i) * LANES, part->scale[i]);
    for (uint32_t i = 0; i < LANES; i += 4) {
        const uint32_t first = (uint32_t)node + i, nodes[4] = {first, first + 1, first + 2, first + 3};
        f64_matrices(LANES_ROTATE | (is_sized ? LANES_SCALE : 0), parts + i, LANES, nodes, out);
    }
}
#endif

KERNEL_INLINE void NAME(store_local)(const struct NAME(part) * part, bool is_sized, size_t node, float *local)
{
    VF m[9];
    float *to[LANES];
    NAME(matrices_of_rotations)(part->rotation, m);
    for (int i = 0; i < 9 && is_sized; i++)
        m[i] = m[i] * part->scale[i % 3];
    for (size_t i = 0; i < LANES; i++)
        to[i] = local + KERNEL_MATRIX * (node + i);
    for (size_t r = 0; r < 3; r++)
        NAME(store_rows)(to, 4 * r, m[3 * r], m[3 * r + 1], m[3 * r + 2], part->translation[r]);
}

/* --- all --- */

KERNEL_INLINE VI NAME(mix_nodes)(const struct kernel_mix *mix, size_t node, bool is_sized)
{
    struct NAME(mixed) mixed;
    struct NAME(part) part, reference;
    const bool has_rest = mix->rest != NULL;
    NAME(load_part)(has_rest ? mix->rest : mix->layers[0].parts, node, is_sized, &mixed.part);
    mixed.sum = (VF){0};
    if (!has_rest)
        mixed.sum = NAME(weights_at)(&mix->layers[0], node);
    mixed.count = (VI){0} + (has_rest ? 0 : 1);
    mixed.fault = (VI){0};
    for (uint32_t l = has_rest ? 0 : 1; l < mix->override_count; l++) {
        const struct kernel_layer *layer = &mix->layers[l];
        if (!NAME(is_in)(layer, node))
            continue;
        NAME(load_part)(layer->parts, node, is_sized, &part);
        NAME(share)(&mixed, &part, NAME(weights_at)(layer, node), is_sized);
    }
    if (mix->override_count >= 3)
        NAME(find_means)(mix, node, &mixed);
    for (uint32_t l = mix->override_count; l < mix->count; l++) {
        const struct kernel_layer *layer = &mix->layers[l];
        if (!NAME(is_in)(layer, node))
            continue;
        NAME(load_part)(layer->parts, node, is_sized, &part);
        NAME(load_part)(layer->reference, node, is_sized, &reference);
        NAME(add)(&mixed, &reference, &part, NAME(weights_at)(layer, node), is_sized);
    }
    if (mix->f64 != NULL)
        NAME(store_f64)(&mixed.part, is_sized, node, mix->f64);
    else
        NAME(store_local)(&mixed.part, is_sized, node, mix->local);
    return mixed.fault;
}

static bool NAME(mix_all)(const struct kernel_mix *mix)
{
    VI fault = {0};
    for (size_t node = 0; node < mix->node_count && mix->is_sized; node += LANES)
        fault |= NAME(mix_nodes)(mix, node, true);
    for (size_t node = 0; node < mix->node_count && !mix->is_sized; node += LANES)
        fault |= NAME(mix_nodes)(mix, node, false);
    return !NAME(is_any)(fault);
}
