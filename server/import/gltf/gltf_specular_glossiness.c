/* gltf_gloss.c - KHR_materials_pbrSpecularGlossiness (Khronos, archived) as the nearest metallic-roughness material. */
#include "import/gltf/gltf_material.h"

#include <string.h>

static const char NAME[] = "KHR_materials_pbrSpecularGlossiness";

static const cJSON *gloss_of(const struct material_reader *reader)
{
    return json_member(json_member(reader->json, "extensions"), NAME);
}

static bool is_required(const struct gltf *gltf)
{
    const cJSON *required = json_member(gltf->root, "extensionsRequired");
    for (const cJSON *item = required == NULL ? NULL : required->child; item != NULL; item = item->next)
        if (strcmp(item->valuestring, NAME) == 0)
            return true;
    return false;
}

bool material_is_specular_glossiness(const struct material_reader *reader)
{
    return gloss_of(reader) != NULL &&
           (json_member(reader->json, "pbrMetallicRoughness") == NULL || is_required(reader->gltf));
}

/* Factors alone: right where there are no textures, and for the diffuse one where metal is out of the question. */
static void take_factors(struct material *out, const float diffuse[4], const float specular[3], float glossiness)
{
    struct specular_glossiness gloss = {.glossiness = glossiness};
    memcpy(gloss.diffuse, diffuse, sizeof gloss.diffuse);
    memcpy(gloss.specular, specular, sizeof gloss.specular);
    const struct metallic_roughness mixed = specular_glossiness_to_metallic_roughness(&gloss);
    memcpy(out->base_color, mixed.base_color, sizeof mixed.base_color);
    out->base_color[3] = diffuse[3];
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

/* Out of what lies in the slots, the diffuse and the specular-glossy texture, come those that belong there. */
static int mix_textures(struct material_reader *reader, const float diffuse[4], const float specular[3],
                        float glossiness, struct err *err)
{
    struct material *out = &reader->out;
    struct material_texture *base = &out->textures[TEXTURE_BASE_COLOR],
                            *rough = &out->textures[TEXTURE_METALLIC_ROUGHNESS];
    struct texture_mix mix = {
        .kind = MIX_SPECULAR_GLOSSINESS_BASE_COLOR,
        .a = base->texture,
        .b = rough->texture,
        .factors = {diffuse[0], diffuse[1], diffuse[2], diffuse[3], specular[0], specular[1], specular[2], glossiness}};
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

int material_read_specular_glossiness(struct material_reader *reader, struct err *err)
{
    const cJSON *json = gloss_of(reader);
    struct material *out = &reader->out;
    float diffuse[4] = {1, 1, 1, 1}, specular[3] = {1, 1, 1};
    json_floats(json, "diffuseFactor", 4, diffuse);
    json_floats(json, "specularFactor", 3, specular);
    const float glossiness = (float)json_number(json, "glossinessFactor", 1);
    bake_warn(reader->gltf->builder, "material_approximated", "%s: materials that are nearest to it stand for it",
              NAME);
    const struct material_texture *a = &out->textures[TEXTURE_BASE_COLOR],
                                  *b = &out->textures[TEXTURE_METALLIC_ROUGHNESS];
    if (material_read_texture(reader, json_member(json, "diffuseTexture"), TEXTURE_BASE_COLOR, TEXTURE_COLORS, err) <
            0 ||
        material_read_texture(reader, json_member(json, "specularGlossinessTexture"), TEXTURE_METALLIC_ROUGHNESS,
                              TEXTURE_COLORS, err) < 0)
        return err->code;
    const bool is_mixed = (a->texture >= 0 || b->texture >= 0) && is_found(reader->gltf, a) &&
                          is_found(reader->gltf, b) && lie_alike(a, b);
    /* What reflects no more than a dielectric is none of metal, whatever its diffuse texture. */
    const bool is_metal =
        b->texture >= 0 || specular_glossiness_to_metallic_roughness(
                               &(struct specular_glossiness){{0}, {specular[0], specular[1], specular[2]}, 0})
                                   .metallic > 0;
    if (is_mixed && is_metal)
        return mix_textures(reader, diffuse, specular, glossiness, err);
    take_factors(out, diffuse, specular, glossiness);
    return 0;
}
