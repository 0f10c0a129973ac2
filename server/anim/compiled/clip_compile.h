/* clip_compile.h - makes the compiled sections of a model (model.h) from the others; the last step of bake_finish().
 *
 * Pure; any thread. A clip stays as it is, and is then evaluated by pose.h alone, when
 * - the frames that its channels' times make together would hold more than four times the keys that it has,
 * - the frames would take the builder over its limit, or the model far beyond the keys that its channels share,
 * - its splines are shared by many nodes, each of which a check of the model looks at,
 * - nodes of the rig do not inherit its scales as a product of matrices does (anim/pose/scale_effect.h),
 * - its numbers are so large that a palette, or a matrix on the way to it, may not fit a float, or
 * - its palettes are further than 9e-7 of the model's size from those in double precision (clip_error.h). */
#pragma once

#include "anim/model/bake_builder.h"

/* Adds the rig and a compiled_clip for each clip; nothing where no joint or no clip is. Sets builder->is_failed when
 * memory is gone. */
void clip_compile_all(struct bake_builder *builder);
