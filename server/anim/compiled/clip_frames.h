/* clip_frames.h - the frames of a compiled clip around a time, and what is sampled beside them. Pure; any thread. For
 * clip_palette.c and clip_blend.c. */
#pragma once

#include "anim/kernel/kernel.h"
#include "anim/model/mat.h"

#include <stddef.h>

/* Fills what kernel->lanes() reads; where it writes is the caller's. Any time; before the first and after the last
 * frame that one holds. */
void clip_frames_find(const struct model *model, const struct compiled_clip *clip, double time_s,
                      struct kernel_lanes *lanes);

/* True when `lanes` are at the first frame: that of the clip's rig_parts. */
static inline bool clip_frames_are_first(const struct model *model, const struct compiled_clip *clip,
                                         const struct kernel_lanes *lanes)
{
    return lanes->u == 0 && lanes->from == model->lane_values + clip->value_first;
}

/* A node of cubic splines, as pose.c evaluates it. */
struct trs clip_frames_sample(const struct model *model, const struct sampled_node *sampled, double time_s);

/* The array that `room` points at has zeroed room for `count` items at a multiple of 64 bytes then. False: memory is
 * gone, and it is what it was. */
bool clip_frames_reserve(void *room, uint32_t *capacity, uint32_t count, size_t item_bytes);
