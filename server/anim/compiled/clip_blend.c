/* clip_blend.c - collects the inputs of kernel->mix(): local transforms and weights of all layers. */
#include "anim/compiled/clip_blend.h"

#include "anim/compiled/clip_blend_mask.h"
#include "anim/compiled/clip_blend_internal.h"
#include "anim/compiled/clip_frames.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void clip_blend_init(struct clip_blend *blend) { *blend = (struct clip_blend){0}; }

void clip_blend_fini(struct clip_blend *blend)
{
    free(blend->parts);
    free(blend->weights);
    free(blend->blocks);
    for (int i = 0; i < BLEND_LAYERS_MAX; i++) {
        free(blend->masks[i].masks);
        free(blend->masks[i].is_moved);
    }
    clip_blend_init(blend);
}

/* --- weights --- */

/* Sets `weight` for the nodes that the layer may move. */
static void put_weights(struct clip_blend *blend, const struct model *model, const struct blend_layer *layer,
                        uint32_t index, float weight, struct kernel_layer *out)
{
    const uint32_t padded = KERNEL_PADDED(model->rig_node_count);
    float *weights = blend->weights + (size_t)index * padded;
    uint8_t *blocks = blend->blocks + (size_t)index * (padded / LANE_WIDTH);
    out->weights = weights;
    if (layer->mask_count == 0) {
        for (uint32_t i = 0; i < LANE_WIDTH; i++)
            weights[i] = weight;
        return;
    }
    const uint8_t *is_moved = clip_blend_mask_find(&blend->masks[index], model, layer);
    memset(blocks, 0, padded / LANE_WIDTH);
    for (uint32_t n = 0; n < model->rig_node_count; n++) {
        weights[n] = is_moved[n] != 0 ? weight : 0;
        blocks[n / LANE_WIDTH] |= is_moved[n];
    }
    memset(weights + model->rig_node_count, 0, (padded - model->rig_node_count) * sizeof *weights);
    out->blocks = blocks;
}

/* --- nodes given by a matrix --- */

static bool moves(const struct kernel_layer *layer, uint32_t node)
{
    const struct rig_part *parts = (const struct rig_part *)(const void *)layer->parts;
    const struct rig_part *reference = (const struct rig_part *)(const void *)layer->reference;
    const float weight = layer->weights[layer->blocks == NULL ? 0 : node];
    return weight > 0 && (parts[node].is_animated != 0 || (reference != NULL && reference[node].is_animated != 0));
}

/* Matrix nodes that no layer's clip moves keep their matrix. */
static void put_matrices(struct clip_palette *palette, const struct model *model, const struct kernel_mix *mix)
{
    for (uint32_t i = 0; i < model->rig_matrix_count; i++) {
        const struct still_node *still = &model->rig_matrices[i];
        bool is_moved = false;
        for (uint32_t l = 0; l < mix->count && !is_moved; l++)
            is_moved = moves(&mix->layers[l], still->rig_node);
        if (!is_moved)
            clip_palette_put_still(palette, still, palette->is_f64);
    }
}

/* --- all --- */

static uint32_t blocks_of(const struct model *model, const struct model *source, int32_t clip)
{
    source = source != NULL ? source : model;
    return clip == POSE_REST ? 0 : source->compiled_clips[clip].block_count;
}

static bool reserve(struct clip_blend *blend, const struct model *model, uint32_t sets, uint32_t layer_count)
{
    const uint32_t padded = KERNEL_PADDED(model->rig_node_count);
    return clip_frames_reserve(&blend->parts, &blend->part_capacity, sets * KERNEL_PADDED(model->rig_node_count + 1),
                               KERNEL_PART * sizeof(float)) &&
           clip_frames_reserve(&blend->weights, &blend->weight_capacity, layer_count * padded, sizeof(float)) &&
           clip_frames_reserve(&blend->blocks, &blend->block_capacity, layer_count * (padded / LANE_WIDTH), 1);
}

bool clip_blend_reserve(struct clip_blend *blend, const struct model *model, uint32_t layer_count)
{
    for (uint32_t i = 0; i < layer_count; i++)
        if (!clip_blend_mask_reserve(&blend->masks[i], model->rig_node_count, BLEND_MASKS_MAX))
            return false;
    return reserve(blend, model, 2 * layer_count + 1, layer_count);
}

uint32_t clip_blend_blocks(const struct model *model, const struct clip_blend_plan *plan)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct blend_layer *layer = &plan->layers[i];
        const uint32_t own = blocks_of(model, layer->source, layer->clip);
        const uint32_t reference =
            layer->is_additive ? blocks_of(model, layer->reference_source, layer->reference_clip) : 0;
        blocks = own > blocks ? own : blocks;
        blocks = reference > blocks ? reference : blocks;
    }
    return blocks;
}

/* Makes room for all sets and the one at rest. */
static void grow(struct clip_blend *blend, struct clip_palette *palette, const struct model *model,
                 const struct clip_blend_plan *plan)
{
    palette->is_f64 = plan->is_f64;
    palette->is_widened = false;
    clip_palette_grow(palette, model, clip_blend_blocks(model, plan), plan->is_f64);
    if (!reserve(blend, model, clip_blend_sets(plan) + 1, plan->count))
        mem_exhausted();
}

double clip_blend_heaviest(const struct clip_blend_plan *plan)
{
    double most = 0;
    for (uint32_t i = 0; i < plan->override_count; i++)
        most = plan->layers[i].weight > most ? plan->layers[i].weight : most;
    return most;
}

bool clip_blend_sample(struct clip_blend *blend, struct clip_palette *palette, const struct model *model,
                       const struct clip_blend_plan *plan)
{
    struct kernel_layer layers[BLEND_LAYERS_MAX] = {{0}};
    const size_t set = KERNEL_PART * (size_t)KERNEL_PADDED(model->rig_node_count + 1);
    const double most = clip_blend_heaviest(plan);
    grow(blend, palette, model, plan);
    float *buffer = blend->parts;
    struct kernel_mix mix = {.layers = layers,
                             .count = plan->count,
                             .override_count = plan->override_count,
                             .is_sized = plan->is_sized,
                             .node_count = model->rig_node_count,
                             .local = palette->matrices,
                             .f64 = plan->is_f64 ? palette->f64 : NULL};
    for (uint32_t i = 0; i < plan->count; i++, buffer += set) {
        const struct blend_layer *layer = &plan->layers[i];
        const double weight = layer->is_additive ? layer->weight : layer->weight / most;
        clip_blend_put_parts(palette, layer->source != NULL ? layer->source : model, layer->clip, layer->clip_time_s,
                             false, buffer);
        put_weights(blend, model, layer, i, (float)weight, &layers[i]);
        layers[i].parts = buffer;
        if (!layer->is_additive)
            continue;
        buffer += set;
        clip_blend_put_parts(palette, layer->reference_source != NULL ? layer->reference_source : model,
                             layer->reference_clip, layer->reference_time_s, false, buffer);
        layers[i].reference = buffer;
    }
    if (clip_blend_has_rest(plan)) {
        clip_blend_put_parts(palette, model, POSE_REST, 0, false, buffer);
        mix.rest = buffer;
    }
    const bool is_mixed = palette->kernel->mix(&mix);
    put_matrices(palette, model, &mix);
    return is_mixed;
}
