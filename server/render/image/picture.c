/* picture.c - averages samples and composites them over the background. */
#include "render/image/picture.h"

#include <stddef.h>
#include <string.h>

static uint8_t divide(uint32_t numerator, uint32_t denominator)
{
    const uint32_t rounded = (numerator + denominator / 2) / denominator;
    return (uint8_t)(rounded < 255 ? rounded : 255);
}

/* The background of a pixel. */
struct background {
    uint32_t color[3]; /* times alpha */
    uint32_t alpha;
};

/* sum[0..2]: premultiplied colour, sum[3]: alpha, each the sum of `count` samples. With S = 255 * count, alpha a =
 * sum[3] / S over the background's b:
 *   alpha  = a + b * (1 - a)
 *   colour = sum / S + background * b * (1 - a), divided by alpha unless it is to stay premultiplied
 * (Porter & Duff 1984, "over") in integers; the largest product is 255 * 255 * 1020. */
static void lay_over(const uint32_t sum[4], uint32_t count, const struct background *background, bool is_premultiplied,
                     uint8_t out[4])
{
    const uint32_t full = 255 * count, through = full - sum[3];
    const uint32_t alpha = sum[3] * 255 + background->alpha * through;
    if (alpha == 0) {
        memset(out, 0, 4);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const uint32_t color = sum[i] * 65025 + background->color[i] * through; /* of 65025 * full */
        out[i] = is_premultiplied ? divide(color / 255, full) : divide(color, alpha);
    }
    out[3] = divide(alpha, full);
}

enum cover { COVER_NONE, COVER_PART, COVER_FULL };

/* Classifies the samples of a pixel: all empty, all opaque, or mixed. Most pixels are empty or opaque. */
static enum cover cover_of(const uint8_t *sample, size_t stride, uint32_t scale)
{
    static const uint8_t OPAQUE[8] = {0, 0, 0, 255, 0, 0, 0, 255};
    uint64_t upper, lower, opaque;
    if (scale == 1)
        return sample[3] == 255                                       ? COVER_FULL
               : (sample[0] | sample[1] | sample[2] | sample[3]) == 0 ? COVER_NONE
                                                                      : COVER_PART;
    memcpy(&upper, sample, sizeof upper);
    memcpy(&lower, sample + stride, sizeof lower);
    memcpy(&opaque, OPAQUE, sizeof opaque);
    if ((upper | lower) == 0)
        return COVER_NONE;
    return (upper & lower & opaque) == opaque ? COVER_FULL : COVER_PART;
}

/* Writes the mean of four samples, rounded half up, two channels in one word at a time. It equals lay_over() for opaque
 * ones. */
static void put_mean(const uint8_t *sample, size_t stride, uint32_t scale, uint8_t out[4])
{
    static const uint64_t EVEN = UINT64_C(0x00ff00ff00ff00ff);
    uint64_t upper, lower;
    if (scale == 1) {
        memcpy(out, sample, 4);
        return;
    }
    memcpy(&upper, sample, sizeof upper);
    memcpy(&lower, sample + stride, sizeof lower);
    uint64_t even = (upper & EVEN) + (lower & EVEN), odd = (upper >> 8 & EVEN) + (lower >> 8 & EVEN);
    even = (even + (even >> 32) + 0x00020002) >> 2 & 0x00ff00ff;
    odd = (odd + (odd >> 32) + 0x00020002) >> 2 & 0x00ff00ff;
    const uint32_t mean = (uint32_t)(even | odd << 8);
    memcpy(out, &mean, sizeof mean);
}

static void sum_samples(const uint8_t *sample, size_t stride, uint32_t scale, uint32_t sum[4])
{
    for (size_t i = 0; i < 4; i++) {
        sum[i] = sample[i];
        if (scale == 2)
            sum[i] += (uint32_t)sample[i + 4] + sample[stride + i] + sample[stride + i + 4];
    }
}

/* Returns the background at the middle of a row. A plain background is returned unchanged. */
static struct background background_of(const struct picture_spec *picture, uint32_t y, uint32_t height)
{
    const uint64_t whole = 2 * (uint64_t)height, down = 2 * (uint64_t)y + 1, up = whole - down;
    const uint64_t top = picture->background[3] * up, end = picture->background_end[3] * down;
    struct background background = {.alpha = (uint32_t)((top + end + height) / whole)};
    for (int i = 0; i < 3; i++)
        background.color[i] =
            (uint32_t)((picture->background[i] * top + picture->background_end[i] * end + height) / whole);
    return background;
}

/* Returns the background under black of this alpha. */
static struct background shaded(const struct background *background, uint32_t shade)
{
    struct background dark = {.alpha = background->alpha + ((255 - background->alpha) * shade + 127) / 255};
    for (int i = 0; i < 3; i++)
        dark.color[i] = (background->color[i] * (255 - shade) + 127) / 255;
    return dark;
}

/* State that the rows of a picture share. */
struct resolving {
    size_t stride; /* of a row of samples */
    uint32_t width, scale;
    bool is_premultiplied;
    struct picture_stats stats;
};

/* shade: NULL, or the darkness of the shadow at each pixel of the row. */
static void resolve_row(struct resolving *resolving, const uint8_t *sample, const struct background *background,
                        const uint8_t *shade, uint8_t *out)
{
    static const uint32_t NOTHING[4];
    const uint32_t scale = resolving->scale, count = scale * scale;
    uint8_t clear[4];
    lay_over(NOTHING, count, background, resolving->is_premultiplied, clear);
    for (uint32_t x = 0; x < resolving->width; x++, sample += 4 * (size_t)scale, out += 4) {
        const uint8_t dark = shade == NULL ? 0 : shade[x];
        const enum cover cover = cover_of(sample, resolving->stride, scale);
        resolving->stats.covered_count += cover == COVER_FULL;
        if (cover == COVER_FULL) {
            put_mean(sample, resolving->stride, scale, out);
        } else if (cover == COVER_NONE && dark == 0) {
            memcpy(out, clear, 4);
        } else {
            uint32_t sum[4];
            sum_samples(sample, resolving->stride, scale, sum);
            resolving->stats.covered_count += sum[3] != 0;
            const struct background below = dark == 0 ? *background : shaded(background, dark);
            lay_over(sum, count, &below, resolving->is_premultiplied, out);
        }
        resolving->stats.is_opaque &= out[3] == 255;
    }
}

struct picture_stats picture_resolve(const uint8_t *samples, uint32_t width, uint32_t height, uint32_t scale,
                                     const struct picture_spec *picture, const uint8_t *shade, uint8_t *out)
{
    struct resolving resolving = {.stride = (size_t)width * scale * 4,
                                  .width = width,
                                  .scale = scale,
                                  .is_premultiplied = (picture->flags & PICTURE_PREMULTIPLIED) != 0,
                                  .stats = {.is_opaque = true}};
    for (uint32_t y = 0; y < height; y++, out += 4 * (size_t)width) {
        const struct background background = background_of(picture, y, height);
        resolve_row(&resolving, samples + (size_t)(height - 1 - y) * scale * resolving.stride, &background,
                    shade == NULL ? NULL : shade + (size_t)y * width, out);
    }
    return resolving.stats;
}

/* --- onion skins --- */

/* Of 255: 0.6 * (index + 1) / count. */
static uint32_t share_of(uint32_t index, uint32_t count)
{
    return index + 1 >= count ? 255 : (uint32_t)((UINT64_C(153) * (index + 1) + count / 2) / count);
}

/* x / 255, rounded, of x up to 255 * 255. */
static uint32_t by_255(uint32_t x) { return (x + 127) / 255; }

void onion_lay(uint8_t *below, const uint8_t *samples, uint64_t sample_count, uint32_t index, uint32_t count)
{
    const uint32_t share = share_of(index, count);
    for (uint64_t i = 0; i < 4 * sample_count; i += 4) {
        const uint32_t through = 255 - by_255(samples[i + 3] * share);
        for (uint64_t c = i; c < i + 4; c++) {
            const uint32_t sum = by_255(samples[c] * share) + by_255(below[c] * through);
            below[c] = (uint8_t)(sum < 255 ? sum : 255); /* glowing pixels may have more colour than alpha */
        }
    }
}
