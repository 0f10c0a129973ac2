/* bake_finish.h - the steps of bake_finish(), in the order in which it takes them. Only for bake_finish.c.
 *
 * Each step adds to the builder or completes it. bake_finish() finds a builder that failed on the way (limit, memory)
 * at the end, by is_failed. The functions that return a code can also find a bad model. */
#pragma once

#include "anim/bake/bake.h"

/* Refuses indices and ranges outside their arrays, which later steps could not read safely. ERR_BAD_BAKE or
 * ERR_BAD_MODEL. */
int bake_finish_check_references(const struct bake_builder *builder, struct err *err);

/* Sets matrices of nodes and joints, decomposed transforms, and NODE_SHEAR. */
void bake_finish_matrices(struct bake_builder *builder);
/* Sets MODEL_OWN_SCALES. */
void bake_finish_scales(struct bake_builder *builder);
/* Sets node_order and NODE_IN_SCENE, and removes duplicates from scene_roots. ERR_BAD_MODEL for a cycle, or
 * ERR_NO_MEMORY. */
int bake_finish_order(struct bake_builder *builder, struct err *err);

/* Drops channels that drive a target which a later channel drives too; sets start_s and duration_s. ERR_NO_MEMORY. */
int bake_finish_clips(struct bake_builder *builder, struct err *err);
