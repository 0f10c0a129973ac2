#include "render/passes/pass_paint.h"

#include "render/pose/influence.h"

#include <math.h>
#include <string.h>

static uint8_t byte_of(double share) { return (uint8_t)lround(fmin(fmax(share, 0), 1) * 255); }

static void paint_pixel(const struct pass_paint *paint, size_t pixel, uint8_t sample[4])
{
    const float *floats = (const float *)paint->numbers + pixel * PASS_INFO[paint->pass].components;
    sample[3] = UINT8_MAX;
    switch (PASS_INFO[paint->pass].picture) {
    case PASS_AS_RANGE:
        memset(sample, byte_of((paint->far - (double)floats[0]) / (paint->far - paint->near)), 3);
        break;
    case PASS_AS_UNIT:
        for (int c = 0; c < 3; c++)
            sample[c] = byte_of((1 + (double)floats[c]) / 2);
        break;
    default: {
        const uint32_t color = influence_id_color((uint32_t)((const int32_t *)paint->numbers)[pixel]);
        for (int c = 0; c < 3; c++)
            sample[c] = (uint8_t)(color >> (16 - 8 * c));
    }
    }
}

void pass_paint_samples(const struct pass_paint *paint, uint8_t *samples)
{
    memset(samples, 0, (size_t)paint->width * paint->height * 4);
    for (uint32_t y = 0; y < paint->height; y++)
        for (uint32_t x = 0; x < paint->width; x++) {
            const size_t pixel = (size_t)y * paint->width + x;
            if (paint->visible[pixel].number != 0)
                paint_pixel(paint, pixel, samples + ((size_t)(paint->height - 1 - y) * paint->width + x) * 4);
        }
}
