/* fbx_shading.h - the parameters of a Material, from any supported program. Single-threaded.
 *
 * Every material has Lambert or Phong parameters (FbxSurfaceLambert, FbxSurfacePhong). The physically based materials
 * of Maya (Stingray PBS, Standard Surface, Arnold) and 3ds Max (Physical, PBR, glTF) add parameters under the program's
 * own names. These take precedence. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/texture/material_textures.h"

/* Colours are sRGB. */
struct fbx_shading {
    float color[3], color_weight; /* the weight scales linear light, not the sRGB value */
    float emission[3], emission_weight;
    bool is_emission_physical; /* a texture replaces the colour and is scaled only by the weight */
    float metallic, roughness, opacity;
    float height_factor, normal_scale, occlusion_strength;
    uint32_t alpha_mode; /* ALPHA_ if the file gives it, else ALPHA_UNKNOWN */
    float alpha_cutoff;
    uint32_t flags;                             /* MATERIAL_ */
    uint32_t textures[TEXTURE_USE_COUNT];       /* Texture or LayeredTexture objects, or FBX_NONE */
    uint32_t texture_counts[TEXTURE_USE_COUNT]; /* the number of textures linked to the same property */
    bool is_gloss;                              /* the roughness texture stores glossiness */
};

#define ALPHA_UNKNOWN UINT32_MAX

/* `is_by_blender`: Blender wrote the file; it stores metallic and roughness in Phong parameters. */
void fbx_shading_read(const struct fbx_scene *scene, uint32_t material, bool is_by_blender, struct fbx_shading *out);
