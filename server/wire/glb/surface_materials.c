/* Materials of a GLB file (glTF 2.0, 3.9). */
#include "anim/model/material_layers.h"
#include "anim/model/property.h"
#include "wire/glb/surfaces.h"
#include "wire/reply/reply_json.h"

#include <math.h>
#include <string.h>

size_t surfaces_places(const struct model *model)
{
    return (size_t)model->material_count +
           (size_t)model->texture_count * (3 + sizeof(struct picture_made) / sizeof(uint32_t));
}

void surfaces_init(struct surfaces *surfaces, const struct model *model, const struct request_textures *request,
                   const struct own_pictures *own, uint32_t *places)
{
    _Static_assert(sizeof(struct picture_made) % sizeof(uint32_t) == 0, "it lies among places");
    memset(places, 0xff, surfaces_places(model) * sizeof *places); /* GLB_NONE */
    *surfaces = (struct surfaces){.model = model, .request = request, .own = own, .materials = places};
    surfaces->textures = surfaces->materials + model->material_count;
    surfaces->images = surfaces->textures + model->texture_count;
    surfaces->pictures = surfaces->images + model->texture_count;
    surfaces->made = (struct picture_made *)(void *)(surfaces->pictures + model->texture_count);
}

void surfaces_use(struct surfaces *surfaces, int32_t material)
{
    if (material >= 0)
        surfaces->materials[material] = 0;
}

/* Replaces marks by places in the model's order. */
static void number(uint32_t *places, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        if (places[i] != GLB_NONE)
            places[i] = next++;
}

uint64_t surfaces_number(struct surfaces *surfaces)
{
    const struct model *model = surfaces->model;
    uint64_t pixel_bytes = 0;
    number(surfaces->materials, model->material_count);
    const bool has_textures = surfaces->request->form != TEXTURES_NONE;
    const uint32_t slots = has_textures ? model->material_count * TEXTURE_ALL_COUNT : 0;
    for (uint32_t i = 0; i < slots; i++) {
        const int32_t texture = surfaces_texture_of(surfaces, i / TEXTURE_ALL_COUNT, i % TEXTURE_ALL_COUNT);
        if (texture < 0 || model->textures[texture].state != TEXTURE_FOUND || surfaces->textures[texture] != GLB_NONE)
            continue;
        surfaces->textures[texture] = 0;
        pixel_bytes += picture_encoded_bytes(model, (uint32_t)texture, surfaces->request) +
                       (uint64_t)slots; /* picture_is_normal_map() looks at all */
    }
    number(surfaces->textures, model->texture_count);
    return pixel_bytes;
}

/* Returns the texture's place, or GLB_NONE. */
static uint32_t place_of(const struct surfaces *surfaces, uint32_t material, uint32_t slot)
{
    const int32_t texture = surfaces_texture_of(surfaces, material, slot);
    return texture < 0 ? GLB_NONE : surfaces->textures[texture];
}

bool surfaces_is_textured(const struct surfaces *surfaces, int32_t material, uint32_t set)
{
    const struct model *model = surfaces->model;
    for (uint32_t slot = 0; material >= 0 && slot < TEXTURE_ALL_COUNT; slot++)
        if (material_texture_at(model, &model->materials[material], slot)->texcoord_set == set &&
            place_of(surfaces, (uint32_t)material, slot) != GLB_NONE)
            return true;
    return false;
}

bool surfaces_wants_tangents(const struct surfaces *surfaces, const struct primitive *primitive, int32_t material)
{
    if ((primitive->flags & PRIMITIVE_TANGENTS) == 0 || material < 0)
        return false;
    const struct material_layers *layers = material_layers_of(surfaces->model, &surfaces->model->materials[material]);
    return place_of(surfaces, (uint32_t)material, TEXTURE_NORMAL) != GLB_NONE ||
           place_of(surfaces, (uint32_t)material, TEXTURE_CLEARCOAT_NORMAL) != GLB_NONE ||
           (layers != NULL && (layers->present & 1U << LAYER_ANISOTROPY) != 0);
}

void glb_put_name(struct buf *out, const struct model *model, struct str name)
{
    if (name.offset != STR_NONE)
        json_printf(out, "\"name\":%.*s,", JSON_STR(model, name));
}

static float limited(float value, float most) { return value > most ? most : value > 0 ? value : 0; }

/* Writes a factor, clamped to 0..1, unless it is glTF's default. */
static void put_factor(struct buf *out, const char *key, float value, float missing)
{
    if (value == missing)
        return;
    buf_put_text(out, key);
    json_put_float(out, value);
}

static void put_color(struct buf *out, const char *key, const float *color, size_t count, float missing)
{
    float limits[4];
    bool is_missing = true;
    for (size_t i = 0; i < count; i++) {
        limits[i] = limited(color[i], 1);
        is_missing = is_missing && limits[i] == missing;
    }
    if (is_missing)
        return;
    buf_put_text(out, key);
    json_put_floats(out, limits, count);
}

static bool is_animated(const struct surfaces *surfaces, uint32_t material, uint32_t bit)
{
    return surfaces->animated != NULL && (surfaces->animated[material] & 1U << bit) != 0;
}

static bool is_transformed(const struct surfaces *surfaces, uint32_t material, uint32_t slot)
{
    const float *m =
        material_texture_at(surfaces->model, &surfaces->model->materials[material], slot)->uv_from_texcoord;
    return is_animated(surfaces, material, slot) || m[0] != 1 || m[1] != 0 || m[2] != 0 || m[3] != 0 || m[4] != 1 ||
           m[5] != 0;
}

static void put_transform(struct buf *out, const float m[6])
{
    double offset[2], scale[2], rotation;
    texture_transform_parts(m, offset, scale, &rotation);
    const float offsets[2] = {(float)offset[0], (float)offset[1]}, scales[2] = {(float)scale[0], (float)scale[1]};
    buf_put_text(out, ",\"extensions\":{\"KHR_texture_transform\":{\"offset\":");
    json_put_floats(out, offsets, 2);
    json_printf(out, ",\"rotation\":%f,\"scale\":", rotation);
    json_put_floats(out, scales, 2);
    buf_put_text(out, "}}");
}

bool surfaces_has_texture(const struct surfaces *surfaces, uint32_t material, uint32_t slot)
{
    return place_of(surfaces, material, slot) != GLB_NONE;
}

void surfaces_put_texture(const struct surfaces *surfaces, struct buf *out, uint32_t material, uint32_t slot,
                          const char *key)
{
    const struct material *m = &surfaces->model->materials[material];
    const struct material_texture *use = material_texture_at(surfaces->model, m, slot);
    const uint32_t place = place_of(surfaces, material, slot);
    if (place == GLB_NONE)
        return;
    buf_put_text(out, key);
    json_printf(out, "{\"index\":%u", place);
    if (use->texcoord_set != 0)
        json_printf(out, ",\"texCoord\":%u", use->texcoord_set);
    if (slot == TEXTURE_NORMAL)
        put_factor(out, ",\"scale\":", m->normal_scale, 1);
    if (slot == TEXTURE_OCCLUSION)
        put_factor(out, ",\"strength\":", m->occlusion_strength, 1);
    if (slot == TEXTURE_CLEARCOAT_NORMAL)
        put_factor(out, ",\"scale\":", material_layers_of(surfaces->model, m)->clearcoat_normal_scale, 1);
    if (is_transformed(surfaces, material, slot))
        put_transform(out, use->uv_from_texcoord);
    buf_put_char(out, '}');
}

static void put_metallic_roughness(const struct surfaces *surfaces, struct buf *out, uint32_t index)
{
    const struct material *material = &surfaces->model->materials[index];
    json_printf(out, "\"pbrMetallicRoughness\":{\"metallicFactor\":%f", (double)material->metallic);
    put_factor(out, ",\"roughnessFactor\":", material->roughness, 1);
    put_color(out, ",\"baseColorFactor\":", material->base_color, 4, 1);
    surfaces_put_texture(surfaces, out, index, TEXTURE_BASE_COLOR, ",\"baseColorTexture\":");
    surfaces_put_texture(surfaces, out, index, TEXTURE_METALLIC_ROUGHNESS, ",\"metallicRoughnessTexture\":");
    buf_put_char(out, '}');
}

/* Returns the factor by which emission exceeds 1. */
static float emissive_strength(const struct material *material)
{
    float most = 1;
    for (int i = 0; i < 3; i++)
        most = material->emissive[i] > most ? material->emissive[i] : most;
    return most;
}

static bool has_strength(const struct surfaces *surfaces, uint32_t index)
{
    return emissive_strength(&surfaces->model->materials[index]) != 1 ||
           is_animated(surfaces, index, SURFACES_STRENGTH);
}

/* ,"extensions":{..} of the material */
static void put_extensions(const struct surfaces *surfaces, struct buf *out, uint32_t index)
{
    const struct material *material = &surfaces->model->materials[index];
    const bool is_unlit = (material->flags & MATERIAL_UNLIT) != 0, is_strong = has_strength(surfaces, index);
    static const char OPENING[] = ",\"extensions\":{";
    bool has_any = is_unlit || is_strong || material->layers >= 0;
    if (has_any)
        buf_put_text(out, OPENING);
    if (is_unlit)
        buf_put_text(out, "\"KHR_materials_unlit\":{}");
    if (is_strong) {
        buf_put_text(out, is_unlit ? "," : "");
        json_printf(out, "\"KHR_materials_emissive_strength\":{\"emissiveStrength\":%f}",
                    (double)emissive_strength(material));
    }
    if (material->layers >= 0) {
        buf_put_text(out, is_unlit || is_strong ? "," : "");
        surfaces_put_layers(surfaces, out, index);
    }
    if (surfaces->put_carried != NULL && surfaces->put_carried(surfaces->context, index, has_any ? "," : OPENING))
        has_any = true;
    if (has_any)
        buf_put_char(out, '}');
}

static void put_surface(const struct surfaces *surfaces, struct buf *out, uint32_t index)
{
    const struct material *material = &surfaces->model->materials[index];
    const float strength = emissive_strength(material);
    const float emissive[3] = {material->emissive[0] / strength, material->emissive[1] / strength,
                               material->emissive[2] / strength};
    surfaces_put_texture(surfaces, out, index, TEXTURE_NORMAL, ",\"normalTexture\":");
    surfaces_put_texture(surfaces, out, index, TEXTURE_OCCLUSION, ",\"occlusionTexture\":");
    surfaces_put_texture(surfaces, out, index, TEXTURE_EMISSIVE, ",\"emissiveTexture\":");
    put_color(out, ",\"emissiveFactor\":", emissive, 3, 0);
}

static void put_material(const struct surfaces *surfaces, struct buf *out, uint32_t index)
{
    const struct model *model = surfaces->model;
    const struct material *material = &model->materials[index];
    buf_put_char(out, '{');
    glb_put_name(out, model, material->name);
    put_metallic_roughness(surfaces, out, index);
    put_surface(surfaces, out, index);
    if (material->alpha_mode == ALPHA_MASK) {
        json_printf(out, ",\"alphaMode\":\"MASK\",\"alphaCutoff\":%f",
                    material->alpha_cutoff > 0 ? (double)material->alpha_cutoff : 0);
    } else if (material->alpha_mode == ALPHA_BLEND) {
        buf_put_text(out, ",\"alphaMode\":\"BLEND\"");
    }
    if ((material->flags & MATERIAL_DOUBLE_SIDED) != 0)
        buf_put_text(out, ",\"doubleSided\":true");
    put_extensions(surfaces, out, index);
    put_extras(out, model, EXTRA_MATERIAL, index);
    buf_put_char(out, '}');
}

static unsigned extensions_of(const struct surfaces *surfaces, uint32_t index)
{
    const struct material *material = &surfaces->model->materials[index];
    unsigned uses = (material->flags & MATERIAL_UNLIT) != 0 ? 1U << GLB_UNLIT : 0;
    if (has_strength(surfaces, index))
        uses |= 1U << GLB_EMISSIVE_STRENGTH;
    if (material->layers >= 0)
        uses |= material_layers_of(surfaces->model, material)->present << GLB_LAYER;
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT; slot++)
        if (place_of(surfaces, index, slot) != GLB_NONE && is_transformed(surfaces, index, slot))
            uses |= 1U << GLB_TEXTURE_TRANSFORM;
    return uses;
}

unsigned surfaces_put_materials(const struct surfaces *surfaces, struct buf *out)
{
    const struct model *model = surfaces->model;
    uint32_t count = 0;
    unsigned uses = 0;
    for (uint32_t m = 0; m < model->material_count && !buf_failed(out); m++) {
        if (surfaces->materials[m] == GLB_NONE)
            continue;
        buf_put_text(out, count++ == 0 ? ",\"materials\":[" : ",");
        put_material(surfaces, out, m);
        uses |= extensions_of(surfaces, m);
    }
    if (count > 0)
        buf_put_char(out, ']');
    for (uint32_t t = 0; t < model->texture_count; t++)
        if (surfaces->textures[t] != GLB_NONE)
            uses |= surfaces->made[t].file == TEXTURE_FILE_WEBP   ? 1U << GLB_TEXTURE_WEBP
                    : surfaces->made[t].file == TEXTURE_FILE_KTX2 ? 1U << GLB_TEXTURE_BASISU
                                                                  : 0;
    return uses;
}

/* Writes ,"key":[names of the extensions] unless empty. */
static void put_extension_list(struct buf *out, const char *key, unsigned uses, const char *const *more,
                               uint32_t more_count)
{
    static const char *const NAMES[GLB_EXTENSION_COUNT] = {
        [GLB_UNLIT] = "KHR_materials_unlit",
        [GLB_EMISSIVE_STRENGTH] = "KHR_materials_emissive_strength",
        [GLB_TEXTURE_TRANSFORM] = "KHR_texture_transform",
        [GLB_VARIANTS] = "KHR_materials_variants",
        [GLB_VISIBILITY] = "KHR_node_visibility",
        [GLB_NODE_CONSTRAINT] = "VRMC_node_constraint",
        [GLB_POINTER] = "KHR_animation_pointer",
        [GLB_LIGHTS] = "KHR_lights_punctual",
        [GLB_MESH_QUANTIZATION] = "KHR_mesh_quantization",
        [GLB_MESHOPT_COMPRESSION] = "EXT_meshopt_compression",
        [GLB_DRACO_COMPRESSION] = "KHR_draco_mesh_compression",
        [GLB_TEXTURE_WEBP] = "EXT_texture_webp",
        [GLB_TEXTURE_BASISU] = "KHR_texture_basisu",
    };
    bool is_first = true;
    for (int i = 0; i < GLB_EXTENSION_COUNT; i++) {
        if ((uses & 1U << i) == 0)
            continue;
        const char *name = i >= GLB_LAYER && i <= GLB_LAYER_LAST ? LAYER_EXTENSIONS[i - GLB_LAYER] : NAMES[i];
        if (is_first)
            json_printf(out, ",%s:[%s", key, name);
        else
            json_printf(out, ",%s", name);
        is_first = false;
    }
    for (uint32_t i = 0; i < more_count; i++) {
        if (is_first)
            json_printf(out, ",%s:[%s", key, more[i]);
        else
            json_printf(out, ",%s", more[i]);
        is_first = false;
    }
    if (!is_first)
        buf_put_char(out, ']');
}

void glb_put_extensions(struct buf *out, unsigned uses, const char *const *more, uint32_t more_count)
{
    put_extension_list(out, "extensionsUsed", uses, more, more_count);
    put_extension_list(out, "extensionsRequired", uses & ~((1U << GLB_MESH_QUANTIZATION) - 1), NULL, 0);
}
