#include "import/texture/texture_mix.h"

#include "import/texture/texture.h"
#include "import/texture/normal_map.h"
#include "import/texture/texture_mip.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void texture_mixer_init(struct texture_mixer *mixer, struct bake_builder *builder, const struct limits *limits)
{
    *mixer = (struct texture_mixer){.builder = builder, .limits = limits};
}

void texture_mixer_fini(struct texture_mixer *mixer)
{
    free(mixer->made);
    free(mixer->parts);
    *mixer = (struct texture_mixer){.builder = mixer->builder, .limits = mixer->limits};
}

/* --- one texel --- */

/* What a mix is made with, beside the two texels. */
struct mix_inputs {
    const struct texture_mix *mix;
    bool has_alpha; /* MIX_OPACITY: it is in b's alpha channel */
};

static void mix_opacity(const struct mix_inputs *recipe, const uint8_t *a, const uint8_t *b, uint8_t *out)
{
    const uint32_t grey = (54 * (uint32_t)b[0] + 183 * (uint32_t)b[1] + 19 * (uint32_t)b[2] + 128) >> 8; /* BT.709 */
    const uint32_t opacity = recipe->has_alpha ? b[3] : grey;
    memcpy(out, a, 3);
    out[3] = (uint8_t)((a[3] * opacity + 127) / 255);
}

static uint8_t byte_of(float value) { return value >= 1 ? 255 : value > 0 ? (uint8_t)(value * 255 + 0.5f) : 0; }

static void mix_metallic_roughness(const struct mix_inputs *recipe, const uint8_t *a, const uint8_t *b, uint8_t *out)
{
    const struct texture_mix *mix = recipe->mix;
    out[0] = out[3] = 255;
    out[1] = mix->b < 0 ? byte_of(mix->factors[1]) : b[0];
    out[2] = mix->a < 0 ? byte_of(mix->factors[0]) : a[0];
}

static struct metallic_roughness of_gloss(const struct mix_inputs *recipe, const uint8_t *a, const uint8_t *b)
{
    const float *factors = recipe->mix->factors;
    struct specular_glossiness gloss = {.glossiness = factors[7] * (float)b[3] / 255};
    for (int i = 0; i < 3; i++) {
        gloss.diffuse[i] = factors[i] * mip_linear_of(a[i]);
        gloss.specular[i] = factors[4 + i] * mip_linear_of(b[i]);
    }
    return specular_glossiness_to_metallic_roughness(&gloss);
}

static void mix_specular_glossiness_base_color(const struct mix_inputs *recipe, const uint8_t *a, const uint8_t *b,
                                               uint8_t *out)
{
    const struct metallic_roughness mixed = of_gloss(recipe, a, b);
    for (int i = 0; i < 3; i++)
        out[i] = mip_srgb_of(mixed.base_color[i]);
    out[3] = byte_of(recipe->mix->factors[3] * (float)a[3] / 255);
}

static void mix_specular_glossiness_metallic_roughness(const struct mix_inputs *recipe, const uint8_t *a,
                                                       const uint8_t *b, uint8_t *out)
{
    const struct metallic_roughness mixed = of_gloss(recipe, a, b);
    out[0] = out[3] = 255;
    out[1] = byte_of(mixed.roughness);
    out[2] = byte_of(mixed.metallic);
}

static const struct {
    void (*mix)(const struct mix_inputs *recipe, const uint8_t *a, const uint8_t *b, uint8_t *out);
    uint32_t content;
} KINDS[] = {
    [MIX_OPACITY] = {mix_opacity, TEXTURE_COLORS},
    [MIX_METALLIC_ROUGHNESS] = {mix_metallic_roughness, TEXTURE_DATA},
    [MIX_SPECULAR_GLOSSINESS_BASE_COLOR] = {mix_specular_glossiness_base_color, TEXTURE_COLORS},
    [MIX_SPECULAR_GLOSSINESS_METALLIC_ROUGHNESS] = {mix_specular_glossiness_metallic_roughness, TEXTURE_DATA},
    [MIX_HEIGHTS] = {NULL, TEXTURE_DATA}, /* not texel by texel */
};

/* --- a whole picture --- */

static const struct texture *part_of(const struct bake_builder *builder, int32_t index)
{
    static const struct texture NONE = {.width = 1, .height = 1};
    return index < 0 ? &NONE : &builder->textures[index];
}

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
    const struct texture *texture = part_of(builder, index);
    const uint64_t count = index < 0 ? 0 : (uint64_t)texture->width * texture->height;
    for (uint64_t i = 0; i < count; i++)
        if (builder->pixels[texture->pixel_first + 4 * i + 3] != 255)
            return true;
    return false;
}

static void fill(const struct bake_builder *builder, const struct texture_mix *mix, uint32_t width, uint32_t height,
                 uint8_t *out)
{
    const struct mix_inputs recipe = {mix, mix->kind == MIX_OPACITY && has_alpha(builder, mix->b)};
    if (mix->kind == MIX_HEIGHTS) {
        const struct texture *heights = &builder->textures[mix->a];
        normal_map_from_heights(heights, builder->pixels + heights->pixel_first, mix->factors[0], out);
        return;
    }
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++, out += 4)
            KINDS[mix->kind].mix(&recipe, texel(builder, mix->a, x, y, width, height),
                                 texel(builder, mix->b, x, y, width, height), out);
}

static int make(struct texture_mixer *mixer, const struct texture_mix *mix, struct err *err)
{
    struct bake_builder *builder = mixer->builder;
    const struct texture *a = part_of(builder, mix->a), *b = part_of(builder, mix->b);
    struct texture out = mix->a >= 0 ? *a : *b;
    out.width = a->width > b->width ? a->width : b->width;
    out.height = a->height > b->height ? a->height : b->height;
    out.level_count = mip_level_count(out.width, out.height);
    out.content = KINDS[mix->kind].content;
    out.reserved = TEXTURE_IS_MIXED;
    out.pixel_first = builder->pixel_byte_count;
    const uint64_t size_bytes = mip_bytes(out.width, out.height);
    uint8_t *pixels =
        size_bytes > UINT32_MAX - out.pixel_first ? NULL : bake_add_pixel_byte(builder, (uint32_t)size_bytes);
    if (pixels == NULL || builder->texture_count >= mixer->limits->value[LIMIT_TEXTURES] ||
        bake_add_texture(builder, 1) == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model with its textures is larger than %s, or has more than %s",
                       LIMIT_TEXT(mixer->limits, LIMIT_BAKED_BYTES), LIMIT_TEXT(mixer->limits, LIMIT_TEXTURES));
    fill(builder, mix, out.width, out.height, pixels);
    if (mip_fill(pixels, out.width, out.height, (enum texture_content)out.content) < 0)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory to mix textures");
    builder->textures[builder->texture_count - 1] = out;
    return (int)(builder->texture_count - 1);
}

int texture_mix(struct texture_mixer *mixer, const struct texture_mix *mix, struct err *err)
{
    for (uint32_t i = 0; i < mixer->made_count; i++)
        if (memcmp(&mixer->made[i].mix, mix, sizeof *mix) == 0)
            return mixer->made[i].texture;
    struct texture_made *made = realloc(mixer->made, (mixer->made_count + 1) * sizeof *made);
    if (made == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory to mix textures");
    mixer->made = made;
    const int texture = make(mixer, mix, err);
    if (texture < 0)
        return texture;
    made[mixer->made_count++] = (struct texture_made){*mix, texture};
    texture_mixer_drop(mixer, mix->a);
    texture_mixer_drop(mixer, mix->b);
    return texture;
}

void texture_mixer_drop(struct texture_mixer *mixer, int32_t texture)
{
    if (texture < 0)
        return;
    mixer->parts = mem_realloc(mixer->parts, (mixer->part_count + 1) * sizeof *mixer->parts);
    mixer->parts[mixer->part_count++] = texture;
}

/* --- taking parts out --- */

/* Textures by where their pixels lie: those that share pixels stand together. */
static void sort_by_pixels(const struct bake_builder *builder, uint32_t *order)
{
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        uint32_t at = i;
        for (; at > 0 && builder->textures[order[at - 1]].pixel_first > builder->textures[i].pixel_first; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Moves the pixels of the textures that stay to the front. */
static void close_gaps(struct bake_builder *builder, const bool *is_dropped, const uint32_t *order)
{
    uint64_t end = 0, last_from = UINT64_MAX, last_to = 0;
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        struct texture *texture = &builder->textures[order[i]];
        if (is_dropped[order[i]] || texture->state != TEXTURE_FOUND)
            continue;
        if (texture->pixel_first != last_from) {
            const uint64_t size_bytes = mip_bytes(texture->width, texture->height);
            memmove(builder->pixels + end, builder->pixels + texture->pixel_first, size_bytes);
            last_from = texture->pixel_first;
            last_to = end;
            end += size_bytes;
        }
        texture->pixel_first = last_to;
    }
    builder->used_bytes -= builder->pixel_byte_count - end;
    builder->pixel_byte_count = (uint32_t)end;
}

/* places[i] becomes the new number of texture i. */
static void drop(struct bake_builder *builder, const bool *is_dropped, uint32_t *places)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        places[i] = kept;
        if (!is_dropped[i])
            builder->textures[kept++] = builder->textures[i];
    }
    builder->used_bytes -= (builder->texture_count - kept) * sizeof *builder->textures;
    builder->texture_count = kept;
    for (uint32_t m = 0; m < builder->material_count; m++)
        for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
            int32_t *texture = &builder->materials[m].textures[slot].texture;
            *texture = *texture < 0 ? -1 : (int32_t)places[*texture];
        }
}

void texture_mixer_end(struct texture_mixer *mixer)
{
    struct bake_builder *builder = mixer->builder;
    bool *is_dropped = mem_zalloc((size_t)builder->texture_count + 1, sizeof *is_dropped);
    uint32_t *order = mem_zalloc((size_t)builder->texture_count + 1, sizeof *order), dropped = 0;
    for (uint32_t i = 0; i < mixer->part_count; i++)
        is_dropped[mixer->parts[i]] = true;
    for (uint32_t m = 0; m < builder->material_count; m++)
        for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++)
            if (builder->materials[m].textures[slot].texture >= 0)
                is_dropped[builder->materials[m].textures[slot].texture] = false;
    for (uint32_t i = 0; i < builder->texture_count; i++)
        dropped += is_dropped[i];
    for (uint32_t i = 0; i < mixer->made_count; i++)
        builder->textures[mixer->made[i].texture].reserved = 0;
    if (dropped > 0 && !builder->is_failed) {
        sort_by_pixels(builder, order);
        close_gaps(builder, is_dropped, order);
        drop(builder, is_dropped, order);
    }
    free(order);
    free(is_dropped);
    texture_mixer_fini(mixer);
}

/* --- what a picture looks like --- */

bool texture_is_normal_map(const struct bake_builder *builder, int32_t texture)
{
    const struct texture *picture = &builder->textures[texture];
    const uint8_t *pixels = builder->pixels + picture->pixel_first;
    const uint64_t count = (uint64_t)picture->width * picture->height;
    uint64_t normals = 0;
    for (uint64_t i = 0; i < count; i++) {
        const float x = (float)pixels[4 * i] / 127.5f - 1, y = (float)pixels[4 * i + 1] / 127.5f - 1,
                    z = (float)pixels[4 * i + 2] / 127.5f - 1;
        const float length_squared = x * x + y * y + z * z;
        normals += z > 0 && length_squared > 0.7f && length_squared < 1.3f;
    }
    return normals * 10 >= count * 9 && !texture_is_grey(builder, texture);
}

bool texture_is_grey(const struct bake_builder *builder, int32_t texture)
{
    const struct texture *picture = &builder->textures[texture];
    const uint8_t *pixels = builder->pixels + picture->pixel_first;
    const uint64_t count = (uint64_t)picture->width * picture->height;
    uint64_t colored = 0;
    for (uint64_t i = 0; i < count; i++) {
        const int r = pixels[4 * i], g = pixels[4 * i + 1], b = pixels[4 * i + 2];
        colored += abs(r - g) > 16 || abs(g - b) > 16 || abs(r - b) > 16;
    }
    return colored * 100 < count;
}
