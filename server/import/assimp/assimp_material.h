/* assimp_material.h - the textures of assimp's materials, for assimp_material.c (assimp_slots.c). One thread; functions
 * return 0, ERR_MODEL_LIMIT or ERR_IMPORT_MEMORY. `material` is assimp's number. */
#pragma once

#include "import/assimp/assimp_texture.h"

/* Base colour, normals, occlusion and emission. */
int assimp_surface_textures(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
/* Metallic and roughness, out of the one or two textures that files have for them; after the factors, which a texture
 * replaces. */
int assimp_roughness_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
/* The opacity texture into the base colour's alpha, and by what is there in the end how it is drawn; after the base
 * colour. */
int assimp_opacity_texture(struct assimp_job *job, uint32_t material, struct material *to, struct err *err);
