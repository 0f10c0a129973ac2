/* x3d_material.c - converts an Appearance to a material: Material, PhysicalMaterial, UnlitMaterial, ImageTexture,
 * TextureTransform. */
#include "import/x3d/x3d.h"

#include "anim/model/material_layers.h"
#include "base/mem.h"
#include "import/source/source_path.h"
#include "import/source/source_search.h"
#include "import/texture/material_values.h"
#include "import/texture/texture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- textures --- */

enum { URLS_MAX = 32, NORMAL_SCALE_MAX = 1000 };

/* Returns the next string of an MFString as a new text, or NULL. Strings are in quotes, where \" and \\ are escapes.
 * Without quotes the whole value is one string, as some exporters write it. */
static char *next_url(const char **at)
{
    const char *begin = *at + strspn(*at, " \t\r\n,");
    if (*begin == '\0')
        return NULL;
    char *url = mem_alloc(strlen(begin) + 1), *out = url;
    if (*begin != '"') {
        memcpy(url, begin, strlen(begin) + 1);
        *at = begin + strlen(begin);
        return url;
    }
    const char *from = begin + 1;
    while (*from != '\0' && *from != '"') {
        if (*from == '\\' && (from[1] == '"' || from[1] == '\\'))
            from++;
        *out++ = *from++;
    }
    *at = *from == '"' ? from + 1 : from;
    *out = '\0';
    url[percent_decode(url, (uint8_t *)url)] = '\0'; /* URIs (19775-1, 9.2.1) */
    return url;
}

/* Of the first URLS_MAX urls, returns the one whose file is the best match, else the first, as a new text; NULL without
 * urls. */
static char *choose_url(struct import *import, const char *urls)
{
    char *given[URLS_MAX];
    size_t count = 0;
    while (count < URLS_MAX && (given[count] = next_url(&urls)) != NULL)
        count++;
    if (count == 0)
        return NULL;
    const size_t best = source_search_best(import, (const char *const *)given, count, SOURCE_TEXTURE);
    for (size_t i = 0; i < count; i++)
        if (i != best)
            free(given[i]);
    return given[best];
}

static uint32_t wrap_of(const struct x3d *x3d, uint32_t texture, const char *attribute)
{
    return x3d_get_bool(&x3d->xml, texture, attribute, true) ? TEXTURE_WRAP_REPEAT : TEXTURE_WRAP_CLAMP;
}

/* 19775-1, 18.4.9: texture coordinates are moved by the translation and -center, scaled, rotated, then moved by the
 * center. In both frames v grows upwards, but our rows go down. */
static int set_transform(const struct x3d *x3d, uint32_t transform, struct material_texture *out, struct err *err)
{
    double center[2] = {0}, scale[2] = {1, 1}, translation[2] = {0}, angle = 0;
    if (transform == XML_NONE)
        return 0;
    if (x3d_get_numbers(x3d, transform, "center", center, 2, err) < 0 ||
        x3d_get_numbers(x3d, transform, "scale", scale, 2, err) < 0 ||
        x3d_get_numbers(x3d, transform, "translation", translation, 2, err) < 0 ||
        x3d_get_numbers(x3d, transform, "rotation", &angle, 1, err) < 0)
        return err->code;
    /* Tc' = -C * S * R * C * T * Tc */
    const double c = cos(angle), s = sin(angle);
    const double m[2][2] = {{scale[0] * c, scale[0] * -s}, {scale[1] * s, scale[1] * c}};
    double by[2];
    for (int k = 0; k < 2; k++)
        by[k] = m[k][0] * (translation[0] + center[0]) + m[k][1] * (translation[1] + center[1]) - center[k];
    /* u' = a u + b v + e with v = 1 - row, and row' = 1 - v' */
    const double rows[6] = {m[0][0], -m[0][1], m[0][1] + by[0], -m[1][0], m[1][1], 1 - m[1][1] - by[1]};
    for (int k = 0; k < 6; k++)
        out->uv_from_texcoord[k] = (float)rows[k];
    return 0;
}

static int add_texture(struct x3d *x3d, uint32_t appearance, uint32_t texture, uint32_t slot, struct material *out,
                       struct err *err)
{
    const char *urls = xml_get(&x3d->xml, texture, "url");
    char *url = urls == NULL ? NULL : choose_url(x3d->import, urls);
    if (url == NULL)
        return 0;
    const struct texture_request request = {.uri = url,
                                            .wrap_s = wrap_of(x3d, texture, "repeatS"),
                                            .wrap_t = wrap_of(x3d, texture, "repeatT"),
                                            .content = texture_slot_content(slot)};
    const int index = texture_add(x3d->import, &request, err);
    free(url);
    if (index < 0)
        return index;
    out->textures[slot].texture = index;
    return set_transform(x3d, x3d_child(&x3d->xml, appearance, "TextureTransform"), &out->textures[slot], err);
}

/* The texture of the Appearance itself. */
static int set_texture(struct x3d *x3d, uint32_t appearance, struct material *out, struct err *err)
{
    const struct xml *xml = &x3d->xml;
    const uint32_t multi = x3d_child(xml, appearance, "MultiTexture");
    const uint32_t texture = x3d_field(xml, multi == XML_NONE ? appearance : multi, "ImageTexture", "texture");
    if (texture == XML_NONE && x3d_child(xml, appearance, "PixelTexture MovieTexture") != XML_NONE)
        bake_warn(x3d->import->builder, "elements_ignored", "textures other than <ImageTexture> are not read");
    return add_texture(x3d, appearance, texture, TEXTURE_BASE_COLOR, out, err);
}

/* Adds the textures in the fields of a material (19775-1 of version 4.0, 12.4), which multiply its numbers. */
static int set_field_textures(struct x3d *x3d, uint32_t appearance, uint32_t from, struct material *out,
                              struct err *err)
{
    static const struct {
        const char *tags, *field;
        uint32_t slot;
    } FIELDS[] = {
        {"Material", "diffuseTexture", TEXTURE_BASE_COLOR},
        {"PhysicalMaterial", "baseTexture", TEXTURE_BASE_COLOR},
        {"UnlitMaterial", "emissiveTexture", TEXTURE_BASE_COLOR},
        {"Material PhysicalMaterial", "emissiveTexture", TEXTURE_EMISSIVE},
        {"Material PhysicalMaterial", "normalTexture", TEXTURE_NORMAL},
        {"Material PhysicalMaterial", "occlusionTexture", TEXTURE_OCCLUSION},
        {"PhysicalMaterial", "metallicRoughnessTexture", TEXTURE_METALLIC_ROUGHNESS},
    };
    const struct xml *xml = &x3d->xml;
    for (uint32_t e = xml_child(xml, from, "ImageTexture"); e != XML_NONE; e = xml_next(xml, e, "ImageTexture")) {
        const char *field = xml_get(xml, e, "containerField");
        const size_t count = sizeof FIELDS / sizeof *FIELDS;
        const bool is_plain = field == NULL || strcmp(field, "texture") == 0;
        size_t i = 0;
        while (i < count && (!xml_is(xml, from, FIELDS[i].tags) || (!is_plain && strcmp(field, FIELDS[i].field) != 0)))
            i++;
        if (i == count)
            bake_warn(x3d->import->builder, "elements_ignored", "textures in the field '%.60s' are not read", field);
        else if (add_texture(x3d, appearance, x3d_used(xml, e), FIELDS[i].slot, out, err) < 0)
            return err->code;
    }
    return 0;
}

/* --- colours --- */

static void set_colors(struct material *out, const double base[3], const double emissive[3], double transparency)
{
    const float light[3] = {fraction(emissive[0]), fraction(emissive[1]), fraction(emissive[2])};
    for (int k = 0; k < 3; k++)
        out->base_color[k] = linear_from_srgb(fraction(base[k]));
    material_set_emission(out, light, 1);
    material_set_opacity(out, fraction(1 - transparency));
}

static int set_material(const struct x3d *x3d, uint32_t from, struct material *out, struct err *err)
{
    const struct xml *xml = &x3d->xml;
    const bool is_physical = xml_is(xml, from, "PhysicalMaterial"), is_unlit = xml_is(xml, from, "UnlitMaterial");
    const double grey = is_physical ? 1 : 0.8, glow = is_unlit ? 1 : 0;
    double base[3] = {grey, grey, grey}, emissive[3] = {glow, glow, glow}, transparency = 0, shininess = 0.2,
           specular[3] = {0}, metallic = 1, roughness = 1, normal_scale = 1, occlusion_strength = 1;
    if (from == XML_NONE)
        return 0;
    out->name = bake_textz(x3d->import->builder, xml_get(xml, from, "DEF"));
    if (x3d_get_numbers(x3d, from, is_physical ? "baseColor" : "diffuseColor", base, 3, err) < 0 ||
        x3d_get_numbers(x3d, from, "emissiveColor", emissive, 3, err) < 0 ||
        x3d_get_numbers(x3d, from, "specularColor", specular, 3, err) < 0 ||
        x3d_get_numbers(x3d, from, "transparency", &transparency, 1, err) < 0 ||
        x3d_get_numbers(x3d, from, "shininess", &shininess, 1, err) < 0 ||
        x3d_get_numbers(x3d, from, "metallic", &metallic, 1, err) < 0 ||
        x3d_get_numbers(x3d, from, "roughness", &roughness, 1, err) < 0 ||
        x3d_get_numbers(x3d, from, "normalScale", &normal_scale, 1, err) < 0 ||
        x3d_get_numbers(x3d, from, "occlusionStrength", &occlusion_strength, 1, err) < 0)
        return err->code;
    out->normal_scale = (float)fmin(fmax(normal_scale, 0), NORMAL_SCALE_MAX);
    out->occlusion_strength = fraction(occlusion_strength);
    static const double NONE[3] = {0};
    set_colors(out, is_unlit ? emissive : base, is_unlit ? NONE : emissive, transparency);
    out->flags |= is_unlit ? MATERIAL_UNLIT : 0;
    if (is_physical) {
        out->metallic = fraction(metallic);
        out->roughness = fraction(roughness);
    } else if (!is_unlit && specular[0] + specular[1] + specular[2] > 0 && shininess > 0)
        out->roughness = roughness_from_exponent(fraction(shininess) * 128); /* 19775-1, 17.2.2.4 */
    return 0;
}

/* The Appearance's picture replaces the diffuse colour, and colours of the geometry replace every material's. */
static void set_white(struct material *material, bool has_colors)
{
    const bool is_pictured =
        material->textures[TEXTURE_BASE_COLOR].texture >= 0 && (material->flags & MATERIAL_UNLIT) == 0;
    if (!is_pictured && !has_colors)
        return;
    for (int k = 0; k < 3; k++)
        material->base_color[k] = 1;
}

int x3d_material(struct x3d *x3d, uint32_t appearance, bool has_colors, struct err *err)
{
    int32_t *known = appearance == XML_NONE ? &x3d->plain_material : &x3d->materials_of[appearance][has_colors];
    if (*known >= 0)
        return *known;
    struct material material = MATERIAL_PLAIN;
    material.flags |= MATERIAL_DOUBLE_SIDED; /* "solid" permits back-face culling but does not require it */
    const uint32_t from = x3d_field(&x3d->xml, appearance, "Material PhysicalMaterial UnlitMaterial", "material");
    if (set_texture(x3d, appearance, &material, err) < 0 || set_material(x3d, from, &material, err) < 0)
        return err->code;
    set_white(&material, has_colors);
    if (set_field_textures(x3d, appearance, from, &material, err) < 0)
        return err->code;
    const int index = (int)x3d->import->builder->material_count;
    if (import_put_material(x3d->import, &material, err) < 0)
        return err->code;
    *known = index;
    return index;
}
