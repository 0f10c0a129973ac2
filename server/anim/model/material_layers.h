/* material_layers.h - tables of the layers of materials, made from material_layers.def. Pure. */
#pragma once

#include "anim/model/model.h"

enum {
#define NUMBER(layer, field, count, member, neutral, least, most, is_strength) LAYER_NUMBER_OF_##field,
#include "anim/model/material_layers.def"
    LAYER_NUMBER_COUNT
};

/* The extension of each layer (enum material_layer). */
extern const char *const LAYER_EXTENSIONS[LAYER_COUNT];

struct layer_number {
    uint32_t layer;     /* LAYER_ */
    uint32_t offset;    /* of its floats in struct material_layers */
    uint32_t count;     /* number of floats */
    const char *member; /* name in the extension's object */
    float neutral, least, most;
    bool is_strength;
};
extern const struct layer_number LAYER_NUMBERS[LAYER_NUMBER_COUNT];

struct layer_texture {
    uint32_t layer; /* LAYER_ */
    const char *name, *member;
    uint32_t content; /* TEXTURE_COLORS or TEXTURE_DATA */
};
/* Indexed by slot - TEXTURE_SLOT_COUNT. */
extern const struct layer_texture LAYER_TEXTURES[LAYER_SLOT_COUNT];

/* All numbers neutral, no textures. */
extern const struct material_layers MATERIAL_LAYERS_NONE;

static inline const float *layer_number_at(const struct material_layers *layers, const struct layer_number *number)
{
    return (const float *)(const void *)((const char *)layers + number->offset);
}
static inline float *layer_number_to(struct material_layers *layers, const struct layer_number *number)
{
    return (float *)(void *)((char *)layers + number->offset);
}

/* An index of refraction below 1 is invalid, except for 0, which reflects everything (KHR_materials_ior). */
static inline float material_ior(float ior) { return ior > 0 && ior < 1 ? 1 : ior; }

/* Returns the layers of a material of the model, or NULL. */
const struct material_layers *material_layers_of(const struct model *model, const struct material *material);
/* Returns the texture in a slot below TEXTURE_ALL_COUNT. Slots of layers are empty for a material without layers. */
const struct material_texture *material_texture_at(const struct model *model, const struct material *material,
                                                   uint32_t slot);
/* True where directions along the surface matter: the material has a normal texture or anisotropy. */
bool material_needs_tangents(const struct model *model, const struct material *material);
/* Returns the content of a slot below TEXTURE_ALL_COUNT: TEXTURE_COLORS or TEXTURE_DATA. */
uint32_t texture_slot_content(uint32_t slot);
