/* compare_textures.c - decides whether two textures look the same. Compressing a picture again keeps the means of small
 * blocks. */
#include "anim/compare/compare_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE_MOST = 1024, /* of the level that is compared */
    BLOCK = 8,        /* side in texels, as in JPEG */
    BLOCK_NEAR = 6,   /* of 255: greatest mean difference of equal blocks */
};

/* Returns the level that is compared, with its size, or NULL when the pixels are not in memory. */
static const uint8_t *level_of(const struct model *model, const struct texture *texture, uint32_t *width,
                               uint32_t *height)
{
    uint64_t at = texture->pixel_first;
    *width = texture->width;
    *height = texture->height;
    for (uint32_t level = 1; level < texture->level_count && (*width > SIDE_MOST || *height > SIDE_MOST); level++) {
        at += 4 * (uint64_t)*width * *height;
        *width = *width > 1 ? *width / 2 : 1;
        *height = *height > 1 ? *height / 2 : 1;
    }
    return at + 4 * (uint64_t)*width * *height <= model->pixel_byte_count ? model->pixels + at : NULL;
}

/* Sums the absolute differences of the first `channels` channels of a row of texels. */
static uint32_t row_apart(const uint8_t *a, const uint8_t *b, uint32_t texels, uint32_t channels)
{
    uint32_t sum = 0;
    for (uint32_t x = 0; x < texels; x++)
        for (uint32_t c = 0; c < channels; c++)
            sum += (uint32_t)abs((int)a[4 * x + c] - (int)b[4 * x + c]);
    return sum;
}

/* Returns the share of the blocks that differ. */
static double blocks_apart(const uint8_t *a, const uint8_t *b, uint32_t width, uint32_t height, uint32_t channels)
{
    uint32_t count = 0, all = 0;
    if (memcmp(a, b, 4 * (size_t)width * height) == 0)
        return 0;
    for (uint32_t y = 0; y < height; y += BLOCK)
        for (uint32_t x = 0; x < width; x += BLOCK) {
            const uint32_t w = width - x < BLOCK ? width - x : BLOCK, h = height - y < BLOCK ? height - y : BLOCK;
            uint32_t sum = 0;
            for (uint32_t row = 0; row < h; row++) {
                const size_t at = 4 * ((size_t)(y + row) * width + x);
                sum += row_apart(a + at, b + at, w, channels);
            }
            all++;
            count += sum > BLOCK_NEAR * w * h * channels;
        }
    return (double)count / all;
}

const char *texture_differs(const struct compare *compare, int32_t old, int32_t new, bool has_alpha,
                            char out[TEXTURE_SAID_SIZE])
{
    const struct model *models[COMPARE_SIDES] = {compare->sides[COMPARE_OLD].model, compare->sides[COMPARE_NEW].model};
    const struct texture *a = old < 0 ? NULL : &models[COMPARE_OLD]->textures[old];
    const struct texture *b = new < 0 ? NULL : &models[COMPARE_NEW]->textures[new];
    /* a missing or broken texture shows nothing, and tools drop it */
    const bool had = a != NULL && a->state == TEXTURE_FOUND, has = b != NULL && b->state == TEXTURE_FOUND;
    uint32_t widths[COMPARE_SIDES], heights[COMPARE_SIDES];
    if (!had || !has)
        return had == has                    ? NULL
               : has                         ? "is new"
               : b == NULL                   ? "is gone"
               : b->state == TEXTURE_MISSING ? "is missing"
                                             : "is broken";
    const uint8_t *pixels[COMPARE_SIDES] = {
        level_of(models[COMPARE_OLD], a, &widths[COMPARE_OLD], &heights[COMPARE_OLD]),
        level_of(models[COMPARE_NEW], b, &widths[COMPARE_NEW], &heights[COMPARE_NEW])};
    if (pixels[COMPARE_OLD] == NULL || pixels[COMPARE_NEW] == NULL || widths[COMPARE_OLD] != widths[COMPARE_NEW] ||
        heights[COMPARE_OLD] != heights[COMPARE_NEW])
        return widths[COMPARE_OLD] != widths[COMPARE_NEW] || heights[COMPARE_OLD] != heights[COMPARE_NEW]
                   ? "has another size"
                   : NULL;
    if (a->wrap_s != b->wrap_s || a->wrap_t != b->wrap_t)
        return "repeats otherwise";
    const double share = blocks_apart(pixels[COMPARE_OLD], pixels[COMPARE_NEW], widths[COMPARE_OLD],
                                      heights[COMPARE_OLD], has_alpha ? 4 : 3);
    snprintf(out, TEXTURE_SAID_SIZE, "has other pixels in %.2g %% of its area", 100 * share);
    return share > 0 ? out : NULL;
}
