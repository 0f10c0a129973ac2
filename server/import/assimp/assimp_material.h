/* assimp_material.h - the textures of assimp's materials: which there are (assimp_texture.c) and where each goes
 * (assimp_texture_slots.c). One thread; functions return 0, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. `material` is
 * assimp's number. */
#pragma once

#include "import/assimp/assimp.h"

#include <assimp/material.h>

/* A texture of an assimp material. */
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

/* Base colour, normals, occlusion and emission. */
int assimp_surface_textures(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
/* Metallic and roughness, out of the one or two textures that files have for them; after the factors, which a texture
 * replaces. */
int assimp_roughness_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
/* The opacity texture into the base colour's alpha, and by what is there in the end how it is drawn; after the base
 * colour. */
int assimp_opacity_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
