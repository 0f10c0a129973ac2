/* gltf_material.h - the state of reading one material. Private to the folder. */
#pragma once

#include "import/gltf/gltf.h"

struct material_reader {
    struct gltf *gltf;
    uint32_t index;
    const cJSON *json;
    struct material out;
    struct texcoord_sets texcoords;
};

/* Writes the texture of a textureInfo (NULL: none) and its placement to *out. Leaves *out unchanged if no texture can
 * be drawn. content: TEXTURE_COLORS or TEXTURE_DATA. */
int gltf_place_texture(struct material_reader *reader, const cJSON *info, uint32_t content,
                       struct material_texture *out, struct err *err);

/* True when the material is read from KHR_materials_pbrSpecularGlossiness, not from its metallic-roughness. */
bool gltf_is_specular_glossiness(const struct gltf *gltf, const cJSON *material);

/* gltf_layers.c: adds the layers of the material that have an effect to the builder. Call it after all other textures
 * are read, so that their sets of texture coordinates take precedence if there are too many. */
int gltf_read_layers(struct material_reader *reader, struct err *err);
