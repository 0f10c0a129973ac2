/* skin.h - deforms vertices on the CPU: morph targets, then skinning.
 *
 * Pure; any thread. position = matrix of the vertex * (bind position + sum of morph weight * delta). The skin's method
 * defines the matrix. Linear and rigid: the sum over its influences of weight * palette[joint]. Dual quaternion:
 * skin_dual_matrix(). Blended: between the two, by model->dual_weights. A vertex may have any number of influences;
 * none means joint 0 (model.h). */
#pragma once

#include "base/err.h"
#include "anim/pose/pose.h"
#include "anim/pose/skin_dual.h"

/* The matrices that move the vertices of a skin in a pose. */
struct skin_palette {
    struct mat4 *matrices;   /* [joint_count], space_from_bind; owned by the caller */
    struct skin_part *parts; /* [joint_count], decomposed; owned by the caller; NULL for linear methods */
    uint32_t method;         /* METHOD_ of the skin */
};

/* True when the vertices of the skin need parts. */
static inline bool skin_has_parts(const struct model *model, uint32_t skin)
{
    return model->skins[skin].method >= METHOD_DUAL_QUATERNION;
}
/* Returns the joint count of the largest skin that needs parts; 0: none. */
uint32_t skin_parts_most(const struct model *model);

/* Fills a palette's matrices as pose_palette() does, and its parts and method. For skins that need parts,
 * space_from_scene must consist of rotation and translation. Parts are decomposed in scene space and then moved, so
 * that a sheared joint looks the same in every space. Returns 0 or ERR_NOT_FINITE. */
int skin_palette_make(struct skin_palette *palette, const struct pose *pose, const struct model *model, uint32_t skin,
                      const struct dmat4 *space_from_scene, struct err *err);
/* The second half of skin_palette_make(), for matrices in scene space: fills parts and method. */
void skin_palette_take_apart(struct skin_palette *palette, const struct model *model, uint32_t skin);

/* Fills the caller's out[vertex_count of the primitive] with morphed bind positions. `weights` are those of the draw's
 * node, pose->weights + node.weight_first. weight_count: how many there are; missing ones count as 0. */
void skin_morph_positions(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                          struct vec3 *out);
/* Fills the caller's binds[count] with the morphed bind positions of some vertices, not rounded to float. places: their
 * indices in the primitive. */
void skin_morph_binds(const struct model *model, uint32_t primitive, const uint32_t *places, uint32_t count,
                      const double *weights, uint32_t weight_count, double (*binds)[3]);
/* Computes some vertices of skin_morph_positions(), with the same rounding to float. (gcc 12, when it vectorizes
 * neighbours, replaces (double)(float)x by x: the floats go through memory.) */
void skin_morph_places(const struct model *model, uint32_t primitive, const uint32_t *places, uint32_t count,
                       const double *weights, uint32_t weight_count, struct vec3 *out);
/* As skin_morph_positions(), for normals; not normalised. */
void skin_morph_normals(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                        struct vec3 *out);
/* What morphing the positions of `count` vertices takes, in skinned vertices: targets whose weight is not 0 count. */
uint64_t skin_morph_work(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                         uint64_t count);
/* What skin_draw() takes for positions in an evaluated pose, in skinned vertices: its vertices, and morphing them. */
uint64_t skin_draw_work(const struct model *model, uint32_t draw, const struct pose *pose);

/* Skins `bind` (positions of the primitive, morphed or the model's own) into out[vertex_count], which may be the same
 * array. palette: for the draw's skin, in the output's space. */
void skin_positions(const struct model *model, uint32_t primitive, const struct skin_palette *palette,
                    const struct vec3 *bind, struct vec3 *out);
/* Skins one point of bind space with the influences of a vertex. vertex: index in the model, not in a primitive. */
void skin_position(const struct model *model, uint32_t vertex, const struct skin_palette *palette, const double bind[3],
                   struct vec3 *out);
/* Transforms normals by the inverse transpose (the cofactors) of each vertex's blended matrix; unit length. */
void skin_normals(const struct model *model, uint32_t primitive, const struct skin_palette *palette,
                  const struct vec3 *bind, struct vec3 *out);
/* The same for the normal of one vertex: an index in the model, not in a primitive. */
void skin_normal(const struct model *model, uint32_t vertex, const struct skin_palette *palette, const double bind[3],
                 struct vec3 *out);
/* Transforms the tangents of a primitive with PRIMITIVE_TANGENTS into out[vertex_count]. They are directions in the
 * surface, so the blended matrix itself transforms them; unit length. The bitangent is cross(normal, tangent) * w of
 * the results, so w changes its sign where the matrix mirrors. Morph targets do not move tangents. */
void skin_tangents(const struct model *model, uint32_t primitive, const struct skin_palette *palette, struct vec4 *out);

/* Morphs and skins the positions or normals of a draw in an evaluated pose into out[vertex_count of its primitive].
 * palette: for its skin. */
void skin_draw(const struct model *model, uint32_t draw, const struct pose *pose, const struct skin_palette *palette,
               bool is_normal, struct vec3 *out);
/* Returns 0, or ERR_NOT_FINITE naming the first vertex with an infinity or NaN. */
int skin_check(const struct model *model, uint32_t draw, const struct vec3 *vertices, struct err *err);
