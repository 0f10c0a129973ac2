/* clip_blend_mask.h - which rig nodes a layer may move. Pure; any thread with its own masks. For clip_blend.c. */
#pragma once

#include "anim/compiled/clip_blend.h"

/* One byte for each rig node: 1 where the layer, which has masks, may move it. Valid until the next call with `mask`. */
const uint8_t *clip_blend_mask_find(struct clip_blend_mask *mask, const struct model *model,
                                    const struct blend_layer *layer);
