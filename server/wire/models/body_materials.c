#include "wire/models/body_materials.h"

#include "anim/model/material_layers.h"
#include "wire/picture/picture_plan.h"
#include "wire/reply/reply_json.h"

static const char *const ALPHA_MODES[] = {[ALPHA_OPAQUE] = "opaque", [ALPHA_MASK] = "mask", [ALPHA_BLEND] = "blend"};
static const char *const TEXTURE_CONTENTS[] = {
    [TEXTURE_COLORS] = "colors", [TEXTURE_DATA] = "data", [TEXTURE_RADIANCE] = "radiance"};
static const char *const TEXTURE_STATES[] = {
    [TEXTURE_FOUND] = "found", [TEXTURE_MISSING] = "missing", [TEXTURE_BROKEN] = "broken"};
static const char *const WRAPS[] = {
    [TEXTURE_WRAP_REPEAT] = "repeat", [TEXTURE_WRAP_CLAMP] = "clamp", [TEXTURE_WRAP_MIRROR] = "mirror"};
static const char *const MAG_FILTERS[] = {[TEXTURE_MAG_LINEAR] = "linear", [TEXTURE_MAG_NEAREST] = "nearest"};
static const char *const MIN_FILTERS[] = {[TEXTURE_MIN_LINEAR_MIPMAP_LINEAR] = "linear_mipmap_linear",
                                          [TEXTURE_MIN_NEAREST] = "nearest",
                                          [TEXTURE_MIN_LINEAR] = "linear",
                                          [TEXTURE_MIN_NEAREST_MIPMAP_NEAREST] = "nearest_mipmap_nearest",
                                          [TEXTURE_MIN_LINEAR_MIPMAP_NEAREST] = "linear_mipmap_nearest",
                                          [TEXTURE_MIN_NEAREST_MIPMAP_LINEAR] = "nearest_mipmap_linear"};

/* Writes ,"textures":{..} with the slots in use. */
static void put_material_textures(struct buf *out, const struct model *model, const struct material *material)
{
    const char *before = "\"";
    buf_put_text(out, ",\"textures\":{");
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT; slot++) {
        const struct material_texture *use = material_texture_at(model, material, slot);
        if (use->texture < 0)
            continue;
        buf_put_text(out, before);
        buf_put_text(out, texture_slot_name(slot));
        json_printf(out, "\":{\"texture\":%d,\"texcoord_set\":%u", use->texture, use->texcoord_set);
        put_floats(out, ",\"uv_from_texcoord\":", use->uv_from_texcoord, 6);
        buf_put_char(out, '}');
        before = ",\"";
    }
    buf_put_char(out, '}');
}

/* Writes {"clearcoatFactor":1,..}, including the scale of the normal texture, which glTF stores in the texture. */
static void put_layer_numbers(struct buf *out, const struct material_layers *layers, uint32_t layer)
{
    const char *before = "{";
    for (int n = 0; n < LAYER_NUMBER_COUNT; n++) {
        const struct layer_number *number = &LAYER_NUMBERS[n];
        if (number->layer != layer)
            continue;
        buf_put_text(out, before);
        json_printf(out, "%s:", number->member);
        if (number->count == 1)
            json_put_float(out, layer_number_at(layers, number)[0]);
        else
            json_put_floats(out, layer_number_at(layers, number), number->count);
        before = ",";
    }
    if (layer == LAYER_CLEARCOAT && layers->textures[TEXTURE_CLEARCOAT_NORMAL - TEXTURE_SLOT_COUNT].texture >= 0) {
        buf_put_text(out, ",\"clearcoatNormalScale\":");
        json_put_float(out, layers->clearcoat_normal_scale);
    }
    buf_put_char(out, '}');
}

/* Writes ,"extensions":{..} with the parameters of the material's layers. */
static void put_layers(struct buf *out, const struct model *model, const struct material *material)
{
    const struct material_layers *layers = material_layers_of(model, material);
    const char *before = ",\"extensions\":{";
    for (uint32_t layer = 0; layers != NULL && layer < LAYER_COUNT; layer++) {
        if ((layers->present & 1U << layer) == 0)
            continue;
        buf_put_text(out, before);
        json_printf(out, "%s:", LAYER_EXTENSIONS[layer]);
        put_layer_numbers(out, layers, layer);
        before = ",";
    }
    if (layers != NULL)
        buf_put_char(out, '}');
}

void body_list_material(struct buf *out, const struct model *model, uint32_t index)
{
    const struct material *material = &model->materials[index];
    json_printf(out, "{\"index\":%u,\"name\":%.*s", index, JSON_STR(model, material->name));
    put_floats(out, ",\"base_color\":", material->base_color, 4);
    put_index(out, ",\"texture\":", material->textures[TEXTURE_BASE_COLOR].texture);
    json_printf(out, ",\"metallic\":%f,\"roughness\":%f", (double)material->metallic, (double)material->roughness);
    put_floats(out, ",\"emissive\":", material->emissive, 3);
    json_printf(out, ",\"normal_scale\":%f,\"occlusion_strength\":%f", (double)material->normal_scale,
                (double)material->occlusion_strength);
    put_material_textures(out, model, material);
    json_printf(out, ",\"alpha_mode\":%s,\"alpha_cutoff\":%f,\"double_sided\":", ALPHA_MODES[material->alpha_mode],
                (double)material->alpha_cutoff);
    put_bool(out, (material->flags & MATERIAL_DOUBLE_SIDED) != 0);
    buf_put_text(out, ",\"unlit\":");
    put_bool(out, (material->flags & MATERIAL_UNLIT) != 0);
    put_layers(out, model, material);
    put_extras(out, model, EXTRA_MATERIAL, index);
    buf_put_char(out, '}');
}

void body_list_texture(struct buf *out, const struct model *model, uint32_t index)
{
    const struct texture *texture = &model->textures[index];
    json_printf(out,
                "{\"index\":%u,\"uri\":%.*s,\"state\":%s,\"width\":%u,\"height\":%u,\"wrap_s\":%s,\"wrap_t\":%s,"
                "\"mag_filter\":%s,\"min_filter\":%s,\"content\":%s",
                index, JSON_STR(model, texture->uri), TEXTURE_STATES[texture->state], texture->source_width,
                texture->source_height, WRAPS[texture->wrap_s], WRAPS[texture->wrap_t],
                MAG_FILTERS[texture->mag_filter], MIN_FILTERS[texture->min_filter], TEXTURE_CONTENTS[texture->content]);
    if (texture->file == TEXTURE_FILE_NONE)
        buf_put_text(out, ",\"own_file\":null}");
    else
        json_printf(out, ",\"own_file\":%s}", picture_word((enum texture_file)texture->file));
}
