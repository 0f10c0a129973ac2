/* Materials of a GLB file, as glTF 2.0, 3.9 has them. */
#include "wire/bodies/body_glb.h"

#include <math.h>

enum { PIXEL_BYTES_PER_STEP = 64 }; /* compressing so many is about the work for one node */

/* Replaces marks by places, in the model's order. */
static void number(uint32_t *places, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        if (places[i] != GLB_NONE)
            places[i] = next++;
}

bool glb_number_materials(struct reply_context *context, struct glb_export *export)
{
    const struct model *model = context->model;
    uint64_t pixel_bytes = 0;
    for (uint32_t e = 0; e < context->work.mesh.draw_count; e++) {
        const int32_t material = deform_material(context, e);
        if (material >= 0)
            export->materials[material] = 0;
    }
    number(export->materials, model->material_count);
    const uint32_t slots = context->request->has_no_textures ? 0 : model->material_count * TEXTURE_SLOT_COUNT;
    for (uint32_t i = 0; i < slots; i++) {
        const int32_t texture =
            glb_texture_of(context, export, i / TEXTURE_SLOT_COUNT, (enum texture_slot)(i % TEXTURE_SLOT_COUNT));
        if (texture < 0 || model->textures[texture].state != TEXTURE_FOUND || export->textures[texture] != GLB_NONE)
            continue;
        export->textures[texture] = 0;
        pixel_bytes += (uint64_t)model->textures[texture].width * model->textures[texture].height * 4;
    }
    number(export->textures, model->texture_count);
    return context_is_affordable(context, pixel_bytes / PIXEL_BYTES_PER_STEP);
}

/* The texture's place in the file, or GLB_NONE. */
static uint32_t place_of(const struct reply_context *context, const struct glb_export *export, uint32_t material,
                         enum texture_slot slot)
{
    const int32_t texture = glb_texture_of(context, export, material, slot);
    return texture < 0 ? GLB_NONE : export->textures[texture];
}

bool glb_is_textured(const struct reply_context *context, const struct glb_export *export, int32_t material,
                     uint32_t set)
{
    for (int slot = 0; material >= 0 && slot < TEXTURE_SLOT_COUNT; slot++)
        if (context->model->materials[material].textures[slot].texcoord_set == set &&
            place_of(context, export, (uint32_t)material, (enum texture_slot)slot) != GLB_NONE)
            return true;
    return false;
}

bool glb_wants_tangents(const struct reply_context *context, const struct glb_export *export,
                        const struct primitive *primitive, int32_t material)
{
    return (primitive->flags & PRIMITIVE_TANGENTS) != 0 && material >= 0 &&
           place_of(context, export, (uint32_t)material, TEXTURE_NORMAL) != GLB_NONE;
}

void glb_put_name(struct buf *out, const struct model *model, struct str name)
{
    if (name.offset != STR_NONE)
        json_printf(out, "\"name\":%.*s,", JSON_STR(model, name));
}

static float limited(float value, float most) { return value > most ? most : value > 0 ? value : 0; }

/* A factor within 0 to 1, unless it is what glTF takes without it. */
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

static bool is_transformed(const struct material_texture *use)
{
    const float *m = use->uv_from_texcoord;
    return m[0] != 1 || m[1] != 0 || m[2] != 0 || m[3] != 0 || m[4] != 1 || m[5] != 0;
}

/* The matrix as offset, rotation and scale: [c*sx, s*sy, ox; -s*sx, c*sy, oy]. A mirror is a negative sy. */
static void put_transform(struct buf *out, const float m[6])
{
    const double a = (double)m[0], b = (double)m[1], d = (double)m[3], e = (double)m[4];
    const double scale_x = hypot(a, d), scale_y = a * e - b * d < 0 ? -hypot(b, e) : hypot(b, e);
    const double rotation = scale_x > 0 ? atan2(-d, a) : atan2(b, e);
    const float offset[2] = {m[2], m[5]}, scale[2] = {(float)scale_x, (float)scale_y};
    buf_put_text(out, ",\"extensions\":{\"KHR_texture_transform\":{\"offset\":");
    json_put_floats(out, offset, 2);
    json_printf(out, ",\"rotation\":%f,\"scale\":", rotation);
    json_put_floats(out, scale, 2);
    buf_put_text(out, "}}");
}

/* key{"index":..,"texCoord":..,<factor>,"extensions":..}; nothing where the file has no such texture. */
static void put_use(struct reply_context *context, const struct glb_export *export, uint32_t material,
                    enum texture_slot slot, const char *key)
{
    const struct material *m = &context->model->materials[material];
    const struct material_texture *use = &m->textures[slot];
    const uint32_t place = place_of(context, export, material, slot);
    struct buf *out = context->out;
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
    if (is_transformed(use))
        put_transform(out, use->uv_from_texcoord);
    buf_put_char(out, '}');
}

static void put_metallic_roughness(struct reply_context *context, const struct glb_export *export, uint32_t index)
{
    const struct material *material = &context->model->materials[index];
    struct buf *out = context->out;
    json_printf(out, "\"pbrMetallicRoughness\":{\"metallicFactor\":%f", (double)material->metallic);
    put_factor(out, ",\"roughnessFactor\":", material->roughness, 1);
    put_color(out, ",\"baseColorFactor\":", material->base_color, 4, 1);
    put_use(context, export, index, TEXTURE_BASE_COLOR, ",\"baseColorTexture\":");
    put_use(context, export, index, TEXTURE_METALLIC_ROUGHNESS, ",\"metallicRoughnessTexture\":");
    buf_put_char(out, '}');
}

/* How much brighter than 1 it glows. */
static float emissive_strength(const struct material *material)
{
    float most = 1;
    for (int i = 0; i < 3; i++)
        most = material->emissive[i] > most ? material->emissive[i] : most;
    return most;
}

/* ,"extensions":{..} of the material */
static void put_extensions(struct buf *out, const struct material *material)
{
    const float strength = emissive_strength(material);
    const bool is_unlit = (material->flags & MATERIAL_UNLIT) != 0;
    if (!is_unlit && strength == 1)
        return;
    buf_put_text(out, is_unlit ? ",\"extensions\":{\"KHR_materials_unlit\":{}" : ",\"extensions\":{");
    if (strength != 1) {
        buf_put_text(out, is_unlit ? "," : "");
        json_printf(out, "\"KHR_materials_emissive_strength\":{\"emissiveStrength\":%f}", (double)strength);
    }
    buf_put_char(out, '}');
}

static void put_surface(struct reply_context *context, const struct glb_export *export, uint32_t index)
{
    const struct material *material = &context->model->materials[index];
    struct buf *out = context->out;
    const float strength = emissive_strength(material);
    const float emissive[3] = {material->emissive[0] / strength, material->emissive[1] / strength,
                               material->emissive[2] / strength};
    put_use(context, export, index, TEXTURE_NORMAL, ",\"normalTexture\":");
    put_use(context, export, index, TEXTURE_OCCLUSION, ",\"occlusionTexture\":");
    put_use(context, export, index, TEXTURE_EMISSIVE, ",\"emissiveTexture\":");
    put_color(out, ",\"emissiveFactor\":", emissive, 3, 0);
}

static void put_material(struct reply_context *context, const struct glb_export *export, uint32_t index)
{
    const struct model *model = context->model;
    const struct material *material = &model->materials[index];
    struct buf *out = context->out;
    buf_put_char(out, '{');
    glb_put_name(out, model, material->name);
    put_metallic_roughness(context, export, index);
    put_surface(context, export, index);
    if (material->alpha_mode == ALPHA_MASK) {
        json_printf(out, ",\"alphaMode\":\"MASK\",\"alphaCutoff\":%f",
                    material->alpha_cutoff > 0 ? (double)material->alpha_cutoff : 0);
    } else if (material->alpha_mode == ALPHA_BLEND) {
        buf_put_text(out, ",\"alphaMode\":\"BLEND\"");
    }
    if ((material->flags & MATERIAL_DOUBLE_SIDED) != 0)
        buf_put_text(out, ",\"doubleSided\":true");
    put_extensions(out, material);
    put_extras(out, model, EXTRA_MATERIAL, index);
    buf_put_char(out, '}');
}

enum { USES_UNLIT = 1, USES_STRENGTH = 2, USES_TRANSFORM = 4 };

static unsigned extensions_of(const struct reply_context *context, const struct glb_export *export, uint32_t index)
{
    const struct material *material = &context->model->materials[index];
    unsigned uses = (material->flags & MATERIAL_UNLIT) != 0 ? USES_UNLIT : 0;
    if (emissive_strength(material) != 1)
        uses |= USES_STRENGTH;
    for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++)
        if (place_of(context, export, index, (enum texture_slot)slot) != GLB_NONE &&
            is_transformed(&material->textures[slot]))
            uses |= USES_TRANSFORM;
    return uses;
}

void glb_put_materials(struct reply_context *context, const struct glb_export *export)
{
    static const char *const NAMES[] = {"KHR_materials_unlit", "KHR_materials_emissive_strength",
                                        "KHR_texture_transform"};
    const struct model *model = context->model;
    uint32_t count = 0;
    unsigned uses = 0;
    for (uint32_t m = 0; m < model->material_count && !buf_failed(context->out); m++) {
        if (export->materials[m] == GLB_NONE)
            continue;
        buf_put_text(context->out, count++ == 0 ? ",\"materials\":[" : ",");
        put_material(context, export, m);
        uses |= extensions_of(context, export, m);
    }
    if (count > 0)
        buf_put_char(context->out, ']');
    const char *before = ",\"extensionsUsed\":[\"";
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if ((uses & 1u << i) == 0)
            continue;
        buf_put_text(context->out, before);
        buf_put_text(context->out, NAMES[i]);
        buf_put_char(context->out, '"');
        before = ",\"";
    }
    if (uses != 0)
        buf_put_char(context->out, ']');
}
