/* skin.h - deformed vertices on the CPU: morph targets, then skinning.
 *
 * Pure; any thread. A vertex: position = sum over its influences of weight * palette[joint] * (bind position +
 * sum of morph weight * delta). Any number of influences; none means joint 0 (model.h). */
#pragma once

#include "base/err.h"
#include "anim/pose/pose.h"

/* Morphed bind positions of a primitive: out[vertex_count of the primitive], caller's.
 * `weights` are those of the draw's node: pose->weights + node.weight_first, morph_target_count of them
 * (missing ones count as 0: pass weight_count). */
void skin_morph_positions(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                          struct vec3 *out);
/* Adds the deltas of one vertex of the model (not of the primitive) to its bind position. */
void skin_morph_position(const struct model *model, uint32_t primitive, uint32_t vertex, const double *weights,
                         uint32_t weight_count, double bind[3]);
/* The same as skin_morph_positions() for normals; not normalised. */
void skin_morph_normals(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                        struct vec3 *out);

/* Skins `bind` (positions of the primitive, morphed or the model's own) into out[vertex_count]; may be the
 * same array. palette: of the draw's skin, in the wanted space. */
void skin_positions(const struct model *model, uint32_t primitive, const struct mat4 *palette, const struct vec3 *bind,
                    struct vec3 *out);
/* The same for one vertex of the model (not of a primitive), wherever it is in bind space. */
void skin_position(const struct model *model, uint32_t vertex, const struct mat4 *palette, const double bind[3],
                   struct vec3 *out);
/* Normals by the inverse transpose of each vertex's blended matrix (its cofactors), unit length. */
void skin_normals(const struct model *model, uint32_t primitive, const struct mat4 *palette, const struct vec3 *bind,
                  struct vec3 *out);
/* Tangents of a primitive with PRIMITIVE_TANGENTS, into out[vertex_count]: directions in the surface, so by the blended
 * matrix itself, unit length. The bitangent is cross(normal, tangent) * w of the skinned ones, so w changes its sign
 * where the matrix mirrors. Morph targets do not move them. */
void skin_tangents(const struct model *model, uint32_t primitive, const struct mat4 *palette, struct vec4 *out);

/* The positions or normals of a draw in an evaluated pose, morphed and skinned, into out[vertex_count of its
 * primitive]. palette: of its skin. */
void skin_draw(const struct model *model, uint32_t draw, const struct pose *pose, const struct mat4 *palette,
               bool is_normal, struct vec3 *out);
/* 0, or ERR_NOT_FINITE naming the first of these vertices that is not finite. */
int skin_check(const struct model *model, uint32_t draw, const struct vec3 *vertices, struct err *err);
