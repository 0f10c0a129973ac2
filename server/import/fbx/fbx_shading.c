#include "import/fbx/fbx_shading.h"

#include "import/mesh/vertex_values.h"
#include "import/texture/material_values.h"

#include <string.h>
#include <strings.h>

/* --- numbers --- */

/* The first property of these names that the material has; the last is NULL. */
static bool find_real(const struct fbx_scene *scene, uint32_t material, const char *const *names, double *out)
{
    for (; *names != NULL; names++)
        if (fbx_property_real(scene, material, *names, out))
            return true;
    return false;
}

static bool find_color(const struct fbx_scene *scene, uint32_t material, const char *const *names, float out[3])
{
    double color[3];
    for (; *names != NULL; names++) {
        if (!fbx_property_real3(scene, material, *names, color))
            continue;
        for (int i = 0; i < 3; i++)
            out[i] = finite_or_zero(color[i]);
        return true;
    }
    return false;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static double real_or(const struct fbx_scene *scene, uint32_t material, const char *name, double fallback)
{
    fbx_property_real(scene, material, name, &fallback);
    return fallback;
}

static bool is_set(const struct fbx_scene *scene, uint32_t material, const char *name)
{
    return real_or(scene, material, name, 0) >= 0.5;
}

/* --- Lambert and Phong --- */

static bool is_lambert(const struct fbx_scene *scene, uint32_t material)
{
    struct fbx_span model = fbx_child_text(&scene->file, scene->objects[material].record, "ShadingModel");
    if (model.size_bytes == 0)
        fbx_property_text(scene, material, "ShadingModel", &model);
    static const char NAME[] = "lambert";
    return model.size_bytes == sizeof NAME - 1 && strncasecmp((const char *)model.bytes, NAME, sizeof NAME - 1) == 0;
}

/* The SDK writes `Opacity` beside the colour and the factor, and programs use these differently. */
static float classic_opacity(const struct fbx_scene *scene, uint32_t material)
{
    double opacity, factor = 1, color[3];
    if (fbx_property_real(scene, material, "Opacity", &opacity))
        return finite_or_zero(opacity);
    if (!fbx_property_real3(scene, material, "TransparentColor", color))
        return 1;
    find_real(scene, material, NAMES("TransparencyFactor", "TransparentFactor"), &factor);
    return finite_or_zero(1 - factor * (color[0] + color[1] + color[2]) / 3);
}

/* The exponent as Blender writes it, 100 * (1 - roughness)^2, to which the exponents of other programs come close.
 * Gives 1 without a highlight. */
static float phong_roughness(const struct fbx_scene *scene, uint32_t material)
{
    float specular[3] = {1, 1, 1};
    double exponent, factor = real_or(scene, material, "SpecularFactor", 1);
    find_color(scene, material, NAMES("SpecularColor", "Specular"), specular);
    const bool has_highlight = !is_lambert(scene, material) && factor > 0 && !is_black(specular);
    if (!has_highlight || !find_real(scene, material, NAMES("ShininessExponent", "Shininess"), &exponent))
        return 1;
    return exponent > 0 ? fraction(1 - sqrt(exponent) / 10) : 1;
}

static void read_classic(const struct fbx_scene *scene, uint32_t material, bool is_by_blender, struct fbx_shading *out)
{
    const double diffuse = real_or(scene, material, "DiffuseFactor", 1);
    if (find_color(scene, material, NAMES("DiffuseColor"), out->color))
        for (int i = 0; i < 3; i++)
            out->color[i] *= finite_or_zero(diffuse);
    else
        find_color(scene, material, NAMES("Diffuse"), out->color); /* the product, beside the others */
    out->opacity = classic_opacity(scene, material);
    out->roughness = phong_roughness(scene, material);
    /* Other programs use it as the mirror reflection factor, which is 1 in most materials. */
    out->metallic = is_by_blender ? fraction(real_or(scene, material, "ReflectionFactor", 0)) : 0;
    find_color(scene, material, NAMES("EmissiveColor", "Emissive"), out->emission);
    out->emission_weight = finite_or_zero(real_or(scene, material, "EmissiveFactor", 1));
    out->height_factor = finite_or_zero(real_or(scene, material, "BumpFactor", 1));
}

/* --- physical materials --- */

/* Of 3ds Max's PBR material: what the roughness map and number mean. */
static bool is_glossiness(const struct fbx_scene *scene, uint32_t material)
{
    enum { GLOSSINESS = 1, ROUGHNESS = 2 };
    int64_t meaning = ROUGHNESS;
    fbx_property_integer(scene, material, "3dsMax|main|useGlossiness", &meaning);
    return meaning == GLOSSINESS || is_set(scene, material, "3dsMax|Parameters|roughness_inv");
}

static void read_physical_color(const struct fbx_scene *scene, uint32_t material, struct fbx_shading *out)
{
    double weight = 1, color[3];
    if (!find_color(scene, material,
                    NAMES("Maya|base_color", "Maya|baseColor", "3dsMax|Parameters|base_color", "3dsMax|main|basecolor",
                          "3dsMax|main|baseColor"),
                    out->color))
        return;
    find_real(scene, material, NAMES("Maya|base", "3dsMax|Parameters|base_weight"), &weight);
    out->color_weight = fraction(weight);
    if (fbx_property_real3(scene, material, "Maya|opacity", color))
        out->opacity = finite_or_zero((color[0] + color[1] + color[2]) / 3);
    else
        out->opacity = finite_or_zero(real_or(scene, material, "Maya|opacity", (double)out->opacity));
}

static void read_physical_emission(const struct fbx_scene *scene, uint32_t material, struct fbx_shading *out)
{
    double weight = 1;
    out->is_emission_physical =
        find_color(scene, material,
                   NAMES("Maya|emissive", "Maya|emissionColor", "3dsMax|main|emit_color", "3dsMax|main|emissionColor"),
                   out->emission);
    if (!out->is_emission_physical)
        return;
    find_real(scene, material, NAMES("Maya|emissive_intensity", "Maya|emission"), &weight);
    out->emission_weight = finite_or_zero(weight);
}

static void read_physical_reflection(const struct fbx_scene *scene, uint32_t material, struct fbx_shading *out)
{
    double value;
    if (find_real(scene, material,
                  NAMES("Maya|metallic", "Maya|metalness", "3dsMax|Parameters|metalness", "3dsMax|main|metalness"),
                  &value))
        out->metallic = fraction(value);
    if (find_real(
            scene, material,
            NAMES("Maya|roughness", "Maya|specularRoughness", "3dsMax|Parameters|roughness", "3dsMax|main|roughness"),
            &value)) {
        out->is_gloss = is_glossiness(scene, material);
        out->roughness = fraction(out->is_gloss ? 1 - value : value);
    } else if (fbx_property_real(scene, material, "3dsMax|main|glossiness", &value)) {
        out->is_gloss = true;
        out->roughness = fraction(1 - value);
    }
    if (find_real(scene, material, NAMES("3dsMax|Parameters|bump_map_amt", "3dsMax|main|bump_map_amt"), &value))
        out->height_factor = finite_or_zero(value);
}

/* 3ds Max's glTF material: the parameters are glTF's, the alpha modes count from 1. */
static void read_gltf(const struct fbx_scene *scene, uint32_t material, struct fbx_shading *out)
{
    static const uint32_t MODES[] = {ALPHA_UNKNOWN, ALPHA_OPAQUE, ALPHA_MASK, ALPHA_BLEND};
    struct fbx_property color;
    int64_t mode = 0;
    if (!fbx_property_find(scene, material, "3dsMax|main|baseColor", &color))
        return;
    fbx_property_integer(scene, material, "3dsMax|main|alphaMode", &mode);
    if (mode >= 1 && mode <= 3) {
        out->alpha_mode = MODES[mode];
        out->opacity = finite_or_zero(fbx_real(&scene->file, color.record, color.value_first + 3, 1));
    }
    out->alpha_cutoff = fraction(real_or(scene, material, "3dsMax|main|alphaCutoff", 0.5));
    out->normal_scale = finite_or_zero(real_or(scene, material, "3dsMax|main|normal", 1));
    out->occlusion_strength = fraction(real_or(scene, material, "3dsMax|main|ambientOcclusion", 1));
    if (!is_set(scene, material, "3dsMax|main|DoubleSided"))
        out->flags &= ~(uint32_t)MATERIAL_DOUBLE_SIDED;
    if (is_set(scene, material, "3dsMax|extension|unlit"))
        out->flags |= MATERIAL_UNLIT;
}

/* --- textures --- */

enum condition { ALWAYS, BLENDER };

/* For each use, the first property counts that has a linked texture and is not switched off. */
static const struct {
    enum texture_use use;
    const char *property;
    const char *switch_name; /* a property whose value 0 switches the texture off, or NULL */
    enum condition condition;
} LINKS[] = {
    {USE_BASE_COLOR, "Maya|TEX_color_map", "Maya|use_color_map", ALWAYS},
    {USE_BASE_COLOR, "Maya|baseColor", NULL, ALWAYS},
    {USE_BASE_COLOR, "Maya|DiffuseTexture", NULL, ALWAYS},
    {USE_BASE_COLOR, "3dsMax|Parameters|base_color_map", "3dsMax|Parameters|base_color_map_on", ALWAYS},
    {USE_BASE_COLOR, "3dsMax|main|base_color_map", NULL, ALWAYS},
    {USE_BASE_COLOR, "3dsMax|main|baseColorMap", NULL, ALWAYS},
    {USE_BASE_COLOR, "DiffuseColor", NULL, ALWAYS},
    {USE_BASE_COLOR, "Diffuse", NULL, ALWAYS},
    {USE_NORMALS, "Maya|TEX_normal_map", "Maya|use_normal_map", ALWAYS},
    {USE_NORMALS, "Maya|normalCamera", NULL, ALWAYS},
    {USE_NORMALS, "Maya|NormalTexture", NULL, ALWAYS},
    {USE_NORMALS, "3dsMax|Parameters|bump_map", "3dsMax|Parameters|bump_map_on", ALWAYS},
    {USE_NORMALS, "3dsMax|main|norm_map", NULL, ALWAYS},
    {USE_NORMALS, "3dsMax|main|normalMap", NULL, ALWAYS},
    {USE_NORMALS, "NormalMap", NULL, ALWAYS},
    {USE_NORMALS, "Bump", NULL, ALWAYS},
    {USE_EMISSIVE, "Maya|TEX_emissive_map", "Maya|use_emissive_map", ALWAYS},
    {USE_EMISSIVE, "Maya|emissionColor", NULL, ALWAYS},
    {USE_EMISSIVE, "3dsMax|Parameters|emission_map", "3dsMax|Parameters|emission_map_on", ALWAYS},
    {USE_EMISSIVE, "3dsMax|Parameters|emit_color_map", "3dsMax|Parameters|emit_color_map_on", ALWAYS},
    {USE_EMISSIVE, "3dsMax|main|emit_color_map", NULL, ALWAYS},
    {USE_EMISSIVE, "3dsMax|main|emissionMap", NULL, ALWAYS},
    {USE_EMISSIVE, "EmissiveColor", NULL, ALWAYS},
    {USE_EMISSIVE, "EmissiveFactor", NULL, ALWAYS},
    {USE_OCCLUSION, "Maya|TEX_ao_map", "Maya|use_ao_map", ALWAYS},
    {USE_OCCLUSION, "3dsMax|main|ao_map", NULL, ALWAYS},
    {USE_OCCLUSION, "3dsMax|main|ambientOcclusionMap", NULL, ALWAYS},
    {USE_METALLIC, "Maya|TEX_metallic_map", "Maya|use_metallic_map", ALWAYS},
    {USE_METALLIC, "Maya|metalness", NULL, ALWAYS},
    {USE_METALLIC, "3dsMax|Parameters|metalness_map", "3dsMax|Parameters|metalness_map_on", ALWAYS},
    {USE_METALLIC, "3dsMax|main|metalness_map", NULL, ALWAYS},
    {USE_METALLIC, "3dsMax|main|metalnessMap", NULL, ALWAYS},
    {USE_METALLIC, "ReflectionFactor", NULL, ALWAYS},
    {USE_ROUGHNESS, "Maya|TEX_roughness_map", "Maya|use_roughness_map", ALWAYS},
    {USE_ROUGHNESS, "Maya|specularRoughness", NULL, ALWAYS},
    {USE_ROUGHNESS, "3dsMax|Parameters|roughness_map", "3dsMax|Parameters|roughness_map_on", ALWAYS},
    {USE_ROUGHNESS, "3dsMax|main|roughness_map", NULL, ALWAYS},
    {USE_ROUGHNESS, "3dsMax|main|glossiness_map", NULL, ALWAYS},
    {USE_ROUGHNESS, "3dsMax|main|roughnessMap", NULL, ALWAYS},
    {USE_ROUGHNESS, "ShininessExponent", NULL, BLENDER},
    {USE_ROUGHNESS, "Shininess", NULL, BLENDER},
    {USE_OPACITY, "Maya|opacity", NULL, ALWAYS},
    {USE_OPACITY, "3dsMax|Parameters|cutout_map", "3dsMax|Parameters|cutout_map_on", ALWAYS},
    {USE_OPACITY, "3dsMax|main|opacity_map", NULL, ALWAYS},
    {USE_OPACITY, "3dsMax|main|AlphaMap", NULL, ALWAYS},
    {USE_OPACITY, "TransparentColor", NULL, ALWAYS},
    {USE_OPACITY, "TransparencyFactor", NULL, ALWAYS},
};
enum { LINK_COUNT = sizeof LINKS / sizeof *LINKS };

/* Maya names a compound here, and links the texture to its part "file". */
static struct fbx_span property_of(const struct fbx_link *link)
{
    static const char PART[] = "|file";
    enum { PART_BYTES = sizeof PART - 1 };
    struct fbx_span name = link->property;
    if (name.size_bytes > PART_BYTES && memcmp(name.bytes + name.size_bytes - PART_BYTES, PART, PART_BYTES) == 0)
        name.size_bytes -= PART_BYTES;
    return name;
}

static bool is_shown(const struct fbx_scene *scene, uint32_t material, bool is_by_blender, size_t row)
{
    return (LINKS[row].condition != BLENDER || is_by_blender) &&
           (LINKS[row].switch_name == NULL || real_or(scene, material, LINKS[row].switch_name, 1) >= 0.5);
}

static void find_textures(const struct fbx_scene *scene, uint32_t material, bool is_by_blender, struct fbx_shading *out)
{
    size_t rows[TEXTURE_USE_COUNT]; /* the best so far */
    for (int use = 0; use < TEXTURE_USE_COUNT; use++) {
        rows[use] = LINK_COUNT;
        out->textures[use] = FBX_NONE;
        out->texture_counts[use] = 0;
    }
    uint32_t count;
    const struct fbx_link *links = fbx_children(scene, material, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].property.size_bytes == 0 || (!fbx_object_is(scene, links[i].child, "Texture", NULL) &&
                                                  !fbx_object_is(scene, links[i].child, "LayeredTexture", NULL)))
            continue;
        const struct fbx_span property = property_of(&links[i]);
        size_t row = 0;
        while (row < LINK_COUNT && !fbx_span_is(property, LINKS[row].property))
            row++;
        if (row == LINK_COUNT || row > rows[LINKS[row].use] || !is_shown(scene, material, is_by_blender, row))
            continue;
        const enum texture_use use = LINKS[row].use;
        if (row < rows[use]) {
            out->textures[use] = links[i].child;
            out->texture_counts[use] = 0;
            rows[use] = row;
        }
        out->texture_counts[use]++;
    }
}

void fbx_shading_read(const struct fbx_scene *scene, uint32_t material, bool is_by_blender, struct fbx_shading *out)
{
    *out = (struct fbx_shading){.color = {1, 1, 1},
                                .color_weight = 1,
                                .normal_scale = 1,
                                .occlusion_strength = 1,
                                .alpha_mode = ALPHA_UNKNOWN,
                                .alpha_cutoff = 0.5f,
                                .flags = MATERIAL_DOUBLE_SIDED};
    read_classic(scene, material, is_by_blender, out);
    read_physical_color(scene, material, out);
    read_physical_emission(scene, material, out);
    read_physical_reflection(scene, material, out);
    read_gltf(scene, material, out);
    find_textures(scene, material, is_by_blender, out);
}
