/* clip_lanes.h - the values of a clip's lanes in its frames (anim/model/compiled_clip.h). Pure; any thread. For
 * clip_blocks.c. */
#pragma once

#include "anim/compiled/clip_plan.h"

/* Fills all frames of the plan: values[time_count * frame_floats], zeroed before. Takes a few steps for each number, as
 * times rise from frame to frame. */
void clip_lanes_put(const struct clip_plan *plan, const struct lane_block *blocks, uint32_t block_count,
                    uint32_t frame_floats, float *values);
