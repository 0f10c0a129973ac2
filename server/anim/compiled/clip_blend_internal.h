/* clip_blend_internal.h - shared by the mixing of one entity and of a group. Pure; any thread with its own working
 * memory. For clip_blend.c and clip_group.c. */
#pragma once

#include "anim/compiled/clip_blend.h"

/* Writes the local transforms of a clip at a time, or at rest, to KERNEL_PADDED(rig_node_count + 1) struct rig_part.
 * The palette must have room for the clip's blocks. has_still: `parts` already has the nodes that do not move, from an
 * earlier call for the same clip. */
void clip_blend_put_parts(const struct clip_palette *palette, const struct model *source, int32_t clip, double time_s,
                          bool has_still, float *parts);

/* Returns the largest weight of the overriding layers. Only the ratios of their weights count, so this one becomes 1.
 */
double clip_blend_heaviest(const struct clip_blend_plan *plan);

/* Returns the greatest number of blocks of any clip or reference in the plan. */
uint32_t clip_blend_blocks(const struct model *model, const struct clip_blend_plan *plan);

/* True when no layer overrides all nodes, so that mixing begins with the rest pose. */
static inline bool clip_blend_has_rest(const struct clip_blend_plan *plan)
{
    return plan->override_count == 0 || plan->layers[0].mask_count > 0;
}

/* Returns how many sets of local transforms are mixed: one for each layer, and one for each additive layer's reference.
 */
static inline uint32_t clip_blend_sets(const struct clip_blend_plan *plan)
{
    return 2 * plan->count - plan->override_count;
}
