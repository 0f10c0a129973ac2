#include "import/collada_model/collada_effect.h"

#include <math.h>
#include <string.h>

struct effect_reader {
    const struct xml *xml;
    uint32_t effect;   /* element */
    uint32_t instance; /* the <instance_effect>; its <setparam> override the effect's <newparam> */
    uint32_t profile;  /* <profile_COMMON>, whose parameters come before those of other profiles */
    uint32_t shading;  /* <constant>, <lambert>, <phong> or <blinn> */
    struct collada_effect *out;
};

/* --- elements --- */

/* Returns the first element with this tag below `from`. */
static uint32_t find_tag(const struct xml *xml, uint32_t from, const char *tag)
{
    for (uint32_t e = from + 1; from != XML_NONE && e < xml->elements[from].end; e++)
        if (xml_is(xml, e, tag))
            return e;
    return XML_NONE;
}

static double number_in(const struct xml *xml, uint32_t element, double fallback)
{
    double value;
    return element != XML_NONE && values_fixed(xml_text(xml, element), &value, 1) == 1 ? value : fallback;
}

/* Whether an extra's text is "1" or "true". */
static bool is_set(const struct xml *xml, uint32_t element, bool fallback)
{
    if (element == XML_NONE)
        return fallback;
    const char *text = xml_text(xml, element);
    text += strspn(text, " \t\r\n");
    return strncmp(text, "true", 4) == 0 || number_in(xml, element, 0) != 0;
}

static bool has_text(const struct xml *xml, uint32_t element, const char *text)
{
    const char *own = element == XML_NONE ? "" : xml_text(xml, element);
    own += strspn(own, " \t\r\n");
    const size_t size = strlen(text);
    return strncmp(own, text, size) == 0 && (own[size] == '\0' || strchr(" \t\r\n", own[size]) != NULL);
}

/* --- parameters --- */

static uint32_t find_param(const struct effect_reader *reader, const char *name)
{
    const struct xml *xml = reader->xml;
    for (uint32_t e = xml_child(xml, reader->instance, "setparam"); e != XML_NONE; e = xml_next(xml, e, "setparam")) {
        const char *ref = xml_get(xml, e, "ref");
        if (ref != NULL && strcmp(ref, name) == 0)
            return e;
    }
    const uint32_t own = xml_find_sid(xml, reader->profile, "newparam", name);
    return own != XML_NONE ? own : xml_find_sid(xml, reader->effect, "newparam", name);
}

/* Returns the element that holds a property's numbers: its child with this tag, or the target of its <param>. */
static uint32_t value_of(const struct effect_reader *reader, uint32_t property, const char *tag)
{
    const struct xml *xml = reader->xml;
    const uint32_t own = xml_child(xml, property, tag), param = xml_child(xml, property, "param");
    const char *ref = param == XML_NONE ? NULL : xml_get(xml, param, "ref");
    if (own != XML_NONE || ref == NULL)
        return own;
    const uint32_t found = find_param(reader, ref);
    static const char *const TAGS[] = {"float", "float3", "float4"};
    for (size_t i = 0; i < sizeof TAGS / sizeof *TAGS; i++) {
        const uint32_t value = xml_child(xml, found, TAGS[i]);
        if (value != XML_NONE)
            return value;
    }
    return XML_NONE;
}

static bool read_color(const struct effect_reader *reader, uint32_t property, double out[4])
{
    double values[4] = {0, 0, 0, 1};
    const uint32_t element = value_of(reader, property, "color");
    if (element == XML_NONE || values_fixed(xml_text(reader->xml, element), values, 4) < 3)
        return false;
    memcpy(out, values, sizeof values);
    return true;
}

static bool read_color3(const struct effect_reader *reader, const char *tag, float out[3])
{
    double color[4];
    if (!read_color(reader, xml_child(reader->xml, reader->shading, tag), color))
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = (float)color[i];
    return true;
}

static double read_number(const struct effect_reader *reader, const char *tag, double fallback)
{
    const uint32_t property = xml_child(reader->xml, reader->shading, tag);
    return number_in(reader->xml, value_of(reader, property, "float"), fallback);
}

/* --- textures --- */

static uint32_t wrap_of(const struct xml *xml, uint32_t element)
{
    return has_text(xml, element, "MIRROR") ? TEXTURE_WRAP_MIRROR
           : has_text(xml, element, "CLAMP") || has_text(xml, element, "BORDER") || has_text(xml, element, "NONE")
               ? TEXTURE_WRAP_CLAMP
               : TEXTURE_WRAP_REPEAT;
}

static void take_sampler(const struct xml *xml, uint32_t sampler, struct collada_sampled *out)
{
    out->wrap_s = wrap_of(xml, xml_child(xml, sampler, "wrap_s"));
    out->wrap_t = wrap_of(xml, xml_child(xml, sampler, "wrap_t"));
    if (has_text(xml, xml_child(xml, sampler, "magfilter"), "NEAREST"))
        out->mag_filter = TEXTURE_MAG_NEAREST;
}

/* Looks up an id given as text, which white space may surround. */
static uint32_t image_of_text(const struct xml *xml, const char *text)
{
    char id[256];
    text += strspn(text, " \t\r\n#");
    const size_t size = strcspn(text, " \t\r\n");
    if (size >= sizeof id)
        return XML_NONE;
    memcpy(id, text, size);
    id[size] = '\0';
    const uint32_t found = xml_find_id(xml, id, "image");
    return xml_is(xml, found, "image") ? found : XML_NONE;
}

/* Follows the name in a <texture> to its image. The path in 1.4 is sampler2D > source > surface > init_from > image, in
 * 1.5 sampler2D > instance_image > image. Many programs name the image itself. */
static void find_image(const struct effect_reader *reader, const char *name, struct collada_sampled *out)
{
    enum { CHAIN_MAX = 8 };
    const struct xml *xml = reader->xml;
    char sid[256];
    out->path = name;
    for (int i = 0; i < CHAIN_MAX; i++) {
        const uint32_t param = find_param(reader, name);
        const uint32_t sampler = xml_child(xml, param, "sampler2D"), surface = xml_child(xml, param, "surface");
        if (sampler != XML_NONE) {
            take_sampler(xml, sampler, out);
            const uint32_t instance = xml_child(xml, sampler, "instance_image");
            const uint32_t source = xml_child(xml, sampler, "source");
            out->image = instance == XML_NONE ? XML_NONE : xml_follow(xml, instance, "url", "image");
            if (instance != XML_NONE || source == XML_NONE)
                break;
            const char *text = xml_text(xml, source);
            text += strspn(text, " \t\r\n");
            const size_t size = strcspn(text, " \t\r\n");
            if (size >= sizeof sid)
                break;
            memmove(sid, text, size);
            sid[size] = '\0';
            name = sid;
            continue;
        }
        if (surface != XML_NONE) {
            const uint32_t init = xml_child(xml, surface, "init_from");
            out->path = init == XML_NONE ? "" : xml_text(xml, init);
            out->image = image_of_text(xml, out->path);
            break;
        }
        out->image = image_of_text(xml, name);
        break;
    }
    if (!xml_is(xml, out->image, "image"))
        out->image = XML_NONE;
}

/* Reads the texture extras of Maya, 3ds Max and Okino. */
static void read_texture_extra(const struct xml *xml, uint32_t texture, struct collada_sampled *out)
{
    static const struct {
        const char *tag;
        double still;
    } MOVES[] = {{"repeatU", 1}, {"repeatV", 1}, {"offsetU", 0}, {"offsetV", 0}, {"rotateUV", 0}};
    const uint32_t extra = xml_child(xml, texture, "extra");
    if (extra == XML_NONE)
        return;
    const char *const axes[2][2] = {{"wrapU", "mirrorU"}, {"wrapV", "mirrorV"}};
    for (int i = 0; i < 2; i++) {
        uint32_t *wrap = i == 0 ? &out->wrap_s : &out->wrap_t;
        if (is_set(xml, find_tag(xml, extra, axes[i][1]), false))
            *wrap = TEXTURE_WRAP_MIRROR;
        else if (!is_set(xml, find_tag(xml, extra, axes[i][0]), true))
            *wrap = TEXTURE_WRAP_CLAMP;
    }
    for (size_t i = 0; i < sizeof MOVES / sizeof *MOVES; i++)
        out->is_moved |= fabs(number_in(xml, find_tag(xml, extra, MOVES[i].tag), MOVES[i].still) - MOVES[i].still) > 0;
}

/* Reads the <texture> of a property if it has one. */
static void read_texture(const struct effect_reader *reader, uint32_t property, enum texture_use use)
{
    struct collada_sampled *out = &reader->out->textures[use];
    const uint32_t texture = xml_child(reader->xml, property, "texture");
    const char *name = texture == XML_NONE ? NULL : xml_get(reader->xml, texture, "texture");
    const char *texcoord = texture == XML_NONE ? NULL : xml_get(reader->xml, texture, "texcoord");
    if (name == NULL)
        return;
    find_image(reader, name, out);
    out->texcoord = texcoord != NULL ? texcoord : "";
    read_texture_extra(reader->xml, texture, out);
}

/* --- what it shows --- */

/* COLLADA 1.5.0, "Determining transparency (opacity)" in chapter 7: the opacity is the colour's alpha or luminance, or
 * 1 minus it. */
static double read_opacity(const struct effect_reader *reader)
{
    const struct xml *xml = reader->xml;
    const uint32_t property = xml_child(xml, reader->shading, "transparent");
    const char *mode = property == XML_NONE ? NULL : xml_get(xml, property, "opaque");
    const bool is_rgb = mode != NULL && strncmp(mode, "RGB", 3) == 0;
    const bool is_from_clear = mode != NULL && strstr(mode, "_ZERO") != NULL;
    double color[4] = {0, 0, 0, 1};
    double share = read_number(reader, "transparency", 1);
    const bool has_color = read_color(reader, property, color);
    if (!(share >= 0 && share <= 1))
        return 1;
    if (!has_color && property != XML_NONE) /* a texture says it */
        return is_from_clear ? 1 : share;
    share *= is_rgb ? 0.212671 * color[0] + 0.715160 * color[1] + 0.072169 * color[2] : color[3];
    return is_from_clear ? 1 - share : share;
}

void collada_effect_default(struct collada_effect *effect)
{
    *effect = (struct collada_effect){
        .diffuse = {0.6f, 0.6f, 0.6f}, .specular = {0.4f, 0.4f, 0.4f}, .shininess = 10, .opacity = 1};
    for (int i = 0; i < TEXTURE_USE_COUNT; i++)
        effect->textures[i] = (struct collada_sampled){
            .image = XML_NONE, .wrap_s = TEXTURE_WRAP_REPEAT, .wrap_t = TEXTURE_WRAP_REPEAT, .texcoord = ""};
}

/* <profile_COMMON> > <technique> > one of the four models of light. */
static uint32_t find_shading(const struct xml *xml, uint32_t effect, uint32_t *profile)
{
    static const char *const TAGS[] = {"phong", "blinn", "lambert", "constant"};
    for (uint32_t p = xml_child(xml, effect, "profile_COMMON"); p != XML_NONE; p = xml_next(xml, p, "profile_COMMON"))
        for (uint32_t t = xml_child(xml, p, "technique"); t != XML_NONE; t = xml_next(xml, t, "technique"))
            for (size_t i = 0; i < sizeof TAGS / sizeof *TAGS; i++) {
                const uint32_t found = xml_child(xml, t, TAGS[i]);
                *profile = p;
                if (found != XML_NONE)
                    return found;
            }
    return XML_NONE;
}

static void read_shading(const struct effect_reader *reader)
{
    const struct xml *xml = reader->xml;
    struct collada_effect *out = reader->out;
    out->is_constant = xml_is(xml, reader->shading, "constant");
    out->has_highlight = xml_is(xml, reader->shading, "phong") || xml_is(xml, reader->shading, "blinn");
    out->has_emission = read_color3(reader, "emission", out->emission);
    read_color3(reader, "diffuse", out->diffuse);
    read_color3(reader, "specular", out->specular);
    out->shininess = read_number(reader, "shininess", out->shininess);
    const double opacity = read_opacity(reader);
    out->opacity = opacity > 0 && opacity <= 1 ? opacity : 1;
    read_texture(reader, xml_child(xml, reader->shading, "diffuse"), USE_BASE_COLOR);
    read_texture(reader, xml_child(xml, reader->shading, "emission"), USE_EMISSIVE);
    read_texture(reader, xml_child(xml, reader->shading, "ambient"), USE_OCCLUSION);
    read_texture(reader, xml_child(xml, reader->shading, "transparent"), USE_OPACITY);
    if (out->is_constant && out->textures[USE_BASE_COLOR].path == NULL)
        out->textures[USE_BASE_COLOR] = out->textures[USE_EMISSIVE];
}

void collada_effect_read(const struct xml *xml, uint32_t material, struct collada_effect *effect)
{
    struct effect_reader reader = {
        .xml = xml, .out = effect, .instance = xml_child(xml, material, "instance_effect"), .profile = XML_NONE};
    collada_effect_default(effect);
    reader.effect = xml_follow(xml, reader.instance, "url", "effect");
    if (!xml_is(xml, reader.effect, "effect"))
        return;
    reader.shading = find_shading(xml, reader.effect, &reader.profile);
    if (reader.shading != XML_NONE)
        read_shading(&reader);
    /* FCollada's and OpenCOLLADA's extras name height maps or normal maps. */
    const uint32_t bump = find_tag(xml, reader.effect, "bump");
    if (bump != XML_NONE)
        read_texture(&reader, bump, USE_NORMALS);
    effect->is_double_sided = is_set(xml, find_tag(xml, reader.effect, "double_sided"), false) ||
                              is_set(xml, find_tag(xml, material, "double_sided"), false);
}
