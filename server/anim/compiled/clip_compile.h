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

/* Adds the rig, where there are skins, and a compiled_clip for each clip. Sets builder->is_failed when memory is gone.
 */
void clip_compile_all(struct bake_builder *builder);

/* What compiling one clip made: one compiled_clip for each clip of its view, of which one is compiled. */
struct clip_sections {
#define X(singular, plural, type)                                                                                      \
    type *plural;                                                                                                      \
    uint32_t singular##_count;
#include "anim/compiled/clip_sections.def"
#undef X
    uint64_t size_bytes; /* of all */
};

/* Compiles one clip of a view: a model as it was imported, rig and all, but for its clips, channels and keys, which are
 * those of another file. The same bound of the error holds. limit_bytes: of what is made, 0 = none. False: the clip
 * stays as it is, and nothing was made. True: clip_sections_fini() is the caller's. */
bool clip_compile_one(const struct model *view, uint32_t clip, uint64_t limit_bytes, struct clip_sections *sections);
/* The view has these compiled clips from now on, by the rig of its model; borrowed. */
void clip_sections_use(const struct clip_sections *sections, struct model *view);
void clip_sections_fini(struct clip_sections *sections);
