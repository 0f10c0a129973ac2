/* clip_blend_plan.c - decides which blends the kernels mix. */
#include "anim/compiled/clip_blend.h"

#include <math.h>
#include <string.h>

/* --- layers --- */

static const struct model *source_of(const struct model *model, const struct model *source)
{
    return source != NULL ? source : model;
}

/* True when both layers have the same pose and move the same nodes. */
static bool is_alike(const struct blend_layer *a, const struct blend_layer *b)
{
    return a->source == b->source && a->clip == b->clip && a->clip_time_s == b->clip_time_s &&
           a->mask_count == b->mask_count &&
           (a->mask_count == 0 || memcmp(a->masks, b->masks, a->mask_count * sizeof *a->masks) == 0);
}

static void put_override(struct clip_blend_plan *plan, const struct blend_layer *layer)
{
    for (uint32_t i = 0; i < plan->count; i++)
        if (is_alike(&plan->layers[i], layer)) {
            plan->layers[i].weight += layer->weight;
            return;
        }
    plan->layers[plan->count++] = *layer;
}

/* Puts a layer that may move all nodes first, so that the kernels need not begin with the rest pose. */
static void put_whole_first(struct clip_blend_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->layers[i].mask_count == 0) {
            const struct blend_layer first = plan->layers[0];
            if (i > 0) {
                plan->layers[0] = plan->layers[i];
                plan->layers[i] = first;
            }
            return;
        }
}

static void put_layers(struct clip_blend_plan *plan, const struct blend_layer *layers, uint32_t count)
{
    plan->count = 0;
    plan->is_covered = false;
    for (uint32_t i = 0; i < count; i++)
        if (!layers[i].is_additive && layers[i].weight > 0)
            put_override(plan, &layers[i]);
    plan->override_count = plan->count;
    put_whole_first(plan);
    for (uint32_t i = 0; i < count; i++)
        if (layers[i].is_additive && layers[i].weight > 0)
            plan->layers[plan->count++] = layers[i];
}

/* --- which blends can be mixed --- */

/* A view with other clips has the model's own rig (anim/retarget). */
static bool is_compiled(const struct model *model, const struct model *source, int32_t clip)
{
    return clip_palette_is_compiled(source, clip) && source->rig_nodes == model->rig_nodes &&
           source->rig_node_count == model->rig_node_count;
}

static bool has_parts(const struct model *model, const struct model *source, int32_t clip)
{
    return clip == POSE_REST || (is_compiled(model, source, clip) && source->rig_part_count > 0);
}

static double error_of(const struct model *model, const struct model *source, int32_t clip, bool is_f64)
{
    return clip == POSE_REST ? 0 : (double)source_of(model, source)->compiled_clips[clip].blend_errors[is_f64];
}

static bool can_mix(const struct model *model, const struct clip_blend_plan *plan)
{
    bool has_clip = false;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct blend_layer *layer = &plan->layers[i];
        if (!has_parts(model, source_of(model, layer->source), layer->clip) ||
            (layer->is_additive && !has_parts(model, source_of(model, layer->reference_source), layer->reference_clip)))
            return false;
        has_clip = has_clip || layer->clip != POSE_REST || (layer->is_additive && layer->reference_clip != POSE_REST);
    }
    return has_clip && model->rig_part_count > 0;
}

static bool is_sized(const struct model *model, const struct model *source, int32_t clip)
{
    return clip != POSE_REST && source_of(model, source)->compiled_clips[clip].sized_count > 0;
}

bool clip_blend_is_sized(const struct model *model, const struct clip_blend_plan *plan)
{
    bool is = false;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct blend_layer *layer = &plan->layers[i];
        is = is || is_sized(model, layer->source, layer->clip) ||
             (layer->is_additive && is_sized(model, layer->reference_source, layer->reference_clip));
    }
    return is;
}

static bool is_cubic(const struct model *model, const struct model *source, int32_t clip)
{
    return clip != POSE_REST && (source_of(model, source)->compiled_clips[clip].flags & COMPILED_CUBIC) != 0;
}

bool clip_blend_is_cubic(const struct model *model, const struct clip_blend_plan *plan)
{
    bool is = false;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct blend_layer *layer = &plan->layers[i];
        is = is || is_cubic(model, layer->source, layer->clip) ||
             (layer->is_additive && is_cubic(model, layer->reference_source, layer->reference_clip));
    }
    return is;
}

/* True when no weight, as a float, comes near the smallest floats. */
static bool are_weights_near(const struct clip_blend_plan *plan)
{
    static const double RATIO_MAX = 1e20;
    double least = HUGE_VAL, most = 0;
    for (uint32_t i = 0; i < plan->override_count; i++) {
        least = fmin(least, plan->layers[i].weight);
        most = fmax(most, plan->layers[i].weight);
    }
    return plan->override_count == 0 || most <= least * RATIO_MAX;
}

/* Returns the larger one, or NaN if either is; fmax() would lose it. */
static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

double clip_blend_bound(const struct model *model, const struct clip_blend_plan *plan, bool is_f64)
{
    double largest = 0, added = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct blend_layer *layer = &plan->layers[i];
        const double error = error_of(model, layer->source, layer->clip, is_f64);
        const double reference =
            layer->is_additive ? error_of(model, layer->reference_source, layer->reference_clip, is_f64) : 0;
        largest = larger(largest, larger(error, reference));
        added += layer->is_additive ? layer->weight * (error + reference) : 0;
    }
    return largest + added;
}

enum clip_blend_way clip_blend_choose(const struct model *model, const struct blend_layer *layers, uint32_t count,
                                      struct clip_blend_plan *plan)
{
    put_layers(plan, layers, count);
    if (plan->count == 1 && plan->override_count == 1 && plan->layers[0].mask_count == 0)
        return is_compiled(model, source_of(model, plan->layers[0].source), plan->layers[0].clip) ? CLIP_BLEND_SINGLE
                                                                                                  : CLIP_BLEND_EXACT;
    if (!can_mix(model, plan) || !are_weights_near(plan))
        return CLIP_BLEND_EXACT;
    plan->is_sized = clip_blend_is_sized(model, plan);
    for (int is_f64 = 0; is_f64 < 2; is_f64++)
        if (clip_blend_bound(model, plan, is_f64) <= CLIP_BLEND_BOUND_MAX) {
            plan->is_f64 = is_f64;
            return CLIP_BLEND_MIXED;
        }
    return CLIP_BLEND_EXACT;
}
