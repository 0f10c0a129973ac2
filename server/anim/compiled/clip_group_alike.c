/* clip_group_alike.c - which entities can share a group. */
#include "anim/compiled/clip_group.h"

#include <string.h>

static const struct model *source_of(const struct model *model, const struct model *source)
{
    return source != NULL ? source : model;
}

bool clip_group_takes(const struct model *model, enum clip_blend_way way, const struct clip_blend_plan *plan)
{
    const struct blend_layer *layer = &plan->layers[0];
    if (model->rig_node_count > CLIP_GROUP_NODES_MAX)
        return false;
    if (way == CLIP_BLEND_SINGLE)
        return (source_of(model, layer->source)->compiled_clips[layer->clip].flags & COMPILED_F64_ANY) == 0;
    return way == CLIP_BLEND_MIXED && !plan->is_f64;
}

bool clip_group_is_alike(enum clip_blend_way way, const struct clip_blend_plan *a, const struct clip_blend_plan *b)
{
    if (way == CLIP_BLEND_SINGLE)
        return true;
    if (a->count != b->count || a->override_count != b->override_count || a->is_sized != b->is_sized ||
        a->is_covered != b->is_covered)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct blend_layer *one = &a->layers[i], *other = &b->layers[i];
        if (one->mask_count != other->mask_count ||
            (one->mask_count > 0 && one->masks != other->masks &&
             memcmp(one->masks, other->masks, one->mask_count * sizeof *one->masks) != 0))
            return false;
    }
    return true;
}
