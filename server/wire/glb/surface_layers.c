/* Material layers of a GLB file, as the extensions KHR_materials_*. */
#include "anim/model/material_layers.h"
#include "wire/glb/surfaces.h"
#include "wire/reply/reply_json.h"

#include <string.h>

static bool is_neutral(const struct layer_number *number, const float *values)
{
    for (uint32_t i = 0; i < number->count; i++)
        if (values[i] != number->neutral)
            return false;
    return true;
}

/* Writes "member":, with a comma unless it is the first. */
static void put_key(struct buf *out, const char *member, bool *is_first)
{
    if (!*is_first)
        buf_put_char(out, ',');
    json_printf(out, "%s:", member);
    *is_first = false;
}

/* Omits values that equal glTF's defaults. */
static void put_layer(const struct surfaces *surfaces, struct buf *out, uint32_t material,
                      const struct material_layers *layers, uint32_t layer)
{
    bool is_first = true;
    json_printf(out, "%s:{", LAYER_EXTENSIONS[layer]);
    for (int n = 0; n < LAYER_NUMBER_COUNT; n++) {
        const struct layer_number *number = &LAYER_NUMBERS[n];
        const float *values = layer_number_at(layers, number);
        if (number->layer != layer || is_neutral(number, values))
            continue;
        put_key(out, number->member, &is_first);
        if (number->count == 1)
            json_put_float(out, values[0]);
        else
            json_put_floats(out, values, number->count);
    }
    for (uint32_t t = 0; t < LAYER_SLOT_COUNT; t++) {
        const uint32_t slot = TEXTURE_SLOT_COUNT + t;
        if (LAYER_TEXTURES[t].layer != layer || !surfaces_has_texture(surfaces, material, slot))
            continue;
        put_key(out, LAYER_TEXTURES[t].member, &is_first);
        surfaces_put_texture(surfaces, out, material, slot, "");
    }
    buf_put_char(out, '}');
}

void surfaces_put_layers(const struct surfaces *surfaces, struct buf *out, uint32_t material)
{
    const struct material_layers *layers = material_layers_of(surfaces->model, &surfaces->model->materials[material]);
    bool is_first = true;
    for (uint32_t layer = 0; layer < LAYER_COUNT; layer++) {
        if ((layers->present & 1U << layer) == 0)
            continue;
        if (!is_first)
            buf_put_char(out, ',');
        put_layer(surfaces, out, material, layers, layer);
        is_first = false;
    }
}
