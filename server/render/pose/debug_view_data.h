/* debug_view_data.h - what views tell of vertices and triangles, as arrays for the GPU. Pure; any thread.
 *
 * joint: 0, or 1 + the node that the view is about. The arrays are the caller's to free(). */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"
#include "render/pose/skeleton_mesh.h"

/* [vertex_count of the draw's primitive], for VIEW_WEIGHTS: with a joint its weight as red, 255 for all of it, else the
 * colour of the node that moves the vertex most; and the model's own alpha. NULL and ERR_NO_MEMORY. */
struct rgba8 *debug_view_weight_colors(const struct model *model, const struct draw *draw, uint32_t joint,
                                       struct err *err);
/* 0xRRGGBB of each triangle, line or point of a draw, for VIEW_JOINTS. NULL and ERR_NO_MEMORY. */
uint32_t *debug_view_id_colors(const struct model *model, const struct draw *draw, struct err *err);

/* The same of bones, [vertex_count / 3]. */
uint32_t *debug_view_bone_id_colors(const struct skeleton_mesh *skeleton, struct err *err);
/* [vertex_count] of bones: as for VIEW_WEIGHTS, or their own linear colours but for the joint and the bones that begin
 * at it. */
struct rgba8 *debug_view_bone_colors(const struct skeleton_mesh *skeleton, uint32_t joint, bool is_by_weight,
                                     struct err *err);
