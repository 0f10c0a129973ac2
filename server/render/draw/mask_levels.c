#include "render/draw/mask_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALPHAS = 256 };

/* Counts the texels of each alpha. */
static void count_alphas(const uint8_t *pixels, size_t count, uint32_t counts[ALPHAS])
{
    memset(counts, 0, ALPHAS * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        counts[pixels[4 * i + 3]]++;
}

/* Returns the least alpha at which about the same share of the level is solid. */
static uint32_t find_cutoff(const uint32_t counts[ALPHAS], size_t count, double share)
{
    uint32_t best = ALPHAS - 1;
    double solid = 0, nearest = HUGE_VAL;
    for (uint32_t alpha = ALPHAS - 1; alpha > 0; alpha--) {
        solid += counts[alpha];
        const double off = fabs(solid / (double)count - share);
        if (off < nearest) {
            nearest = off;
            best = alpha;
        }
    }
    return best;
}

static void scale_level(uint8_t *pixels, size_t count, uint32_t cutoff, double share)
{
    uint32_t counts[ALPHAS];
    uint8_t scaled[ALPHAS];
    count_alphas(pixels, count, counts);
    const uint32_t own = find_cutoff(counts, count, share);
    for (uint32_t alpha = 0; alpha < ALPHAS; alpha++) {
        const uint32_t to = (alpha * cutoff + own / 2) / own;
        scaled[alpha] = (uint8_t)(to < ALPHAS ? to : ALPHAS - 1);
    }
    for (size_t i = 0; i < count; i++)
        pixels[4 * i + 3] = scaled[pixels[4 * i + 3]];
}

/* Returns the least alpha of a solid texel; 0: the texture cuts no holes. */
static uint32_t cutoff_of(const struct model *model, uint32_t t)
{
    uint32_t cutoff = 0;
    for (uint32_t m = 0; m < model->material_count; m++) {
        const struct material *material = &model->materials[m];
        if (material->textures[TEXTURE_BASE_COLOR].texture != (int32_t)t || material->alpha_mode == ALPHA_OPAQUE)
            continue;
        const double alpha = ceil(255 * (double)material->alpha_cutoff / (double)material->base_color[3]);
        if (material->alpha_mode != ALPHA_MASK || !(alpha >= 1 && alpha < ALPHAS))
            return 0;
        cutoff = cutoff == 0 || alpha < cutoff ? (uint32_t)alpha : cutoff;
    }
    return cutoff;
}

static size_t texel_count(const struct texture *texture, uint32_t level)
{
    const size_t width = texture->width >> level, height = texture->height >> level;
    return (width > 0 ? width : 1) * (height > 0 ? height : 1);
}

uint8_t *mask_levels_make(const struct model *model, uint32_t t)
{
    const struct texture *texture = &model->textures[t];
    const uint32_t cutoff = cutoff_of(model, t);
    size_t size_bytes = 0;
    for (uint32_t level = 0; level < texture->level_count; level++)
        size_bytes += 4 * texel_count(texture, level);
    uint8_t *levels = cutoff == 0 ? NULL : malloc(size_bytes);
    if (levels == NULL)
        return NULL;
    memcpy(levels, model->pixels + texture->pixel_first, size_bytes);
    uint32_t counts[ALPHAS];
    size_t count = texel_count(texture, 0), solid = 0;
    count_alphas(levels, count, counts);
    for (uint32_t alpha = cutoff; alpha < ALPHAS; alpha++)
        solid += counts[alpha];
    const double share = (double)solid / (double)count;
    uint8_t *pixels = levels + 4 * count;
    for (uint32_t level = 1; level < texture->level_count; level++, pixels += 4 * count) {
        count = texel_count(texture, level);
        if (solid > 0) /* else the level is all hole */
            scale_level(pixels, count, cutoff, share);
    }
    return levels;
}
