/* kernel_mix.h - blends LANES nodes of one entity, or one node of LANES entities, at once. A template for kernel_*.c,
 * which define LANES and include it after kernel_vectors.h. It defines mix_all_LANES() and mix_group_LANES(). Each lane
 * does the same operations in the same order at any width. Work is skipped only for LANE_WIDTH nodes together. */
#include "anim/kernel/kernel_f64.h"

/* The local transforms of LANES nodes or entities, one vector per component. */
struct NAME(part) {
    VF rotation[4]; /* any length but 0 */
    VF translation[4], scale[4];
};

/* The state of the lanes while their layers are mixed. */
struct NAME(mixed) {
    struct NAME(part) part;
    VF sum;          /* of the weights so far */
    VI count, fault; /* layers with a share; not 0: beyond the limits of kernel.h */
};

/* Where local transforms of LANES nodes or entities are. */
struct NAME(parts_at) {
    const float *parts;
    size_t stride;  /* floats from one lane to the next */
    bool is_across; /* instead: lanes lie side by side, component by component */
};

/* Loads four components from row 0, 4 or 8 of struct rig_part on. */
KERNEL_INLINE void NAME(load_components)(struct NAME(parts_at) at, size_t node, size_t row, VF out[4])
{
    const size_t first = KERNEL_PART * node + row;
    if (!at.is_across) {
        NAME(load_rows)(at.parts + first, at.stride, out);
        return;
    }
    for (size_t i = 0; i < 4; i++)
        out[i] = NAME(load)(at.parts + (first + i) * LANES);
}

KERNEL_INLINE void NAME(load_place)(struct NAME(parts_at) at, size_t node, bool is_sized, struct NAME(part) * out)
{
    VF v[4];
    NAME(load_components)(at, node, 4, v);
    memcpy(out->translation, v, sizeof out->translation);
    if (!is_sized)
        return;
    NAME(load_components)(at, node, 8, v);
    memcpy(out->scale, v, sizeof out->scale);
}

KERNEL_INLINE void NAME(load_part)(struct NAME(parts_at) at, size_t node, bool is_sized, struct NAME(part) * out)
{
    NAME(load_components)(at, node, 0, out->rotation);
    NAME(load_place)(at, node, is_sized, out);
}

/* Nodes of one entity follow each other, which makes the stride a constant for the compiler. */
KERNEL_INLINE struct NAME(parts_at)
    NAME(parts_of)(const struct kernel_mix *mix, const struct kernel_layer *layer, const float *parts, bool is_group)
{
    return (struct NAME(parts_at)){parts, is_group ? mix->stride : KERNEL_PART, is_group && layer->is_across};
}

/* True when the layer may move any of the LANE_WIDTH nodes around `node`. */
KERNEL_INLINE bool NAME(is_in)(const struct kernel_layer *layer, size_t node)
{
    return layer->blocks == NULL || layer->blocks[node / LANE_WIDTH] != 0;
}

KERNEL_INLINE VF NAME(weights_at)(const struct kernel_layer *layer, size_t node, bool is_group)
{
    const VF weights = NAME(load)(layer->weights + (is_group || layer->blocks == NULL ? 0 : node));
    if (!is_group || layer->blocks == NULL)
        return weights;
    return NAME(of_bits)(NAME(bits)(weights) & -(int32_t)layer->is_moved[node]);
}

/* --- overriding layers --- */

/* Passed from share_begin() to share_end(). */
struct NAME(arc) {
    VF to[4];       /* the layer's rotation, of unit length */
    VF dot, square; /* of the arc to it */
};

/* Known before a share is added. */
struct NAME(share) {
    bool may_be_first; /* some nodes may have no share yet, only their rest */
    bool is_unit;      /* rotations have unit length, as in clips and the rest pose: at most one layer has a share */
};

/* Adds a layer's share to the running mean: with W the weights so far, value += w / (W + w) * (layer's - value). It
 * takes two halves, each a pass of its own over several nodes, so that their dependency chains overlap. */
KERNEL_INLINE void NAME(share_begin)(struct NAME(mixed) * mixed, VF weight, struct NAME(arc) * arc,
                                     struct NAME(share) share)
{
    VF *from = mixed->part.rotation;
    for (int i = 0; i < 4 && share.may_be_first; i++)
        from[i] = NAME(select)((weight > 0) & (mixed->count == 0), arc->to[i], from[i]);
    if (!share.is_unit)
        NAME(normalize)(from);
    arc->dot = NAME(dot)(from, arc->to);
    arc->square = NAME(arc_square)(NAME(absolute)(arc->dot));
}

KERNEL_INLINE void NAME(share_end)(struct NAME(mixed) * mixed, const struct NAME(arc) * arc,
                                   const struct NAME(part) * layer, VF weight, bool is_sized, struct NAME(share) share)
{
    struct NAME(part) *part = &mixed->part;
    const VI is_share = weight > 0, is_first = share.may_be_first ? is_share & (mixed->count == 0) : (VI){0};
    const VF sum = mixed->sum + weight, u = NAME(select)(is_share, weight / sum, (VF){0});
    const VF wa = NAME(sine)(1 - u, arc->square), wb = NAME(flip)(NAME(sine)(u, arc->square), arc->dot);
    for (int i = 0; i < 4; i++) {
        const VF turned = wa * part->rotation[i] + wb * arc->to[i];
        part->rotation[i] = NAME(select)(is_share & ~is_first, turned, part->rotation[i]);
    }
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
    mixed->fault |= is_share & ~is_first & (NAME(absolute)(arc->dot) < KERNEL_DOT_MIN);
}

/* Takes a step towards the mean of the rotations, from `mean`, which has unit length: the sum of the arcs to all of
 * them, each times its share. Returns the square of the step's length. */
KERNEL_INLINE VF NAME(step)(const struct kernel_mix *mix, size_t node, const struct NAME(mixed) * mixed, VI is_active,
                            VF mean[4], VI *fault, bool is_group)
{
    VF step[4] = {{0}, {0}, {0}, {0}};
    const VF NO_ARC = {0};
    for (uint32_t l = 0; l < mix->override_count; l++) {
        const struct kernel_layer *layer = &mix->layers[l];
        VF q[4];
        if (!NAME(is_in)(layer, node))
            continue;
        const VF weight = NAME(weights_at)(layer, node, is_group);
        NAME(load_components)(NAME(parts_of)(mix, layer, layer->parts, is_group), node, 0, q);
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

/* Refines the mean of three or more rotations, which adding one share after the other only approximates. */
KERNEL_INLINE void NAME(find_means)(const struct kernel_mix *mix, size_t node, struct NAME(mixed) * mixed,
                                    bool is_group)
{
    VI is_active = mixed->count >= 3, fault = {0};
    VF mean[4];
    memcpy(mean, mixed->part.rotation, sizeof mean);
    NAME(normalize)(mean);
    for (int n = 0; n < KERNEL_STEPS_MAX && NAME(is_any)(is_active); n++) {
        const VF square = NAME(step)(mix, node, mixed, is_active, mean, &fault, is_group);
        is_active = is_active & (square > KERNEL_STEP_MIN);
    }
    for (int i = 0; i < 4; i++)
        mixed->part.rotation[i] = NAME(select)(mixed->count >= 3, mean[i], mixed->part.rotation[i]);
    mixed->fault |= fault | is_active;
}

#include "anim/kernel/kernel_additive.h"
#include "anim/kernel/kernel_part_rows.h"

/* --- all layers --- */

/* Up to LANE_WIDTH nodes that are mixed together: each layer has a share in all of them or in none. */
struct NAME(nodes) {
    const struct kernel_mix *mix;
    size_t first;   /* the first node of the first vector */
    size_t step;    /* nodes from one vector to the next */
    uint32_t count; /* vectors */
    bool is_group;
};

KERNEL_INLINE void NAME(mix_begin)(const struct NAME(nodes) * nodes, bool is_sized, struct NAME(mixed) * mixed)
{
    const struct kernel_mix *mix = nodes->mix;
    const bool has_rest = mix->rest != NULL, is_group = nodes->is_group;
    const struct NAME(parts_at) rest = {mix->rest, is_group ? 0 : KERNEL_PART, false};
    const struct NAME(parts_at) at =
        has_rest ? rest : NAME(parts_of)(mix, &mix->layers[0], mix->layers[0].parts, is_group);
    for (uint32_t i = 0; i < nodes->count; i++) {
        const size_t node = nodes->first + i * nodes->step;
        NAME(load_part)(at, node, is_sized, &mixed[i].part);
        mixed[i].sum = (VF){0};
        if (!has_rest)
            mixed[i].sum = NAME(weights_at)(&mix->layers[0], node, is_group);
        mixed[i].count = (VI){0} + (has_rest ? 0 : 1);
        mixed[i].fault = (VI){0};
    }
}

KERNEL_INLINE void NAME(mix_override)(const struct NAME(nodes) * nodes, const struct kernel_layer *layer, bool is_sized,
                                      struct NAME(share) share, struct NAME(mixed) * mixed)
{
    const struct NAME(parts_at) at = NAME(parts_of)(nodes->mix, layer, layer->parts, nodes->is_group);
    struct NAME(arc) arcs[LANE_WIDTH];
    struct NAME(part) part;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const size_t node = nodes->first + i * nodes->step;
        NAME(load_components)(at, node, 0, arcs[i].to);
        NAME(share_begin)(&mixed[i], NAME(weights_at)(layer, node, nodes->is_group), &arcs[i], share);
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        const size_t node = nodes->first + i * nodes->step;
        NAME(load_place)(at, node, is_sized, &part);
        NAME(share_end)(&mixed[i], &arcs[i], &part, NAME(weights_at)(layer, node, nodes->is_group), is_sized, share);
    }
}

KERNEL_INLINE void NAME(mix_additive)(const struct NAME(nodes) * nodes, const struct kernel_layer *layer, bool is_sized,
                                      struct NAME(mixed) * mixed)
{
    const struct NAME(parts_at) at = NAME(parts_of)(nodes->mix, layer, layer->parts, nodes->is_group);
    const struct NAME(parts_at) from = NAME(parts_of)(nodes->mix, layer, layer->reference, nodes->is_group);
    struct NAME(part) part, reference;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const size_t node = nodes->first + i * nodes->step;
        NAME(load_part)(at, node, is_sized, &part);
        NAME(load_part)(from, node, is_sized, &reference);
        NAME(add)(&mixed[i], &reference, &part, NAME(weights_at)(layer, node, nodes->is_group), is_sized);
    }
}

KERNEL_INLINE VI NAME(mix_end)(const struct NAME(nodes) * nodes, bool is_sized, const struct NAME(mixed) * mixed)
{
    const struct kernel_mix *mix = nodes->mix;
    VI fault = {0};
    for (uint32_t i = 0; i < nodes->count; i++) {
        const size_t node = nodes->first + i * nodes->step;
        VI own = mixed[i].fault;
        for (size_t l = 0; l < LANES && !nodes->is_group && node + LANES > mix->node_count; l++)
            own[l] = node + l < mix->node_count ? own[l] : 0; /* the padding of the last vector is not a node */
        fault |= own;
        if (nodes->is_group)
            NAME(store_elements)(&mixed[i].part, is_sized, node, mix->local);
        else if (mix->f64 != NULL)
            NAME(store_f64)(&mixed[i].part, is_sized, node, mix->f64);
        else
            NAME(store_local)(&mixed[i].part, is_sized, node, mix->local);
    }
    return fault;
}

KERNEL_INLINE VI NAME(mix_nodes)(const struct NAME(nodes) * nodes, bool is_sized)
{
    const struct kernel_mix *mix = nodes->mix;
    struct NAME(mixed) mixed[LANE_WIDTH];
    NAME(mix_begin)(nodes, is_sized, mixed);
    const bool has_rest = mix->rest != NULL;
    for (uint32_t l = has_rest ? 0 : 1; l < mix->override_count; l++) {
        const struct kernel_layer *layer = &mix->layers[l];
        if (!NAME(is_in)(layer, nodes->first))
            continue;
        if (!has_rest && l == 1) { /* the usual blend */
            NAME(mix_override)(nodes, layer, is_sized, (struct NAME(share)){.is_unit = true}, mixed);
        } else {
            const struct NAME(share) share = {.may_be_first = has_rest, .is_unit = l < 2};
            NAME(mix_override)(nodes, layer, is_sized, share, mixed);
        }
    }
    for (uint32_t i = 0; i < nodes->count && mix->override_count >= 3; i++)
        NAME(find_means)(mix, nodes->first + i * nodes->step, &mixed[i], nodes->is_group);
    for (uint32_t l = mix->override_count; l < mix->count; l++)
        if (NAME(is_in)(&mix->layers[l], nodes->first))
            NAME(mix_additive)(nodes, &mix->layers[l], is_sized, mixed);
    return NAME(mix_end)(nodes, is_sized, mixed);
}

/* Returns nonzero in lanes that are beyond the limits. */
KERNEL_INLINE VI NAME(mix_of)(const struct kernel_mix *mix, bool is_sized, bool is_group)
{
    VI fault = {0};
    for (size_t first = 0; first < mix->node_count; first += LANE_WIDTH) {
        const size_t left = mix->node_count - first, here = left < LANE_WIDTH ? left : LANE_WIDTH;
        const struct NAME(nodes) nodes = {.mix = mix,
                                          .first = first,
                                          .step = is_group ? 1 : LANES,
                                          .count = (uint32_t)(is_group ? here : (here + LANES - 1) / LANES),
                                          .is_group = is_group};
        fault |= NAME(mix_nodes)(&nodes, is_sized);
    }
    return fault;
}

__attribute__((unused)) static bool NAME(mix_all)(const struct kernel_mix *mix)
{
    return !NAME(is_any)(mix->is_sized ? NAME(mix_of)(mix, true, false) : NAME(mix_of)(mix, false, false));
}

__attribute__((unused)) static uint32_t NAME(mix_group)(const struct kernel_mix *mix)
{
    const VI fault = mix->is_sized ? NAME(mix_of)(mix, true, true) : NAME(mix_of)(mix, false, true);
    uint32_t faults = 0;
    for (int i = 0; i < LANES; i++)
        faults |= fault[i] != 0 ? UINT32_C(1) << i : 0;
    return faults;
}
