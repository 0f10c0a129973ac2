/* gather_skin.h - linear skinning in float, with the formulas of shaders/skin.vert: each vertex once, four numbers at a
 * time. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"
#include "anim/model/model.h"

/* Skinned vertices: the caller's arrays, [vertex_count of the primitive]. */
struct gather_skinned {
    struct vec3 *positions, *normals;
    struct vec4 *tangents; /* or NULL when not needed; only for a primitive with PRIMITIVE_TANGENTS */
};

/* Skins `positions` and `normals` of a primitive (morphed, or the model's own; the output may be the same), and the
 * model's tangents. palette: for the draw's skin. Normals are transformed by the cofactors of each vertex's matrix and
 * have unit length, or 0 where they have no direction. Tangents are transformed by the matrix itself, and their largest
 * component is 1, or 0. */
void gather_skin(const struct model *model, uint32_t primitive, const struct mat4 *palette,
                 const struct vec3 *positions, const struct vec3 *normals, struct gather_skinned *out);
