/* draw_material.h - a material as GL state: the program that has all it needs, textures, uniforms. The context's thread
 * only. */
#pragma once

#include "draw.h"

/* The textures for what a material does not have. Deleted by draw_delete_textures(). */
void draw_make_textures(struct drawing *drawing);
void draw_delete_textures(struct drawing *drawing);

/* Puts the program in use that a primitive with this material needs, and sets all that depends on the material; what
 * depends on the draw and the pass is the caller's. is_lit false: no light falls on it. */
void draw_set_material(struct drawing *drawing, const struct loaded *loaded, const struct material *material,
                       const struct primitive *primitive, bool is_lit);
/* True when the material has more than a base colour texture by the first texture coordinates; of surfaces that are not
 * lit, others than that do not count. */
bool draw_needs_full(const struct loaded *loaded, const struct material *material, bool is_lit);
/* The same as draw_set_material() for a program that is in use. */
void draw_put_material(const struct drawing *drawing, const struct program *program, const struct loaded *loaded,
                       const struct material *material, const struct primitive *primitive, bool is_lit);
/* The program in use becomes this one of drawing's. */
void draw_use_program(struct drawing *drawing, const struct program *program);
