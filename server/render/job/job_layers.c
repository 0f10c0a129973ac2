/* job_layers.c - checks the layers of a job against its models. */
#include "render/job/job_layers.h"

#include <math.h>

static bool is_clip(const struct job_sources *sources, uint32_t source, int32_t clip)
{
    return source <= sources->count &&
           (clip == POSE_REST || (clip >= 0 && (uint32_t)clip < job_source(sources, source)->clip_count));
}

static bool is_good(const struct render_blend *blend, const struct render_layer *layer,
                    const struct job_sources *sources)
{
    return is_clip(sources, layer->clip_source, layer->clip) &&
           is_clip(sources, layer->reference_source, layer->reference_clip) && isfinite(layer->reference_time_s) &&
           isfinite(layer->weight) && layer->weight >= 0 && (layer->is_additive == 0 || layer->weight <= 1) &&
           layer->mask_count <= blend->mask_count && layer->mask_first <= blend->mask_count - layer->mask_count;
}

int job_layers_init(struct job_layers *layers, const struct render_blend *blend, const struct job_sources *sources,
                    struct err *err)
{
    layers->count = 0;
    if (blend->layer_count > BLEND_LAYERS_MAX || blend->mask_count > BLEND_MASKS_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "%u layers with %u joints cannot be blended", blend->layer_count,
                       blend->mask_count);
    for (uint32_t i = 0; i < blend->mask_count; i++) {
        const uint32_t node = blend->masks[i] / 4, scope = blend->masks[i] % 4;
        if (node >= sources->model->node_count || scope > BLEND_EXCEPT)
            return err_set(err, ERR_BAD_PARAMETER, "joint %u of the layers is not one of the model's", i);
        layers->masks[i] = (struct blend_mask){.node = node, .scope = (enum mask_scope)scope};
    }
    for (uint32_t i = 0; i < blend->layer_count; i++) {
        const struct render_layer *layer = &blend->layers[i];
        if (!is_good(blend, layer, sources))
            return err_set(err, ERR_BAD_PARAMETER, "layer %u cannot be blended", i);
        layers->layers[i] = (struct blend_layer){
            .source = job_source(sources, layer->clip_source),
            .clip = layer->clip,
            .weight = layer->weight,
            .is_additive = layer->is_additive != 0,
            .reference_source = job_source(sources, layer->reference_source),
            .reference_clip = layer->reference_clip,
            .reference_time_s = layer->reference_time_s,
            .masks = layers->masks + layer->mask_first,
            .mask_count = layer->mask_count,
        };
    }
    layers->count = blend->layer_count;
    return 0;
}

int job_layers_set(struct job_layers *layers, const double *times_s, struct err *err)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        if (!isfinite(times_s[i]))
            return err_set(err, ERR_BAD_PARAMETER, "layer %u has a time that is not finite", i);
        layers->layers[i].clip_time_s = times_s[i];
    }
    return 0;
}
