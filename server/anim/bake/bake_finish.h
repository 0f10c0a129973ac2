/* bake_finish.h - the steps of bake_finish(), in the order it takes them; for bake_finish.c only.
 *
 * Each adds to the builder or completes what is there. A builder that fails on the way (limit, memory) is
 * found by is_failed at the end; the functions that return a code can find a bad model. */
#pragma once

#include "anim/bake/bake.h"

/* Refuses what later steps could not even look at: indices and ranges outside their arrays. ERR_BAD_BAKE,
 * or ERR_BAD_MODEL. */
int bake_finish_check_references(const struct bake_builder *builder, struct err *err);

/* Matrices of nodes and joints, decomposed transforms, NODE_SHEAR. */
void bake_finish_matrices(struct bake_builder *builder);
/* MODEL_OWN_SCALES. */
void bake_finish_scales(struct bake_builder *builder);
/* node_order and NODE_IN_SCENE; scene_roots without duplicates. ERR_BAD_MODEL for a cycle, ERR_NO_MEMORY. */
int bake_finish_order(struct bake_builder *builder, struct err *err);

/* Channels that drive a thing twice; start_s and duration_s. ERR_NO_MEMORY. */
int bake_finish_clips(struct bake_builder *builder, struct err *err);
