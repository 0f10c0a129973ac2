/* assimp_material.c - assimp's materials as metallic-roughness ones: colours, opacity, shininess, and which texture
 * goes where. */
#include "import/assimp/assimp.h"
#include "import/texture/material_values.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool get_number(const struct aiMaterial *material, const char *key, unsigned type, unsigned index, float *out)
{
    float number = 0;
    unsigned one = 1;
    if (aiGetMaterialFloatArray(material, key, type, index, &number, &one) != aiReturn_SUCCESS || !isfinite(number))
        return false;
    *out = number;
    return true;
}

static bool get_color(const struct aiMaterial *material, const char *key, unsigned type, unsigned index, float out[3])
{
    struct aiColor4D color = {0, 0, 0, 1};
    if (aiGetMaterialColor(material, key, type, index, &color) != aiReturn_SUCCESS)
        return false;
    out[0] = color.r;
    out[1] = color.g;
    out[2] = color.b;
    return true;
}

static int shading_of(const struct aiMaterial *material)
{
    int shading = 0;
    aiGetMaterialIntegerArray(material, AI_MATKEY_SHADING_MODEL, &shading, NULL);
    return shading;
}

/* --- base colour and opacity --- */

static void set_opacity(const struct aiMaterial *from, struct material *to)
{
    float opacity = 1;
    get_number(from, AI_MATKEY_OPACITY, &opacity);
    /* Wholly invisible is what exporters write that mean the opposite number. */
    material_set_opacity(to, opacity > 0 && opacity <= 1 ? opacity : 1);
}

/* Whether assimp made the material, because the file has none: by the names and greys that it gives these. That of .x
 * has no name, but a highlight by Gouraud, which no material of a file has. DXF and OFF have no materials. */
static bool is_stand_in(const struct assimp_job *job, const struct aiMaterial *material)
{
    static const struct {
        const char *name;
        float grey;
    } STAND_INS[] = {{AI_DEFAULT_MATERIAL_NAME, 0.6f},
                     {"LWODefaultMaterial", 0.6f},
                     {"MS3D_DefaultMat", 0.6f},
                     {"%%%DEFAULT", 0.3f}};
    struct aiString name = {0};
    float color[3], shininess = 0;
    if (assimp_is_format(job, "dxf off"))
        return true;
    if (!get_color(material, AI_MATKEY_COLOR_DIFFUSE, color) || color[0] != color[1] || color[0] != color[2])
        return false;
    aiGetMaterialString(material, AI_MATKEY_NAME, &name);
    for (size_t i = 0; i < sizeof STAND_INS / sizeof *STAND_INS; i++)
        if (strcmp(name.data, STAND_INS[i].name) == 0)
            return color[0] == STAND_INS[i].grey;
    get_number(material, AI_MATKEY_SHININESS, &shininess);
    return assimp_is_format(job, "x") && name.length == 0 && color[0] == 0.5f && shininess == 1 &&
           shading_of(material) == (int)aiShadingMode_Gouraud;
}

static void set_color(const struct assimp_job *job, const struct aiMaterial *from, struct material *to)
{
    const bool is_textured = to->textures[TEXTURE_BASE_COLOR].texture >= 0;
    float color[3] = {1, 1, 1};
    if (!is_stand_in(job, from) && !get_color(from, AI_MATKEY_BASE_COLOR, color))
        get_color(from, AI_MATKEY_COLOR_DIFFUSE, color);
    /* The texture colours it; black under a texture means that the texture stands in the colour's place. */
    for (int i = 0; i < 3; i++)
        to->base_color[i] = is_textured && is_black(color) ? 1 : linear_from_srgb(color[i]);
    set_opacity(from, to);
}

/* --- what it reflects --- */

/* A material without a highlight is as rough as can be: the models of light without one, and black specular colours. */
static bool has_highlight(const struct aiMaterial *from)
{
    float specular[3] = {1, 1, 1}, strength = 1;
    switch (shading_of(from)) {
    case aiShadingMode_Flat:
    case aiShadingMode_Gouraud:
    case aiShadingMode_Toon:
    case aiShadingMode_OrenNayar:
    case aiShadingMode_Minnaert:
    case aiShadingMode_NoShading:
        return false;
    default:
        get_color(from, AI_MATKEY_COLOR_SPECULAR, specular);
        get_number(from, AI_MATKEY_SHININESS_STRENGTH, &strength);
        return !is_black(specular) && strength > 0;
    }
}

static float roughness_of(const struct aiMaterial *from)
{
    float value;
    if (get_number(from, AI_MATKEY_ROUGHNESS_FACTOR, &value))
        return fraction((double)value);
    if (get_number(from, AI_MATKEY_GLOSSINESS_FACTOR, &value))
        return 1 - fraction((double)value);
    if (has_highlight(from) && get_number(from, AI_MATKEY_SHININESS, &value) && value > 0)
        return roughness_from_exponent(value);
    return 1;
}

/* Dielectric, unless the file says otherwise. */
static void set_reflection(const struct aiMaterial *from, struct material *to)
{
    float metallic = 0;
    get_number(from, AI_MATKEY_METALLIC_FACTOR, &metallic);
    to->metallic = fraction((double)metallic);
    to->roughness = roughness_of(from);
}

/* --- what it emits --- */

/* These formats are of fixed-function hardware and the like, where the texture colours all light. */
static void set_emission(const struct aiMaterial *from, struct material *to)
{
    float color[3] = {0, 0, 0}, intensity = 1;
    get_color(from, AI_MATKEY_COLOR_EMISSIVE, color);
    get_number(from, AI_MATKEY_EMISSIVE_INTENSITY, &intensity);
    if (to->textures[TEXTURE_EMISSIVE].texture < 0 && !is_black(color))
        to->textures[TEXTURE_EMISSIVE] = to->textures[TEXTURE_BASE_COLOR];
    material_set_emission(to, color, intensity);
}

/* --- all of it --- */

static int add_material(struct assimp_job *job, uint32_t index, struct err *err)
{
    const struct aiMaterial *from = job->scene->mMaterials[index];
    struct material to = MATERIAL_PLAIN;
    struct material_textures textures;
    struct assimp_paths paths = {0};
    char where[32];
    snprintf(where, sizeof where, "material %u", index);
    assimp_textures_find(job, index, where, &paths, &textures);
    /* Formats that say whether backs are seen; of the others nothing says that they are not. */
    int is_two_sided = !assimp_is_format(job, "3ds ac ac3d b3d lwo lws lxo");
    aiGetMaterialIntegerArray(from, AI_MATKEY_TWOSIDED, &is_two_sided, NULL);
    to.flags = (is_two_sided != 0 ? MATERIAL_DOUBLE_SIDED : 0) |
               (shading_of(from) == (int)aiShadingMode_NoShading ? MATERIAL_UNLIT : 0);
    if (material_textures_surface(&textures, &to, err) < 0)
        return err->code;
    set_color(job, from, &to);
    set_reflection(from, &to);
    set_emission(from, &to);
    if (material_textures_roughness(&textures, &to, err) < 0 || material_textures_opacity(&textures, &to, err) < 0)
        return err->code;
    const struct texture_request *base = &textures.uses[USE_BASE_COLOR].request;
    if (textures.uses[USE_BASE_COLOR].is_there && base->image != TEXTURE_IS_FILE &&
        job->tgas[base->image - 1].has_holes)
        to.alpha_mode = ALPHA_MASK;
    struct aiString name = {0};
    if (aiGetMaterialString(from, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
        to.name = assimp_text(job->import->builder, &name);
    return import_put_material(job->import, &to, err);
}

int assimp_materials(struct assimp_job *job, struct err *err)
{
    if (job->is_skeleton)
        return 0;
    int rc = 0;
    job->texcoords = mem_zalloc((size_t)job->scene->mNumMaterials + 1, sizeof *job->texcoords);
    for (uint32_t m = 0; m < job->scene->mNumMaterials; m++)
        job->texcoords[m] = TEXCOORD_SETS_NONE;
    texture_mixer_init(&job->mixer, job->import->builder, job->import->limits);
    for (uint32_t m = 0; m < job->scene->mNumMaterials && rc == 0; m++)
        rc = add_material(job, m, err);
    if (rc == 0)
        texture_mixer_end(&job->mixer);
    assimp_textures_fini(job);
    return rc;
}
