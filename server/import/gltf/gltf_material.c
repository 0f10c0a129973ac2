/* gltf_material.c - materials: metallic-roughness factors, textures and where they lie on the surface. */
#include "import/gltf/gltf_material.h"

#include <math.h>
#include <string.h>

static float limited(double value, double least, double most)
{
    return (float)(value > least ? value < most ? value : most : least);
}

/* KHR_texture_transform: translation * rotation * scale, the rotation such that the extension's own example (offset
 * 0,1, a quarter turn, scale 0.5) shows the lower left quadrant; the GLSL in its text is the transpose of that. */
static void read_transform(const cJSON *transform, float uv_from_texcoord[6])
{
    float offset[2] = {0, 0}, scale[2] = {1, 1};
    json_floats(transform, "offset", 2, offset);
    json_floats(transform, "scale", 2, scale);
    const double angle = json_number(transform, "rotation", 0), c = cos(angle), s = sin(angle);
    const double m[6] = {c * (double)scale[0],  s * (double)scale[1], (double)offset[0],
                         -s * (double)scale[0], c * (double)scale[1], (double)offset[1]};
    for (int i = 0; i < 6; i++)
        uv_from_texcoord[i] = (float)m[i];
}

int material_read_texture(struct material_reader *reader, const cJSON *info, enum texture_slot slot,
                          enum texture_content content, struct err *err)
{
    struct material_texture *out = &reader->out.textures[slot];
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

static int read_alpha(const cJSON *json, uint32_t index, struct material *material, struct err *err)
{
    static const char *const MODES[] = {[ALPHA_OPAQUE] = "OPAQUE", [ALPHA_MASK] = "MASK", [ALPHA_BLEND] = "BLEND"};
    const char *mode = json_text(json, "alphaMode");
    material->alpha_cutoff = (float)json_number(json, "alphaCutoff", 0.5);
    if (mode == NULL)
        return 0;
    for (uint32_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        if (strcmp(MODES[i], mode) == 0) {
            material->alpha_mode = i;
            return 0;
        }
    }
    return err_set(err, ERR_BAD_MODEL, "materials[%u].alphaMode is '%.20s', which is none of glTF's", index, mode);
}

static int read_metallic_roughness(struct material_reader *reader, struct err *err)
{
    const cJSON *pbr = json_member(reader->json, "pbrMetallicRoughness");
    struct material *out = &reader->out;
    json_floats(pbr, "baseColorFactor", 4, out->base_color);
    out->metallic = limited(json_number(pbr, "metallicFactor", 1), 0, 1);
    out->roughness = limited(json_number(pbr, "roughnessFactor", 1), 0, 1);
    if (material_read_texture(reader, json_member(pbr, "baseColorTexture"), TEXTURE_BASE_COLOR, TEXTURE_COLORS, err) <
        0)
        return err->code;
    return material_read_texture(reader, json_member(pbr, "metallicRoughnessTexture"), TEXTURE_METALLIC_ROUGHNESS,
                                 TEXTURE_DATA, err);
}

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
    if (material_read_texture(reader, normal, TEXTURE_NORMAL, TEXTURE_DATA, err) < 0 ||
        material_read_texture(reader, json_member(json, "emissiveTexture"), TEXTURE_EMISSIVE, TEXTURE_COLORS, err) < 0)
        return err->code;
    return material_read_texture(reader, occlusion, TEXTURE_OCCLUSION, TEXTURE_DATA, err);
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
    const int rc = material_is_specular_glossiness(&reader) ? material_read_specular_glossiness(&reader, err)
                                                            : read_metallic_roughness(&reader, err);
    if (rc < 0 || read_surface(&reader, err) < 0)
        return err_prefix(err, "materials[%u]", index);
    gltf->builder->materials[index] = reader.out;
    gltf->texcoords[index] = reader.texcoords;
    return 0;
}

/* The coordinates that a material without textures might want are the first. */
struct texcoord_sets gltf_material_texcoords(const struct gltf *gltf, int64_t material)
{
    struct texcoord_sets texcoords = material < 0 ? TEXCOORD_SETS_NONE : gltf->texcoords[material];
    if (texcoords.sets[0] < 0)
        texcoords.sets[0] = 0;
    return texcoords;
}

int gltf_read_materials(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_MATERIALS].count;
    void *images, *views, *texcoords;
    if (gltf_alloc(&images, gltf->import->limits->value[LIMIT_TEXTURES], sizeof *gltf->texture_images, err) < 0)
        return err->code;
    gltf->texture_images = images;
    if (gltf_alloc(&views, gltf->lists[GLTF_BUFFER_VIEWS].count, sizeof *gltf->view_images, err) < 0)
        return err->code;
    gltf->view_images = views;
    if (gltf_alloc(&texcoords, count, sizeof *gltf->texcoords, err) < 0)
        return err->code;
    gltf->texcoords = texcoords;
    texture_mixer_init(&gltf->mixer, gltf->builder, gltf->import->limits);
    if (bake_add_material(gltf->builder, count) == NULL)
        return gltf_full(gltf, err);
    for (uint32_t i = 0; i < count; i++)
        if (read_material(gltf, i, err) < 0)
            return err->code;
    gltf_warn_of_ignored(gltf);
    texture_mixer_end(&gltf->mixer);
    return 0;
}
