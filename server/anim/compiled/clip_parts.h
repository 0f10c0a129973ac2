/* clip_parts.h - adds the data with which blends mix compiled clips: decomposed local transforms (struct rig_part) at
 * rest and for each clip. Pure; any thread. For clip_compile.c. */
#pragma once

#include "anim/compiled/clip_plan.h"

/* Adds rig_places. Where blends can be compiled it also adds the set at rest and rig_matrices: the builder's limit must
 * leave room, and the rig must be a product of matrices at rest too (anim/pose/scale_effect.h). rig_of_node comes from
 * clip_rig_add(). */
void clip_parts_add_rest(struct bake_builder *builder, const uint32_t *rig_of_node);

/* Adds the clip's set. Values that the clip's lanes do not change are final, the others are those of the first frame.
 * Adds nothing where clip_parts_add_rest() added nothing. */
void clip_parts_add(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *out);

/* True when the builder's limit leaves room for `size_bytes` more. */
bool clip_parts_have_capacity(const struct bake_builder *builder, uint64_t size_bytes);
