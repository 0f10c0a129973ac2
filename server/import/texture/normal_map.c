#include "import/texture/normal_map.h"

#include <math.h>
#include <stdbool.h>

/* The texel in whose place one before the first (-1) or behind the last (size) stands. */
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

/* What the heights rise by from one texel to the next, to the right and downwards. */
static void rise_at(const struct texture *texture, const uint8_t *from, int64_t x, int64_t y, float rise[2])
{
    rise[0] = rise[1] = 0;
    for (int beside = -1; beside <= 1; beside++) {
        const float weight = beside == 0 ? 0.25f : 0.125f;
        rise[0] += weight * (height_at(texture, from, x + 1, y + beside) - height_at(texture, from, x - 1, y + beside));
        rise[1] += weight * (height_at(texture, from, x + beside, y + 1) - height_at(texture, from, x + beside, y - 1));
    }
}

static uint8_t byte_of(float n) { return (uint8_t)((n + 1) * 127.5f + 0.5f); }

void normal_map_from_heights(const struct texture *texture, const uint8_t *from, float height, uint8_t *out)
{
    /* of the file's picture, whose texels are squares */
    const bool has_source = texture->source_width > 0 && texture->source_height > 0;
    const float aspect = has_source ? (float)texture->source_width / (float)texture->source_height : 1;
    const float steepness[2] = {height * (float)texture->width, height * (float)texture->height * aspect};
    for (uint32_t y = 0; y < texture->height; y++)
        for (uint32_t x = 0; x < texture->width; x++, out += 4) {
            float rise[2];
            rise_at(texture, from, x, y, rise);
            const float right = -rise[0] * steepness[0], up = rise[1] * steepness[1]; /* rows go down */
            const float length = sqrtf(right * right + up * up + 1);
            out[0] = byte_of(right / length);
            out[1] = byte_of(up / length);
            out[2] = byte_of(1 / length);
            out[3] = 255;
        }
}
