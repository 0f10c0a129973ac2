/* texture_mix.c - the mixer: adds each mix once and removes the parts that no material uses. */
#include "import/texture/texture_mix.h"

#include "import/texture/texture.h"
#include "anim/light/mip.h"

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
    free(mixer->looks);
    *mixer = (struct texture_mixer){.builder = mixer->builder, .limits = mixer->limits};
}

static const struct texture *part_of(const struct bake_builder *builder, int32_t index)
{
    static const struct texture NONE = {.width = 1, .height = 1};
    return index < 0 ? &NONE : &builder->textures[index];
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static int make(struct texture_mixer *mixer, const struct texture_mix *mix, struct err *err)
{
    struct bake_builder *builder = mixer->builder;
    const struct texture *a = part_of(builder, mix->a), *b = part_of(builder, mix->b);
    struct texture out = mix->a >= 0 ? *a : *b;
    out.width = larger(a->width, b->width);
    out.height = larger(a->height, b->height);
    out.source_width = larger(a->source_width, b->source_width);
    out.source_height = larger(a->source_height, b->source_height);
    out.level_count = mip_level_count(out.width, out.height);
    out.content =
        mix->kind == MIX_OPACITY || mix->kind == MIX_SPECULAR_GLOSSINESS_BASE_COLOR ? TEXTURE_COLORS : TEXTURE_DATA;
    out.reserved = TEXTURE_IS_MIXED;
    out.file = TEXTURE_FILE_NONE;
    out.file_bytes = 0;
    memset(out.file_hash, 0, sizeof out.file_hash);
    out.pixel_first = builder->pixel_byte_count;
    const uint64_t size_bytes = mip_bytes(out.width, out.height);
    uint8_t *pixels =
        size_bytes > UINT32_MAX - out.pixel_first ? NULL : bake_add_pixel_byte(builder, (uint32_t)size_bytes);
    if (pixels == NULL || builder->texture_count >= mixer->limits->value[LIMIT_TEXTURES] ||
        bake_add_texture(builder, 1) == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model with its textures is larger than %s, or has more than %s",
                       LIMIT_TEXT(mixer->limits, LIMIT_BAKED_BYTES), LIMIT_TEXT(mixer->limits, LIMIT_TEXTURES));
    texture_mix_fill(builder, mix, out.width, out.height, pixels);
    mip_fill(pixels, out.width, out.height, (enum texture_content)out.content);
    builder->textures[builder->texture_count - 1] = out;
    return (int)(builder->texture_count - 1);
}

int texture_mix(struct texture_mixer *mixer, const struct texture_mix *mix, struct err *err)
{
    for (uint32_t i = 0; i < mixer->made_count; i++)
        if (memcmp(&mixer->made[i].mix, mix, sizeof *mix) == 0)
            return mixer->made[i].texture;
    const int texture = make(mixer, mix, err);
    if (texture < 0)
        return texture;
    mixer->made = mem_realloc(mixer->made, (mixer->made_count + 1) * sizeof *mixer->made);
    mixer->made[mixer->made_count++] = (struct texture_made){*mix, texture};
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

bool texture_mixer_looks(struct texture_mixer *mixer, int32_t texture, enum texture_look look)
{
    const size_t had = mixer->look_count;
    const uint8_t bit = (uint8_t)(1u << look);
    if ((size_t)texture >= had) {
        mixer->looks = mem_grow(mixer->looks, &mixer->look_count, (size_t)texture + 1, sizeof *mixer->looks);
        memset(mixer->looks + had, 0, (mixer->look_count - had) * sizeof *mixer->looks);
    }
    struct texture_looks *looks = &mixer->looks[texture];
    if ((looks->known & bit) == 0 && texture_looks(mixer->builder, texture, look))
        looks->true_ones |= bit;
    looks->known |= bit;
    return (looks->true_ones & bit) != 0;
}

/* --- taking parts out --- */

/* Sorts textures by the position of their pixels, so that textures with shared pixels are neighbours. */
static void sort_by_pixels(const struct bake_builder *builder, uint32_t *order)
{
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        uint32_t at = i;
        for (; at > 0 && builder->textures[order[at - 1]].pixel_first > builder->textures[i].pixel_first; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Moves the pixels of the textures that remain to the front. */
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
/* Returns the i-th texture slot of all materials and their layers; NULL after the last. */
static struct material_texture *use_at(const struct bake_builder *builder, uint32_t i)
{
    const uint32_t of_materials = builder->material_count * TEXTURE_SLOT_COUNT;
    if (i < of_materials)
        return &builder->materials[i / TEXTURE_SLOT_COUNT].textures[i % TEXTURE_SLOT_COUNT];
    i -= of_materials;
    return i < builder->material_layer_count * LAYER_SLOT_COUNT
               ? &builder->material_layers[i / LAYER_SLOT_COUNT].textures[i % LAYER_SLOT_COUNT]
               : NULL;
}

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
    struct material_texture *use = NULL;
    for (uint32_t i = 0; (use = use_at(builder, i)) != NULL; i++)
        use->texture = use->texture < 0 ? -1 : (int32_t)places[use->texture];
}

void texture_mixer_end(struct texture_mixer *mixer)
{
    struct bake_builder *builder = mixer->builder;
    bool *is_dropped = mem_zalloc((size_t)builder->texture_count + 1, sizeof *is_dropped);
    uint32_t *order = mem_zalloc((size_t)builder->texture_count + 1, sizeof *order), dropped = 0;
    for (uint32_t i = 0; i < mixer->part_count; i++)
        is_dropped[mixer->parts[i]] = true;
    const struct material_texture *use = NULL;
    for (uint32_t i = 0; (use = use_at(builder, i)) != NULL; i++)
        if (use->texture >= 0)
            is_dropped[use->texture] = false;
    for (uint32_t i = 0; i < builder->texture_count; i++) {
        dropped += is_dropped[i];
        builder->textures[i].reserved = 0;
    }
    if (dropped > 0 && !builder->is_failed) {
        sort_by_pixels(builder, order);
        close_gaps(builder, is_dropped, order);
        drop(builder, is_dropped, order);
    }
    free(order);
    free(is_dropped);
    texture_mixer_fini(mixer);
}
