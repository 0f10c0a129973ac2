#include "anim/model/material_layers.h"

#include <stddef.h>

const char *const LAYER_EXTENSIONS[LAYER_COUNT] = {
#define LAYER(id, extension) [LAYER_##id] = extension,
#include "anim/model/material_layers.def"
};

const struct layer_number LAYER_NUMBERS[LAYER_NUMBER_COUNT] = {
#define NUMBER(layer, field, count, member, neutral, least, most, is_strength)                                         \
    {LAYER_##layer, offsetof(struct material_layers, field), count, member, neutral, least, most, is_strength},
#include "anim/model/material_layers.def"
};

const struct layer_texture LAYER_TEXTURES[LAYER_SLOT_COUNT] = {
#define TEXTURE(layer, slot, name, member, content)                                                                    \
    [TEXTURE_##slot - TEXTURE_SLOT_COUNT] = {LAYER_##layer, name, member, content},
#include "anim/model/material_layers.def"
};

#define NO_TEXTURE                                                                                                     \
    {                                                                                                                  \
        .texture = -1, .uv_from_texcoord = { 1, 0, 0, 0, 1, 0 }                                                        \
    }

const struct material_layers MATERIAL_LAYERS_NONE = {
    .specular = 1,
    .specular_color = {1, 1, 1},
    .ior = 1.5f,
    .iridescence_ior = 1.3f,
    .iridescence_thickness_min_nm = 100,
    .iridescence_thickness_max_nm = 400,
    .clearcoat_normal_scale = 1,
    .textures = {NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE,
                 NO_TEXTURE, NO_TEXTURE, NO_TEXTURE},
};

const struct material_layers *material_layers_of(const struct model *model, const struct material *material)
{
    return material->layers < 0 ? NULL : &model->material_layers[material->layers];
}

const struct material_texture *material_texture_at(const struct model *model, const struct material *material,
                                                   uint32_t slot)
{
    if (slot < TEXTURE_SLOT_COUNT)
        return &material->textures[slot];
    const struct material_layers *layers = material_layers_of(model, material);
    return &(layers == NULL ? &MATERIAL_LAYERS_NONE : layers)->textures[slot - TEXTURE_SLOT_COUNT];
}

uint32_t texture_slot_content(uint32_t slot)
{
    if (slot >= TEXTURE_SLOT_COUNT)
        return LAYER_TEXTURES[slot - TEXTURE_SLOT_COUNT].content;
    return slot == TEXTURE_BASE_COLOR || slot == TEXTURE_EMISSIVE ? (uint32_t)TEXTURE_COLORS : (uint32_t)TEXTURE_DATA;
}

bool material_needs_tangents(const struct model *model, const struct material *material)
{
    const struct material_layers *layers = material_layers_of(model, material);
    return material->textures[TEXTURE_NORMAL].texture >= 0 ||
           material_texture_at(model, material, TEXTURE_CLEARCOAT_NORMAL)->texture >= 0 ||
           (layers != NULL && (layers->present & 1U << LAYER_ANISOTROPY) != 0);
}
