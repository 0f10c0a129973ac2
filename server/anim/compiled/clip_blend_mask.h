/* clip_blend_mask.h - which rig nodes a layer may move. Pure; any thread with its own masks. For clip_blend.c. */
#pragma once

#include "anim/compiled/clip_blend.h"

/* Room for so many. False when memory is gone; *mask is what it was. */
bool clip_blend_mask_reserve(struct clip_blend_mask *mask, uint32_t rig_node_count, uint32_t mask_count);

/* One byte for each rig node: 1 where the layer, which has masks, may move it. Valid until the next call with `mask`.
 */
const uint8_t *clip_blend_mask_find(struct clip_blend_mask *mask, const struct model *model,
                                    const struct blend_layer *layer);
