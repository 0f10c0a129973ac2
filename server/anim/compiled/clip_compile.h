/* clip_compile.h - makes the compiled sections of a model (model.h) from the others. It is the last step of
 * bake_finish().
 *
 * Pure; any thread. A clip is not compiled, and only pose.h evaluates it, when
 *   - the model has constraints, which depend on the whole pose,
 *   - its frames would hold more than four times as many values as its keys, or sixteen times where it has splines,
 *   - the frames would take the builder over its limit, or the model far beyond the keys that its channels share,
 *   - its splines are too many to choose frames for, or rotations on them pass by 0,
 *   - nodes of the rig do not inherit scales as a product of matrices does (anim/pose/scale_effect.h),
 *   - its numbers are so large that a palette, or a matrix on the way to it, may not fit a float, or
 *   - its palettes differ from those in double precision by more than 9e-7 of the model's size (clip_error.h): at the
 *     measured times, and where it has splines at the 10,000 times that these stand for. */
#pragma once

#include "anim/compiled/clip_sections.h"
#include "anim/model/bake_builder.h"

/* Adds the rig, where there are skins and no constraints, and a compiled_clip for each clip. Sets builder->is_failed
 * when memory runs out.
 */
void clip_compile_all(struct bake_builder *builder);

/* Compiles one clip of a view. The view is a model as it was imported, with its rig, but its clips, channels and keys
 * come from another file. The same bound on the error holds. limit_bytes bounds the size of the result; 0 = no limit.
 * False: the clip is not compiled, and *sections is empty. True: the caller must call clip_sections_fini(). */
bool clip_compile_one(const struct model *view, uint32_t clip, uint64_t limit_bytes, struct clip_sections *sections);
