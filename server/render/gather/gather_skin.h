/* gather_skin.h - linear skinning in float, by the formulas of shaders/skin.vert: each vertex once, four numbers at a
 * time. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"
#include "anim/model/model.h"

/* Skins `positions` and `normals` of a primitive (morphed, or the model's own) into the two out arrays, [vertex_count];
 * they may be the same. palette: of the draw's skin. Normals go by the cofactors of each vertex's matrix, unit length,
 * or 0 where they have no direction. */
void gather_skin(const struct model *model, uint32_t primitive, const struct mat4 *palette,
                 const struct vec3 *positions, const struct vec3 *normals, struct vec3 *positions_out,
                 struct vec3 *normals_out);
