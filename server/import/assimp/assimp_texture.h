/* assimp_texture.h - a texture of an assimp material. */
#pragma once

#include "import/assimp/assimp.h"

#include <assimp/material.h>

struct assimp_texture {
    struct aiString path;    /* as assimp has it: of a file, or of one that is embedded */
    int set;                 /* assimp's channel of texture coordinates */
    uint32_t wrap_s, wrap_t; /* TEXTURE_WRAP_ */
    bool is_transformed;     /* it is moved, scaled or turned on the surface: */
    struct aiUVTransform transform;
};

/* The material's first texture of a type; false: it has none. */
bool assimp_texture_find(const struct aiMaterial *material, enum aiTextureType type, struct assimp_texture *out);
/* Its place among the model's textures, found or not. ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. */
int assimp_texture_add(struct assimp_job *job, const struct assimp_texture *texture, enum texture_content content,
                       struct err *err);
