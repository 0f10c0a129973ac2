/* clip_parts.h - what blends need of a rig beside its compiled clips: local transforms taken apart (struct rig_part),
 * at rest and of each clip. Pure; any thread. For clip_compile.c. */
#pragma once

#include "anim/compiled/clip_plan.h"

/* Adds rig_places, and where blends can be compiled the set at rest and rig_matrices: where the builder's limit leaves
 * room, and the rig is composed of products of matrices at rest, too (anim/pose/scale_effect.h). rig_of_node: as
 * compile_rig() has it. */
void clip_parts_add_rest(struct bake_builder *builder, const uint32_t *rig_of_node);

/* Adds the clip's set: what its lanes do not change has its value, what they do is as at the first frame. Nothing where
 * clip_parts_add_rest() added none. */
void clip_parts_add(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *out);

/* True when `size_bytes` more are within the builder's limit. */
bool clip_parts_have_room(const struct bake_builder *builder, uint64_t size_bytes);
