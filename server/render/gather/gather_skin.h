/* gather_skin.h - linear skinning in float, by the formulas of shaders/skin.vert: each vertex once, four numbers at a
 * time. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"
#include "anim/model/model.h"

/* Skinned vertices: arrays of the caller's, [vertex_count of the primitive]. */
struct gather_skinned {
    struct vec3 *positions, *normals;
    struct vec4 *tangents; /* or NULL: not wanted. Only of a primitive with PRIMITIVE_TANGENTS */
};

/* Skins `positions` and `normals` of a primitive (morphed, or the model's own; out's may be the same), and the model's
 * tangents. palette: of the draw's skin. Normals go by the cofactors of each vertex's matrix, unit length, or 0 where
 * they have no direction; tangents by the matrix itself, their largest component 1, or 0. */
void gather_skin(const struct model *model, uint32_t primitive, const struct mat4 *palette,
                 const struct vec3 *positions, const struct vec3 *normals, struct gather_skinned *out);
