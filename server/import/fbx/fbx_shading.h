/* fbx_shading.h - what the parameters of a Material say, whichever program's they are. One thread.
 *
 * Every material has those of Lambert's or Phong's light (FbxSurfaceLambert, FbxSurfacePhong); the physical ones of
 * Maya (Stingray PBS, Standard Surface, Arnold) and 3ds Max (Physical, PBR, glTF) have their own beside them, by the
 * names of the program, which count where they are. */
#pragma once

#include "import/fbx/fbx.h"
#include "import/texture/material_textures.h"

/* Colours are as a painter saw them: sRGB. */
struct fbx_shading {
    float color[3], color_weight; /* the weight is of light, not of what is seen */
    float emission[3], emission_weight;
    bool is_emission_physical; /* a texture counts only by the weight */
    float metallic, roughness, opacity;
    float height_factor, normal_scale, occlusion_strength;
    uint32_t alpha_mode; /* ALPHA_ where the file says it, else ALPHA_UNKNOWN */
    float alpha_cutoff;
    uint32_t flags;                             /* MATERIAL_ */
    uint32_t textures[TEXTURE_USE_COUNT];       /* objects Texture or LayeredTexture, or FBX_NONE */
    uint32_t texture_counts[TEXTURE_USE_COUNT]; /* how many are linked to the property at hand */
    bool is_gloss;                              /* of the roughness texture: how smooth it is */
};

#define ALPHA_UNKNOWN UINT32_MAX

/* `is_by_blender`: the file's generator, which keeps metallic and roughness in Phong's parameters. */
void fbx_shading_read(const struct fbx_scene *scene, uint32_t material, bool is_by_blender, struct fbx_shading *out);
