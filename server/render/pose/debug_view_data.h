/* debug_view_data.h - the colours of vertices and triangles in debug views, as arrays for the GPU. Pure; any thread.
 *
 * joint: 0, or 1 + the node that the view shows. The caller frees the arrays. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"
#include "render/pose/skeleton_mesh.h"

/* [vertex_count of the draw's primitive], for VIEW_WEIGHTS: with a joint, its weight as red, 255 for all of it; without
 * one, the colour of the node that moves the vertex most. Alpha is the model's own. On failure NULL and ERR_NO_MEMORY.
 */
struct rgba8 *debug_view_weight_colors(const struct model *model, const struct draw *draw, uint32_t joint,
                                       struct err *err);
/* 0xRRGGBB for each triangle, line or point of a draw, for VIEW_JOINTS. On failure NULL and ERR_NO_MEMORY. */
uint32_t *debug_view_id_colors(const struct model *model, const struct draw *draw, struct err *err);

/* The same for bones, [vertex_count / 3]. */
uint32_t *debug_view_bone_id_colors(const struct skeleton_mesh *skeleton, struct err *err);
/* [vertex_count] for bones: colours as in VIEW_WEIGHTS, or their own linear colours with the joint and the bones that
 * begin at it highlighted. */
struct rgba8 *debug_view_bone_colors(const struct skeleton_mesh *skeleton, uint32_t joint, bool is_by_weight,
                                     struct err *err);
