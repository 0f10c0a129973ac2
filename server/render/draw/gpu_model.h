/* gpu_model.h - a model on the GPU: its vertices, indices, influences and textures. The context's thread only. */
#pragma once

#include "anim/model/model.h"
#include "render/gl/gl.h"
#include "render/gl/program.h"

#include <stdint.h>

/* Geometry for one draw that is not in the scene's buffers: morphed vertices, bones. */
struct vertex_arrays {
    GLuint positions, normals; /* buffers of struct vec3 */
    GLuint colors;             /* of struct rgba8; 0: white */
    GLuint tangents;           /* of struct vec4; 0: as the primitive has them */
    bool is_skinned;           /* they are where they are to be: the primitive's influences are not used */
};

struct gpu_model {
    GLuint buffers[ATTRIBUTE_COUNT]; /* 0: the model has no such array */
    GLuint indices;
    GLuint influences, influences_texture;
    GLuint *textures; /* [texture_count]; 0 where there are no pixels */
    uint32_t texture_count;
    uint64_t size_bytes; /* estimate of what it all takes */
};

/* Uploads a decoded model. Returns 0, ERR_MODEL_LIMIT, ERR_NO_MEMORY or ERR_RENDER_FAILED; nothing is kept then. */
int gpu_model_init(struct gpu_model *gpu, const struct gl *gl, const struct model *model, struct err *err);
void gpu_model_fini(struct gpu_model *gpu, const struct gl *gl);

/* Points the attributes at a primitive's vertices, so that vertex 0 is its first. `own`, when not NULL, replaces
 * positions and normals, and what else it says (a morphed or skinned primitive). */
void gpu_model_bind_primitive(const struct gpu_model *gpu, const struct gl *gl, const struct primitive *primitive,
                              const struct vertex_arrays *own);
/* Points the colours at a buffer of struct rgba8 whose first is that of vertex 0, or with 0 makes all white. */
void gpu_model_bind_colors(const struct gl *gl, GLuint buffer);
/* Points the attributes at arrays that no model has: no texture coordinates, no influences. */
void gpu_model_bind_arrays(const struct gl *gl, const struct vertex_arrays *arrays);

/* A texture of the class that all are of: linear, all mip levels; a program chooses how these are used. `levels` are
 * RGBA8, level after level; sRGB unless they are data. */
GLuint gpu_model_make_texture(const struct gl *gl, const struct texture *texture, const uint8_t *levels);
