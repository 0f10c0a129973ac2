/* clip_blocks.h - the blocks, constants and frames of a planned clip. Pure; any thread. For clip_compile.c and
 * bake_check_compiled.c. */
#pragma once

#include "anim/bake/bake.h"
#include "anim/compiled/clip_plan.h"

/* Adds the clip's frames, blocks, still and sampled nodes to the builder and fills *out. False, with nothing added,
 * when there would be too many (clip_compile.h). */
bool clip_blocks_add(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *out);

/* How many vectors of its width a block with these flags (LANES_) has in each frame, and among the constants. */
uint32_t block_frame_vectors(uint32_t flags);
uint32_t block_constant_vectors(uint32_t flags);
