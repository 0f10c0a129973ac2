/* clip_blend_internal.h - what mixing one entity and mixing a group have in common. Pure; any thread with its own
 * working memory. For clip_blend.c and clip_group.c. */
#pragma once

#include "anim/compiled/clip_blend.h"

/* Local transforms of a clip at a time, or at rest, to KERNEL_PADDED(rig_node_count + 1) struct rig_part. The palette
 * has room for the clip's blocks. has_still: what does not move is there, from the same clip before. */
void clip_blend_put_parts(const struct clip_palette *palette, const struct model *source, int32_t clip, double time_s,
                          bool has_still, float *parts);

/* Weights of layers that override count by their ratios: the largest one's is 1. */
double clip_blend_heaviest(const struct clip_blend_plan *plan);

/* Blocks of the clip that has most, or of its reference. */
uint32_t clip_blend_blocks(const struct model *model, const struct clip_blend_plan *plan);

/* Whether no layer overrides all nodes, so that mixing begins with the rest pose. */
static inline bool clip_blend_has_rest(const struct clip_blend_plan *plan)
{
    return plan->override_count == 0 || plan->layers[0].mask_count > 0;
}

/* How many sets of local transforms are mixed: of each layer, and of each additive one's reference. */
static inline uint32_t clip_blend_sets(const struct clip_blend_plan *plan)
{
    return 2 * plan->count - plan->override_count;
}
