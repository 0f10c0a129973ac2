/* skin.h - deformed vertices on the CPU: morph targets, then skinning.
 *
 * Pure; any thread. A vertex: position = its matrix * (bind position + sum of morph weight * delta). The matrix by the
 * skin's method: linear and rigid: sum over its influences of weight * palette[joint]; dual quaternion:
 * skin_dual_matrix(); blended: between the two, by model->dual_weights. Any number of influences; none means joint 0
 * (model.h). */
#pragma once

#include "base/err.h"
#include "anim/pose/pose.h"
#include "anim/pose/skin_dual.h"

/* What moves the vertices of a skin in a pose. */
struct skin_palette {
    struct mat4 *matrices;   /* [joint_count], space_from_bind; the caller's */
    struct skin_part *parts; /* [joint_count], the same taken apart; the caller's. May be NULL for linear methods */
    uint32_t method;         /* METHOD_, of the skin */
};

/* The vertices of the skin need parts. */
static inline bool skin_has_parts(const struct model *model, uint32_t skin)
{
    return model->skins[skin].method >= METHOD_DUAL_QUATERNION;
}
/* Joints of the largest skin that needs parts; 0: none does. */
uint32_t skin_parts_most(const struct model *model);

/* Fills a palette's arrays as pose_palette() does, and its method. space_from_scene: of skins that need parts, rotation
 * and translation alone. Parts are those of matrices in scene space, moved: what shears looks the same from everywhere.
 * Returns 0 or ERR_NOT_FINITE. */
int skin_palette_make(struct skin_palette *palette, const struct pose *pose, const struct model *model, uint32_t skin,
                      const struct dmat4 *space_from_scene, struct err *err);
/* The second half of it, for matrices in scene space: parts and method. */
void skin_palette_take_apart(struct skin_palette *palette, const struct model *model, uint32_t skin);

/* Morphed bind positions of a primitive: out[vertex_count of the primitive], caller's.
 * `weights` are those of the draw's node: pose->weights + node.weight_first, morph_target_count of them
 * (missing ones count as 0: pass weight_count). */
void skin_morph_positions(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                          struct vec3 *out);
/* Adds the deltas of one vertex of the model (not of the primitive) to its bind position. */
void skin_morph_position(const struct model *model, uint32_t primitive, uint32_t vertex, const double *weights,
                         uint32_t weight_count, double bind[3]);
/* One vertex of what skin_morph_positions() makes, by its place in the model: rounded to float as there. (A function of
 * its own also because gcc 12 takes (double)(float)x of neighbours for x where it makes vectors of them.) */
void skin_morph_vertex(const struct model *model, uint32_t primitive, uint32_t vertex, const double *weights,
                       uint32_t weight_count, struct vec3 *out);
/* The same as skin_morph_positions() for normals; not normalised. */
void skin_morph_normals(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                        struct vec3 *out);

/* Skins `bind` (positions of the primitive, morphed or the model's own) into out[vertex_count]; may be the
 * same array. palette: of the draw's skin, in the wanted space. */
void skin_positions(const struct model *model, uint32_t primitive, const struct skin_palette *palette,
                    const struct vec3 *bind, struct vec3 *out);
/* The same for one vertex of the model (not of a primitive), wherever it is in bind space. */
void skin_position(const struct model *model, uint32_t vertex, const struct skin_palette *palette, const double bind[3],
                   struct vec3 *out);
/* Normals by the inverse transpose of each vertex's blended matrix (its cofactors), unit length. */
void skin_normals(const struct model *model, uint32_t primitive, const struct skin_palette *palette,
                  const struct vec3 *bind, struct vec3 *out);
/* Tangents of a primitive with PRIMITIVE_TANGENTS, into out[vertex_count]: directions in the surface, so by the blended
 * matrix itself, unit length. The bitangent is cross(normal, tangent) * w of the skinned ones, so w changes its sign
 * where the matrix mirrors. Morph targets do not move them. */
void skin_tangents(const struct model *model, uint32_t primitive, const struct skin_palette *palette, struct vec4 *out);

/* The positions or normals of a draw in an evaluated pose, morphed and skinned, into out[vertex_count of its
 * primitive]. palette: of its skin. */
void skin_draw(const struct model *model, uint32_t draw, const struct pose *pose, const struct skin_palette *palette,
               bool is_normal, struct vec3 *out);
/* 0, or ERR_NOT_FINITE naming the first of these vertices that is not finite. */
int skin_check(const struct model *model, uint32_t draw, const struct vec3 *vertices, struct err *err);
