/* gltf_material.h - one material while it is read. Private to the folder. */
#pragma once

#include "import/gltf/gltf.h"

struct material_reader {
    struct gltf *gltf;
    uint32_t index;
    const cJSON *json;
    struct material out;
    struct texcoord_sets texcoords;
};

/* The texture of a textureInfo (NULL: none) and where it lies, into *out, which stays as it is where there is none that
 * could be drawn. content: TEXTURE_COLORS or TEXTURE_DATA. */
int gltf_place_texture(struct material_reader *reader, const cJSON *info, uint32_t content,
                       struct material_texture *out, struct err *err);

/* gltf_layers.c: the layers of the material that have an effect, into the builder. After all other textures, so that
 * theirs come first where there are too many sets of texture coordinates. */
int gltf_read_layers(struct material_reader *reader, struct err *err);
