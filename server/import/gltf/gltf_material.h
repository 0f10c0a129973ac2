/* gltf_material.h - a glTF material while it is read. One thread; functions return 0 or a negative ERR_ code. */
#pragma once

#include "import/gltf/gltf.h"

struct material_reader {
    struct gltf *gltf;
    uint32_t index;
    const cJSON *json;
    struct material out;
    struct texcoord_sets texcoords;
};

/* The texture of a textureInfo (NULL: none) and where it lies, into a slot of reader->out. */
int material_read_texture(struct material_reader *reader, const cJSON *info, enum texture_slot slot,
                          enum texture_content content, struct err *err);

/* gltf_gloss.c: KHR_materials_pbrSpecularGlossiness, where it is to be taken: the file requires it, or says nothing
 * else. Its textures are mixed to those of the nearest metallic-roughness material. */
bool material_is_specular_glossiness(const struct material_reader *reader);
int material_read_specular_glossiness(struct material_reader *reader, struct err *err);
