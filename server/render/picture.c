#include "picture.h"

#include <stddef.h>
#include <string.h>

static uint8_t divide(uint32_t numerator, uint32_t denominator)
{
    const uint32_t rounded = (numerator + denominator / 2) / denominator;
    return (uint8_t)(rounded < 255 ? rounded : 255);
}

/* sum[0..2]: premultiplied colour, sum[3]: alpha, each the sum of `count` samples. With S = 255 * count, alpha
 * a = sum[3] / S over the background's b = background[3] / 255:
 *   alpha  = a + b * (1 - a)
 *   colour = (sum / S + background * b * (1 - a)) / alpha        (Porter & Duff 1984, "over")
 * in whole numbers; the largest product is 255 * 255 * 1020. */
static void lay_over(const uint32_t sum[4], uint32_t count, const uint8_t background[4], uint8_t out[4])
{
    const uint32_t full = 255 * count, through = full - sum[3];
    const uint32_t alpha = sum[3] * 255 + background[3] * through;
    if (alpha == 0) {
        memset(out, 0, 4);
        return;
    }
    for (int i = 0; i < 3; i++)
        out[i] = divide(sum[i] * 65025 + (uint32_t)background[i] * background[3] * through, alpha);
    out[3] = divide(alpha, full);
}

static void sum_samples(const uint8_t *sample, size_t stride, uint32_t scale, uint32_t sum[4])
{
    for (size_t i = 0; i < 4; i++) {
        sum[i] = sample[i];
        if (scale == 2)
            sum[i] += (uint32_t)sample[i + 4] + sample[stride + i] + sample[stride + i + 4];
    }
}

struct picture_stats picture_resolve(const uint8_t *samples, uint32_t width, uint32_t height, uint32_t scale,
                                     const uint8_t background[4], uint8_t *out)
{
    struct picture_stats stats = {.is_opaque = true};
    const size_t stride = (size_t)width * scale * 4;
    const uint32_t count = scale * scale;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = samples + (size_t)(height - 1 - y) * scale * stride;
        for (uint32_t x = 0; x < width; x++, out += 4) {
            uint32_t sum[4];
            sum_samples(row + (size_t)x * scale * 4, stride, scale, sum);
            stats.covered_count += sum[3] != 0;
            lay_over(sum, count, background, out);
            stats.is_opaque &= out[3] == 255;
        }
    }
    return stats;
}
