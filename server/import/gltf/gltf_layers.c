/* gltf_layers.c - reads clearcoat, specular, index of refraction, sheen, iridescence, anisotropy and transmission of
 * materials, by the table of material_layers.def. */
#include "anim/model/material_layers.h"
#include "import/gltf/gltf_material.h"

#include <string.h>

/* The state of reading one layer's extension. */
struct layer_reader {
    struct material_reader *material;
    uint32_t layer;
    const cJSON *json;
    struct material_layers *out;
};

/* Returns true if a number makes the layer visible. */
static bool read_numbers(const struct layer_reader *reader)
{
    bool has_effect = false;
    for (int n = 0; n < LAYER_NUMBER_COUNT; n++) {
        const struct layer_number *number = &LAYER_NUMBERS[n];
        float *values = layer_number_to(reader->out, number);
        if (number->layer != reader->layer)
            continue;
        if (number->count == 1)
            values[0] = (float)json_number(reader->json, number->member, (double)number->neutral);
        else
            json_floats(reader->json, number->member, number->count, values);
        for (uint32_t i = 0; i < number->count; i++) {
            values[i] = values[i] > number->least ? values[i] < number->most ? values[i] : number->most : number->least;
            has_effect |= number->is_strength && values[i] != number->neutral;
        }
    }
    return has_effect;
}

static bool is_textured_strength(uint32_t layer)
{
    for (int n = 0; n < LAYER_NUMBER_COUNT; n++)
        if (LAYER_NUMBERS[n].layer == layer && LAYER_NUMBERS[n].is_strength && LAYER_NUMBERS[n].neutral != 0)
            return true;
    return false;
}

/* Sets *has_effect if a texture alone makes the layer visible. */
static int read_textures(const struct layer_reader *reader, bool *has_effect, struct err *err)
{
    for (int t = 0; t < LAYER_SLOT_COUNT; t++) {
        const struct layer_texture *texture = &LAYER_TEXTURES[t];
        struct material_texture *out = &reader->out->textures[t];
        const cJSON *info = texture->layer == reader->layer ? json_member(reader->json, texture->member) : NULL;
        if (info == NULL || (!*has_effect && !is_textured_strength(reader->layer)))
            continue;
        if (gltf_place_texture(reader->material, info, texture->content, out, err) < 0)
            return err->code;
        *has_effect |= out->texture >= 0;
        if (t + TEXTURE_SLOT_COUNT == TEXTURE_CLEARCOAT_NORMAL) {
            const double scale = json_number(info, "scale", 1);
            reader->out->clearcoat_normal_scale = (float)(scale > -1e6 ? scale < 1e6 ? scale : 1e6 : -1e6);
        }
    }
    return 0;
}

int gltf_read_layers(struct material_reader *reader, struct err *err)
{
    const cJSON *extensions = json_member(reader->json, "extensions");
    struct material_layers out = MATERIAL_LAYERS_NONE;
    if ((reader->out.flags & MATERIAL_UNLIT) != 0)
        return 0;
    for (uint32_t layer = 0; layer < LAYER_COUNT; layer++) {
        struct layer_reader of = {reader, layer, json_member(extensions, LAYER_EXTENSIONS[layer]), &out};
        if (of.json == NULL)
            continue;
        const bool is_animated = (reader->gltf->animated_layers[reader->index] & 1U << layer) != 0;
        bool has_effect = read_numbers(&of) || is_animated;
        if (read_textures(&of, &has_effect, err) < 0)
            return err_prefix(err, "%s", LAYER_EXTENSIONS[layer]);
        out.present |= has_effect ? 1U << layer : 0;
    }
    if (out.present == 0)
        return 0;
    /* without tangents, texture coordinates give the direction of the anisotropy */
    if ((out.present & 1U << LAYER_ANISOTROPY) != 0 && reader->texcoords.sets[0] < 0)
        texcoord_place(&reader->texcoords, 0);
    out.ior = material_ior(out.ior);
    struct bake_builder *builder = reader->gltf->builder;
    struct material_layers *layers = bake_add_material_layer(builder, 1);
    if (layers == NULL)
        return import_full(reader->gltf->import, err);
    *layers = out;
    reader->out.layers = (int32_t)builder->material_layer_count - 1;
    return 0;
}
