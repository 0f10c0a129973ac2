/* gltf_extensions.c - which extensions a file may require, and warnings of those that are not drawn. The rules of the
 * latter: each extension's own text in the glTF registry (Khronos, extensions/2.0/Khronos). */
#include "import/gltf/gltf.h"

#include <stdio.h>
#include <string.h>

/* What a file may require. Extensions that it only uses do not change what is read here. */
static const char *const EXTENSIONS[] = {"KHR_mesh_quantization",      "KHR_materials_unlit",
                                         "KHR_texture_transform",      "KHR_materials_emissive_strength",
                                         "EXT_texture_webp",           "EXT_meshopt_compression",
                                         "KHR_draco_mesh_compression", "KHR_materials_pbrSpecularGlossiness"};

/* The member that gives the strength of the effect, and the value (also the default) at which it is invisible. */
static const struct ignored {
    const char *name, *member;
    double neutral;
} IGNORED[] = {
    {"KHR_materials_anisotropy", "anisotropyStrength", 0},
    {"KHR_materials_clearcoat", "clearcoatFactor", 0},
    {"KHR_materials_diffuse_transmission", "diffuseTransmissionFactor", 0},
    {"KHR_materials_dispersion", "dispersion", 0},
    {"KHR_materials_ior", "ior", 1.5},
    {"KHR_materials_iridescence", "iridescenceFactor", 0},
    {"KHR_materials_sheen", "sheenColorFactor", 0},
    {"KHR_materials_specular", "specularFactor", 1},
    {"KHR_materials_specular", "specularColorFactor", 1},
    {"KHR_materials_specular", "specularTexture", 1},
    {"KHR_materials_specular", "specularColorTexture", 1},
    {"KHR_materials_transmission", "transmissionFactor", 0},
    {"KHR_materials_volume", "thicknessFactor", 0},
};
enum { IGNORED_COUNT = sizeof IGNORED / sizeof *IGNORED };

static bool is_ignored_extension(const char *name)
{
    for (size_t i = 0; i < IGNORED_COUNT; i++)
        if (strcmp(IGNORED[i].name, name) == 0)
            return true;
    return false;
}

static bool is_known_extension(const char *name)
{
    return json_word(name, EXTENSIONS, sizeof EXTENSIONS / sizeof *EXTENSIONS) >= 0;
}

int gltf_check_extensions(const struct gltf *gltf, struct err *err)
{
    char names[200] = "";
    size_t size = 0;
    for (const cJSON *item = json_first(gltf->root, "extensionsRequired"); item != NULL; item = item->next) {
        if (is_known_extension(item->valuestring) || size >= sizeof names - 1)
            continue;
        const int n = snprintf(names + size, sizeof names - size, "%s%.60s", size > 0 ? ", " : "", item->valuestring);
        size += n < 0 ? 0 : (size_t)n;
    }
    if (size > 0)
        return err_set(err, ERR_UNSUPPORTED_EXTENSION, "the file requires %s, which this server does not have", names);
    for (const cJSON *item = json_first(gltf->root, "extensionsUsed"); item != NULL; item = item->next)
        if (!is_known_extension(item->valuestring) && !is_ignored_extension(item->valuestring))
            bake_warn(gltf->builder, "extension_ignored", "the extension %.100s is not used", item->valuestring);
    return 0;
}

/* A number, an array of them, or an object (a texture), which always has an effect. */
static bool is_neutral(const cJSON *value, double neutral)
{
    if (value == NULL)
        return true;
    if (cJSON_IsNumber(value))
        return value->valuedouble == neutral;
    if (!cJSON_IsArray(value))
        return false;
    for (const cJSON *item = value->child; item != NULL; item = item->next)
        if (!is_neutral(item, neutral))
            return false;
    return true;
}

static bool has_effect(const cJSON *extensions, const char *name)
{
    const cJSON *extension = json_member(extensions, name);
    if (extension == NULL || json_member(extensions, "KHR_materials_unlit") != NULL)
        return false;
    for (size_t i = 0; i < IGNORED_COUNT; i++)
        if (strcmp(IGNORED[i].name, name) == 0 &&
            !is_neutral(json_member(extension, IGNORED[i].member), IGNORED[i].neutral))
            return true;
    return false;
}

static void look_for(const struct gltf *gltf, const char *name)
{
    uint32_t first = 0, count = 0;
    for (uint32_t m = 0; m < gltf->lists[GLTF_MATERIALS].count; m++)
        if (has_effect(json_member(gltf_item(gltf, GLTF_MATERIALS, m), "extensions"), name) && count++ == 0)
            first = m;
    if (count > 0)
        bake_warn(gltf->builder, "material_extension_ignored", "%s of materials[%u]%s is not drawn", name, first,
                  count > 1 ? " and others" : "");
}

void gltf_warn_of_ignored(const struct gltf *gltf)
{
    for (size_t i = 0; i < IGNORED_COUNT; i++)
        if (i == 0 || strcmp(IGNORED[i].name, IGNORED[i - 1].name) != 0)
            look_for(gltf, IGNORED[i].name);
}
