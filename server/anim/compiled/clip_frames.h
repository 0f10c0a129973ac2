/* clip_frames.h - finds the frames of a compiled clip around a time. Pure; any thread. For clip_palette.c and
 * clip_blend.c. */
#pragma once

#include "anim/kernel/kernel.h"

#include <stddef.h>

/* Fills the inputs of kernel->lanes(); the caller sets the outputs. Any time is valid; before the first and after the
 * last frame, that frame holds. */
void clip_frames_find(const struct model *model, const struct compiled_clip *clip, double time_s,
                      struct kernel_lanes *lanes);

/* True when `lanes` are at the first frame, the frame of the clip's rig_parts. */
static inline bool clip_frames_are_first(const struct model *model, const struct compiled_clip *clip,
                                         const struct kernel_lanes *lanes)
{
    return lanes->u == 0 && lanes->from == model->lane_values + clip->value_first;
}

/* Gives the array that `room` points to zeroed room for `count` items, at a multiple of 64 bytes. False: memory ran
 * out, and the array is unchanged. */
bool clip_frames_reserve(void *array, uint32_t *capacity, uint32_t count, size_t item_bytes);
