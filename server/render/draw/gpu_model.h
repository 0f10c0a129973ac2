/* gpu_model.h - a model on the GPU: its vertices, indices, influences and textures. Only on the context's thread. */
#pragma once

#include "anim/model/model.h"
#include "render/gl/gl.h"
#include "render/gl/program.h"

#include <stdint.h>

/* Geometry for one draw that is not in the model's buffers: morphed vertices, bones. */
struct vertex_arrays {
    GLuint positions, normals; /* buffers of struct vec3 */
    GLuint colors;             /* of struct rgba8; 0: white */
    GLuint tangents;           /* of struct vec4; 0: the primitive's own */
    bool is_skinned;           /* already in place: the primitive's influences are not used */
};

struct gpu_model {
    GLuint buffers[ATTRIBUTE_COUNT]; /* 0: the model has no such array */
    GLuint indices;
    GLuint influences, influences_texture;
    GLuint *textures; /* [texture_count]; 0 where there are no pixels */
    uint32_t texture_count;
    uint64_t size_bytes; /* estimate of the total memory */
};

/* Uploads a decoded model. Returns 0, ERR_MODEL_LIMIT, ERR_NO_MEMORY or ERR_RENDER_FAILED; after an error nothing is
 * kept. */
int gpu_model_init(struct gpu_model *gpu, const struct gl *gl, const struct model *model, struct err *err);
void gpu_model_fini(struct gpu_model *gpu, const struct gl *gl);

/* Points the attributes at a primitive's vertices, so that vertex 0 is its first. `own`, when not NULL, replaces
 * positions, normals and its other arrays (for a morphed or skinned primitive). */
void gpu_model_bind_primitive(const struct gpu_model *gpu, const struct gl *gl, const struct primitive *primitive,
                              const struct vertex_arrays *own);
/* Points the colours at a buffer of struct rgba8 that starts at vertex 0. With 0 all colours are white. */
void gpu_model_bind_colors(const struct gl *gl, GLuint buffer);
/* Points the attributes at arrays that do not belong to a model: no texture coordinates, no influences. */
void gpu_model_bind_arrays(const struct gl *gl, const struct vertex_arrays *arrays);

/* Makes a texture. All textures are linear with all mip levels, and a program chooses how to use these. `levels` are
 * RGBA8, level after level; sRGB except for data. */
GLuint gpu_model_make_texture(const struct gl *gl, const struct texture *texture, const uint8_t *levels);
