/* draw_material.h - a material as GL state: the program that has all it needs, textures, uniforms. The context's thread
 * only. */
#pragma once

#include "render/draw/draw.h"

/* The textures for what a material does not have. Deleted by draw_delete_textures(). */
void draw_make_textures(struct drawing *drawing);
void draw_delete_textures(struct drawing *drawing);

/* Puts the program in use that a primitive with this material needs, which is compiled when it is the first, and sets
 * all that depends on the camera and the material; what depends on the draw and the pass is the caller's. is_lit false:
 * no light falls on it. ERR_RENDER_FAILED. */
int draw_set_material(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                      const struct material *material, const struct primitive *primitive, bool is_lit, struct err *err);
/* True when the material has more than a base colour texture by the first texture coordinates; of surfaces that are not
 * lit, others than that do not count. */
bool draw_needs_full(const struct loaded_model *loaded, const struct material *material, bool is_lit);
/* The same as draw_set_material() for a program that is in use. */
void draw_put_material(const struct drawing *drawing, const struct program *program, const struct loaded_model *loaded,
                       const struct material *material, const struct primitive *primitive, bool is_lit);
