/* texture_mix_pixels.c - computes the pixels of each kind of mix and normals from heights, and classifies pictures
 * whose use the file leaves open. */
#include "anim/light/mip.h"
#include "import/texture/texture_mix.h"

#include "anim/model/color.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- specular-glossiness as metallic-roughness --- */

/* The reflectance of every dielectric at normal incidence (glTF 2.0, appendix B.3.5). */
static const double DIELECTRIC = 0.04;

static double clamp(double value) { return value > 0 ? value < 1 ? value : 1 : 0; }

/* Luminance of linear light (ITU-R BT.709). */
static double luminance(const float c[3])
{
    return 0.2126 * (double)c[0] + 0.7152 * (double)c[1] + 0.0722 * (double)c[2];
}

/* Both models describe a surface by a diffuse colour and a reflectance at normal incidence (F0):
 *   specular-glossiness (KHR_materials_pbrSpecularGlossiness, appendix): diffuse * (1 - max(specular)), specular
 *   metallic-roughness (glTF 2.0, appendix B.2): base * (1 - 0.04) * (1 - metallic),
 *     0.04 * (1 - metallic) + base * metallic
 * d and s are the luminances of the first two colours. The diffuse equation gives base = d / (0.96 * (1 - metallic)).
 * In the F0 equation that gives
 *   0.04 * metallic^2 + (d / 0.96 + s - 0.08) * metallic + 0.04 - s = 0
 * The larger solution is the one between 0 and 1. */
static double solve_metallic(double d, double s)
{
    if (s <= DIELECTRIC)
        return 0;
    const double a = DIELECTRIC, b = d / (1 - DIELECTRIC) + s - 2 * DIELECTRIC, c = DIELECTRIC - s;
    return clamp((-b + sqrt(b * b - 4 * a * c)) / (2 * a)); /* c < 0: the root is real */
}

struct metallic_roughness specular_glossiness_to_metallic_roughness(const struct specular_glossiness *gloss)
{
    const float *specular = gloss->specular;
    const double largest = fmax((double)specular[0], fmax((double)specular[1], (double)specular[2]));
    const double through = 1 - clamp(largest);
    const double metallic = solve_metallic(luminance(gloss->diffuse) * through, luminance(specular));
    struct metallic_roughness out = {.metallic = (float)metallic,
                                     .roughness = (float)clamp(1 - (double)gloss->glossiness)};
    /* Each channel has two equations for its base colour. The second gets more weight the more metallic the surface
     * is. */
    for (int i = 0; i < 3; i++) {
        const double of_diffuse =
            metallic < 1 ? (double)gloss->diffuse[i] * through / ((1 - DIELECTRIC) * (1 - metallic)) : 0;
        const double of_specular = metallic > 0 ? ((double)specular[i] - DIELECTRIC * (1 - metallic)) / metallic : 0;
        const double part = metallic * metallic;
        out.base_color[i] = (float)clamp((1 - part) * clamp(of_diffuse) + part * clamp(of_specular));
    }
    return out;
}

/* --- normals out of heights --- */

/* Returns the texel to which coordinate -1 or size wraps. */
static uint32_t wrapped(int64_t at, uint32_t size, uint32_t wrap)
{
    const uint32_t last = size - 1;
    if (at >= 0 && at < (int64_t)size)
        return (uint32_t)at;
    const bool is_before = at < 0;
    return wrap == TEXTURE_WRAP_REPEAT ? (is_before ? last : 0) : (is_before ? 0 : last);
}

static float height_at(const struct texture *texture, const uint8_t *from, int64_t x, int64_t y)
{
    const uint32_t column = wrapped(x, texture->width, texture->wrap_s),
                   row = wrapped(y, texture->height, texture->wrap_t);
    const uint8_t *texel = from + 4 * ((uint64_t)row * texture->width + column);
    return (54 * (float)texel[0] + 183 * (float)texel[1] + 19 * (float)texel[2]) / (256 * 255);
}

/* Computes the slope of the heights per texel, to the right and downwards. */
static void rise_at(const struct texture *texture, const uint8_t *from, int64_t x, int64_t y, float rise[2])
{
    rise[0] = rise[1] = 0;
    for (int beside = -1; beside <= 1; beside++) {
        const float weight = beside == 0 ? 0.25f : 0.125f;
        rise[0] += weight * (height_at(texture, from, x + 1, y + beside) - height_at(texture, from, x - 1, y + beside));
        rise[1] += weight * (height_at(texture, from, x + beside, y + 1) - height_at(texture, from, x + beside, y - 1));
    }
}

static uint8_t normal_byte(float n) { return (uint8_t)((n + 1) * 127.5f + 0.5f); }

void normal_map_from_heights(const struct texture *texture, const uint8_t *from, float height, uint8_t *out)
{
    /* aspect ratio of the file's picture, whose texels are square */
    const bool has_source = texture->source_width > 0 && texture->source_height > 0;
    const float aspect = has_source ? (float)texture->source_width / (float)texture->source_height : 1;
    const float steepness[2] = {height * (float)texture->width, height * (float)texture->height * aspect};
    for (uint32_t y = 0; y < texture->height; y++)
        for (uint32_t x = 0; x < texture->width; x++, out += 4) {
            float rise[2];
            rise_at(texture, from, x, y, rise);
            const float right = -rise[0] * steepness[0], up = rise[1] * steepness[1]; /* rows go down */
            const float length = sqrtf(right * right + up * up + 1);
            out[0] = normal_byte(right / length);
            out[1] = normal_byte(up / length);
            out[2] = normal_byte(1 / length);
            out[3] = 255;
        }
}

/* --- one texel --- */

/* The inputs of a mix besides the two texels. */
struct mix_inputs {
    const struct texture_mix *mix;
    bool has_alpha; /* MIX_OPACITY: it is in b's alpha channel */
};

static void mix_opacity(const struct mix_inputs *inputs, const uint8_t *a, const uint8_t *b, uint8_t *out)
{
    const uint32_t grey = (54 * (uint32_t)b[0] + 183 * (uint32_t)b[1] + 19 * (uint32_t)b[2] + 128) >> 8; /* BT.709 */
    const uint32_t opacity = inputs->has_alpha ? b[3] : grey;
    memcpy(out, a, 3);
    out[3] = (uint8_t)((a[3] * opacity + 127) / 255);
}

static void mix_metallic_roughness(const struct mix_inputs *inputs, const uint8_t *a, const uint8_t *b, uint8_t *out)
{
    const struct texture_mix *mix = inputs->mix;
    out[0] = out[3] = 255;
    out[1] = mix->b < 0 ? unorm8_of((double)mix->factors[1]) : mix->factors[2] > 0 ? (uint8_t)(255 - b[0]) : b[0];
    out[2] = mix->a < 0 ? unorm8_of((double)mix->factors[0]) : a[0];
}

static struct metallic_roughness of_gloss(const struct mix_inputs *inputs, const uint8_t *a, const uint8_t *b)
{
    struct specular_glossiness gloss = inputs->mix->gloss;
    gloss.glossiness = gloss.glossiness * (float)b[3] / 255;
    for (int i = 0; i < 3; i++) {
        gloss.diffuse[i] *= mip_linear_of(a[i]);
        gloss.specular[i] *= mip_linear_of(b[i]);
    }
    return specular_glossiness_to_metallic_roughness(&gloss);
}

static void mix_specular_glossiness_base_color(const struct mix_inputs *inputs, const uint8_t *a, const uint8_t *b,
                                               uint8_t *out)
{
    const struct metallic_roughness mixed = of_gloss(inputs, a, b);
    for (int i = 0; i < 3; i++)
        out[i] = mip_srgb_of(mixed.base_color[i]);
    out[3] = unorm8_of((double)(inputs->mix->gloss.diffuse[3] * (float)a[3] / 255));
}

static void mix_specular_glossiness_metallic_roughness(const struct mix_inputs *inputs, const uint8_t *a,
                                                       const uint8_t *b, uint8_t *out)
{
    const struct metallic_roughness mixed = of_gloss(inputs, a, b);
    out[0] = out[3] = 255;
    out[1] = unorm8_of((double)mixed.roughness);
    out[2] = unorm8_of((double)mixed.metallic);
}

static void (*const TEXEL_MIXES[])(const struct mix_inputs *inputs, const uint8_t *a, const uint8_t *b,
                                   uint8_t *out) = {
    [MIX_OPACITY] = mix_opacity,
    [MIX_METALLIC_ROUGHNESS] = mix_metallic_roughness,
    [MIX_SPECULAR_GLOSSINESS_BASE_COLOR] = mix_specular_glossiness_base_color,
    [MIX_SPECULAR_GLOSSINESS_METALLIC_ROUGHNESS] = mix_specular_glossiness_metallic_roughness,
};

static const uint8_t *texel(const struct bake_builder *builder, int32_t index, uint32_t x, uint32_t y, uint32_t width,
                            uint32_t height)
{
    static const uint8_t WHITE[4] = {255, 255, 255, 255};
    if (index < 0)
        return WHITE;
    const struct texture *texture = &builder->textures[index];
    const uint64_t column = (uint64_t)x * texture->width / width, row = (uint64_t)y * texture->height / height;
    return builder->pixels + texture->pixel_first + 4 * (row * texture->width + column);
}

static bool has_alpha(const struct bake_builder *builder, int32_t index)
{
    if (index < 0)
        return false;
    const struct texture *texture = &builder->textures[index];
    const uint64_t count = (uint64_t)texture->width * texture->height;
    for (uint64_t i = 0; i < count; i++)
        if (builder->pixels[texture->pixel_first + 4 * i + 3] != 255)
            return true;
    return false;
}

void texture_mix_fill(const struct bake_builder *builder, const struct texture_mix *mix, uint32_t width,
                      uint32_t height, uint8_t *out)
{
    const struct mix_inputs inputs = {mix, mix->kind == MIX_OPACITY && has_alpha(builder, mix->b)};
    if (mix->kind == MIX_HEIGHTS) {
        const struct texture *heights = &builder->textures[mix->a];
        normal_map_from_heights(heights, builder->pixels + heights->pixel_first, mix->factors[0], out);
        return;
    }
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++, out += 4)
            TEXEL_MIXES[mix->kind](&inputs, texel(builder, mix->a, x, y, width, height),
                                   texel(builder, mix->b, x, y, width, height), out);
}

/* --- classification of pictures --- */

static bool is_grey(const uint8_t *pixels, uint64_t count)
{
    uint64_t colored = 0;
    for (uint64_t i = 0; i < count; i++) {
        const int r = pixels[4 * i], g = pixels[4 * i + 1], b = pixels[4 * i + 2];
        colored += abs(r - g) > 16 || abs(g - b) > 16 || abs(r - b) > 16;
    }
    return colored * 100 < count;
}

static bool is_normal_map(const uint8_t *pixels, uint64_t count)
{
    uint64_t normals = 0;
    for (uint64_t i = 0; i < count; i++) {
        const float x = (float)pixels[4 * i] / 127.5f - 1, y = (float)pixels[4 * i + 1] / 127.5f - 1,
                    z = (float)pixels[4 * i + 2] / 127.5f - 1;
        const float length_squared = x * x + y * y + z * z;
        normals += z > 0 && length_squared > 0.7f && length_squared < 1.3f;
    }
    return normals * 10 >= count * 9 && !is_grey(pixels, count);
}

static bool has_holes(const uint8_t *pixels, uint64_t count)
{
    uint64_t clear = 0;
    for (uint64_t i = 0; i < count; i++)
        clear += pixels[4 * i + 3] < 128;
    /* If nearly all of it is transparent, the alpha channel means something else, such as gloss. */
    return clear > count / 1000 && clear < count - count / 20;
}

static bool is_veiled(const uint8_t *pixels, uint64_t count)
{
    uint64_t veiled = 0;
    for (uint64_t i = 0; i < count; i++)
        veiled += pixels[4 * i + 3] > 24 && pixels[4 * i + 3] < 232;
    return veiled > count / 4;
}

bool texture_looks(const struct bake_builder *builder, int32_t texture, enum texture_look look)
{
    static bool (*const LOOKS[LOOK_COUNT])(const uint8_t *pixels, uint64_t count) = {
        [LOOK_NORMAL_MAP] = is_normal_map, [LOOK_GREY] = is_grey, [LOOK_HOLES] = has_holes, [LOOK_VEILED] = is_veiled};
    const struct texture *picture = &builder->textures[texture];
    return LOOKS[look](builder->pixels + picture->pixel_first, (uint64_t)picture->width * picture->height);
}
