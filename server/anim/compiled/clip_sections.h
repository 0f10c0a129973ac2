/* clip_sections.h - the arrays of compiled clips that are made apart from their model. Pure; any thread. */
#pragma once

#include "anim/model/bake_builder.h"

/* Compiled clips, with a compiled_clip for each clip of a view; those with frame_count 0 are not compiled. */
struct clip_sections {
#define X(singular, plural, type)                                                                                      \
    type *plural;                                                                                                      \
    uint32_t singular##_count;
#include "anim/compiled/clip_sections.def"
#undef X
    uint64_t size_bytes; /* total */
};

/* Gives the view these compiled clips, which use the rig of its model. The sections are borrowed. */
void clip_sections_use(const struct clip_sections *sections, struct model *view);
void clip_sections_fini(struct clip_sections *sections);

/* --- for clip_compile.c and clip_restore.c --- */

/* Makes a builder that borrows the view's arrays, except that those of clip_sections.def are empty and its own. */
struct bake_builder clip_sections_borrow(const struct model *view, uint64_t limit_bytes);
/* Adds the set of rig_parts at rest, which precedes the others. */
void clip_sections_add_rest(struct bake_builder *builder, const struct model *view);
/* Takes over the builder's own arrays. */
void clip_sections_take(struct clip_sections *sections, const struct bake_builder *builder);
