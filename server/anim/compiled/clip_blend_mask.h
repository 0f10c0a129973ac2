/* clip_blend_mask.h - finds the rig nodes that a layer may move. Pure; any thread with its own masks. For clip_blend.c.
 */
#pragma once

#include "anim/compiled/clip_blend.h"

/* Makes room for this many nodes and masks. False when memory runs out; *mask is unchanged. */
bool clip_blend_mask_reserve(struct clip_blend_mask *mask, uint32_t rig_node_count, uint32_t mask_count);

/* Returns one byte for each rig node: 1 where the layer may move it. The layer must have masks. The result is valid
 * until the next call with `mask`. */
const uint8_t *clip_blend_mask_find(struct clip_blend_mask *mask, const struct model *model,
                                    const struct blend_layer *layer);
