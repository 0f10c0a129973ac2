/* gltf_material.c - reads materials: metallic-roughness factors, textures and their placement on the surface. Converts
 * KHR_materials_pbrSpecularGlossiness (Khronos, archived) to the nearest metallic-roughness material. */
#include "import/gltf/gltf_material.h"
#include "import/gltf/gltf_properties.h"

#include "anim/model/property.h"
#include "base/mem.h"

#include <string.h>

static float limited(double value, double least, double most)
{
    return (float)(value > least ? value < most ? value : most : least);
}

/* KHR_texture_transform. */
static void read_transform(const cJSON *transform, float uv_from_texcoord[6])
{
    float offset[2] = {0, 0}, scale[2] = {1, 1};
    json_floats(transform, "offset", 2, offset);
    json_floats(transform, "scale", 2, scale);
    texture_transform_matrix((double[2]){(double)offset[0], (double)offset[1]},
                             (double[2]){(double)scale[0], (double)scale[1]}, json_number(transform, "rotation", 0),
                             uv_from_texcoord);
}

int gltf_place_texture(struct material_reader *reader, const cJSON *info, uint32_t content,
                       struct material_texture *out, struct err *err)
{
    if (info == NULL)
        return 0;
    const cJSON *transform = json_member(json_member(info, "extensions"), "KHR_texture_transform");
    const uint64_t set = json_count(transform, "texCoord", json_count(info, "texCoord", 0));
    const int place = texcoord_place(&reader->texcoords, (int64_t)(set < INT64_MAX ? set : INT64_MAX));
    if (place < 0) {
        bake_warn(
            reader->gltf->builder, "texcoords_beyond_two",
            "materials[%u] lays its textures by more than two sets of coordinates: that on TEXCOORD_%llu is left out",
            reader->index, (unsigned long long)set);
        return 0;
    }
    out->texcoord_set = (uint32_t)place;
    if (transform != NULL)
        read_transform(transform, out->uv_from_texcoord);
    return gltf_texture(reader->gltf, (uint32_t)json_index(info, "index"), content, &out->texture, err);
}

static int read_texture(struct material_reader *reader, const cJSON *info, enum texture_slot slot,
                        enum texture_content content, struct err *err)
{
    return gltf_place_texture(reader, info, content, &reader->out.textures[slot], err);
}

static int read_alpha(const cJSON *json, uint32_t index, struct material *material, struct err *err)
{
    static const char *const MODES[] = {[ALPHA_OPAQUE] = "OPAQUE", [ALPHA_MASK] = "MASK", [ALPHA_BLEND] = "BLEND"};
    const char *mode = json_text(json, "alphaMode");
    material->alpha_cutoff = (float)json_number(json, "alphaCutoff", 0.5);
    const int found = mode == NULL ? ALPHA_OPAQUE : json_word(mode, MODES, sizeof MODES / sizeof *MODES);
    if (found < 0)
        return err_set(err, ERR_BAD_MODEL, "materials[%u].alphaMode is '%.20s', which is none of glTF's", index, mode);
    material->alpha_mode = (uint32_t)found;
    return 0;
}

static int read_metallic_roughness(struct material_reader *reader, struct err *err)
{
    const cJSON *pbr = json_member(reader->json, "pbrMetallicRoughness");
    struct material *out = &reader->out;
    json_floats(pbr, "baseColorFactor", 4, out->base_color);
    out->metallic = limited(json_number(pbr, "metallicFactor", 1), 0, 1);
    out->roughness = limited(json_number(pbr, "roughnessFactor", 1), 0, 1);
    if (read_texture(reader, json_member(pbr, "baseColorTexture"), TEXTURE_BASE_COLOR, TEXTURE_COLORS, err) < 0)
        return err->code;
    return read_texture(reader, json_member(pbr, "metallicRoughnessTexture"), TEXTURE_METALLIC_ROUGHNESS, TEXTURE_DATA,
                        err);
}

/* --- specular-glossiness: used where the file requires it or has no other material --- */

static const char SPECULAR_GLOSSINESS[] = "KHR_materials_pbrSpecularGlossiness";

static const cJSON *gloss_of(const cJSON *material)
{
    return json_member(json_member(material, "extensions"), SPECULAR_GLOSSINESS);
}

static bool is_required(const struct gltf *gltf)
{
    for (const cJSON *item = json_first(gltf->root, "extensionsRequired"); item != NULL; item = item->next)
        if (strcmp(item->valuestring, SPECULAR_GLOSSINESS) == 0)
            return true;
    return false;
}

bool gltf_is_specular_glossiness(const struct gltf *gltf, const cJSON *material)
{
    return gloss_of(material) != NULL && (json_member(material, "pbrMetallicRoughness") == NULL || is_required(gltf));
}

/* For materials without textures, or with only a diffuse texture if the surface cannot be metal. */
static void take_factors(struct material *out, const struct specular_glossiness *gloss)
{
    const struct metallic_roughness mixed = specular_glossiness_to_metallic_roughness(gloss);
    memcpy(out->base_color, mixed.base_color, sizeof mixed.base_color);
    out->base_color[3] = gloss->diffuse[3];
    out->metallic = mixed.metallic;
    out->roughness = mixed.roughness;
    out->textures[TEXTURE_METALLIC_ROUGHNESS] = MATERIAL_PLAIN.textures[TEXTURE_METALLIC_ROUGHNESS];
}

static bool is_found(const struct gltf *gltf, const struct material_texture *use)
{
    return use->texture < 0 || gltf->builder->textures[use->texture].state == TEXTURE_FOUND;
}

static bool lie_alike(const struct material_texture *a, const struct material_texture *b)
{
    return a->texture < 0 || b->texture < 0 ||
           (a->texcoord_set == b->texcoord_set &&
            memcmp(a->uv_from_texcoord, b->uv_from_texcoord, sizeof a->uv_from_texcoord) == 0);
}

/* Replaces the diffuse and the specular-glossiness texture in the slots by the mixed ones. */
static int mix_textures(struct material_reader *reader, const struct specular_glossiness *gloss, struct err *err)
{
    struct material *out = &reader->out;
    struct material_texture *base = &out->textures[TEXTURE_BASE_COLOR],
                            *rough = &out->textures[TEXTURE_METALLIC_ROUGHNESS];
    struct texture_mix mix = {
        .kind = MIX_SPECULAR_GLOSSINESS_BASE_COLOR, .a = base->texture, .b = rough->texture, .gloss = *gloss};
    const int base_color = texture_mix(&reader->gltf->mixer, &mix, err);
    mix.kind = MIX_SPECULAR_GLOSSINESS_METALLIC_ROUGHNESS;
    const int metallic_roughness = base_color < 0 ? base_color : texture_mix(&reader->gltf->mixer, &mix, err);
    if (metallic_roughness < 0)
        return metallic_roughness;
    const struct material_texture place = base->texture >= 0 ? *base : *rough;
    *base = *rough = place;
    base->texture = base_color;
    rough->texture = metallic_roughness;
    out->metallic = out->roughness = 1;
    return 0;
}

static int read_specular_glossiness(struct material_reader *reader, struct err *err)
{
    const cJSON *json = gloss_of(reader->json);
    struct material *out = &reader->out;
    struct specular_glossiness gloss = {.diffuse = {1, 1, 1, 1}, .specular = {1, 1, 1}};
    json_floats(json, "diffuseFactor", 4, gloss.diffuse);
    json_floats(json, "specularFactor", 3, gloss.specular);
    gloss.glossiness = (float)json_number(json, "glossinessFactor", 1);
    bake_warn(reader->gltf->builder, "material_approximated", "%s: materials that are nearest to it stand for it",
              SPECULAR_GLOSSINESS);
    const struct material_texture *a = &out->textures[TEXTURE_BASE_COLOR],
                                  *b = &out->textures[TEXTURE_METALLIC_ROUGHNESS];
    if (read_texture(reader, json_member(json, "diffuseTexture"), TEXTURE_BASE_COLOR, TEXTURE_COLORS, err) < 0 ||
        read_texture(reader, json_member(json, "specularGlossinessTexture"), TEXTURE_METALLIC_ROUGHNESS, TEXTURE_COLORS,
                     err) < 0)
        return err->code;
    const bool is_mixed = (a->texture >= 0 || b->texture >= 0) && is_found(reader->gltf, a) &&
                          is_found(reader->gltf, b) && lie_alike(a, b);
    /* A surface that reflects no more than a dielectric is not metal, independent of its diffuse texture. */
    struct specular_glossiness black = gloss;
    memset(black.diffuse, 0, sizeof black.diffuse);
    const bool is_metal = b->texture >= 0 || specular_glossiness_to_metallic_roughness(&black).metallic > 0;
    if (is_mixed && is_metal)
        return mix_textures(reader, &gloss, err);
    take_factors(out, &gloss);
    return 0;
}

/* --- the rest --- */

/* KHR_materials_emissive_strength: the factor's multiplier, above 1 too. */
static void read_emissive(const cJSON *json, float emissive[3])
{
    const cJSON *extension = json_member(json_member(json, "extensions"), "KHR_materials_emissive_strength");
    const double strength = json_number(extension, "emissiveStrength", 1);
    json_floats(json, "emissiveFactor", 3, emissive);
    for (int i = 0; i < 3; i++)
        emissive[i] = limited((double)emissive[i] * strength, 0, 1e9);
}

static int read_surface(struct material_reader *reader, struct err *err)
{
    const cJSON *json = reader->json, *normal = json_member(json, "normalTexture"),
                *occlusion = json_member(json, "occlusionTexture");
    struct material *out = &reader->out;
    read_emissive(json, out->emissive);
    out->normal_scale = limited(json_number(normal, "scale", 1), -1e6, 1e6);
    out->occlusion_strength = limited(json_number(occlusion, "strength", 1), 0, 1);
    if (read_texture(reader, normal, TEXTURE_NORMAL, TEXTURE_DATA, err) < 0 ||
        read_texture(reader, json_member(json, "emissiveTexture"), TEXTURE_EMISSIVE, TEXTURE_COLORS, err) < 0)
        return err->code;
    return read_texture(reader, occlusion, TEXTURE_OCCLUSION, TEXTURE_DATA, err);
}

static int read_material(struct gltf *gltf, uint32_t index, struct err *err)
{
    struct material_reader reader = {.gltf = gltf,
                                     .index = index,
                                     .json = gltf_item(gltf, GLTF_MATERIALS, index),
                                     .out = MATERIAL_PLAIN,
                                     .texcoords = TEXCOORD_SETS_NONE};
    const cJSON *json = reader.json;
    reader.out.name = gltf_name(gltf, json, GLTF_MATERIALS, index);
    if (read_alpha(json, index, &reader.out, err) < 0)
        return err->code;
    if (json_is_true(json, "doubleSided"))
        reader.out.flags |= MATERIAL_DOUBLE_SIDED;
    if (json_member(json_member(json, "extensions"), "KHR_materials_unlit") != NULL)
        reader.out.flags |= MATERIAL_UNLIT;
    const int rc = gltf_is_specular_glossiness(gltf, json) ? read_specular_glossiness(&reader, err)
                                                           : read_metallic_roughness(&reader, err);
    if (rc < 0 || read_surface(&reader, err) < 0 || gltf_read_layers(&reader, err) < 0)
        return err_prefix(err, "materials[%u]", index);
    gltf->builder->materials[index] = reader.out;
    gltf->texcoords[index] = reader.texcoords;
    return 0;
}

struct texcoord_sets gltf_material_texcoords(const struct gltf *gltf, int64_t material)
{
    return material < 0 ? TEXCOORD_SETS_NONE : gltf->texcoords[material];
}

int gltf_read_materials(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_MATERIALS].count;
    gltf->model_textures = mem_zalloc(gltf->lists[GLTF_TEXTURES].count, sizeof *gltf->model_textures);
    gltf->view_images = mem_zalloc(gltf->lists[GLTF_BUFFER_VIEWS].count, sizeof *gltf->view_images);
    gltf->texcoords = mem_zalloc(count, sizeof *gltf->texcoords);
    gltf_properties_mark(gltf);
    texture_mixer_init(&gltf->mixer, gltf->builder, gltf->import->limits);
    if (bake_add_material(gltf->builder, count) == NULL)
        return import_full(gltf->import, err);
    for (uint32_t i = 0; i < count; i++)
        if (read_material(gltf, i, err) < 0)
            return err->code;
    texture_mixer_end(&gltf->mixer);
    return 0;
}
