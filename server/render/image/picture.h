/* picture.h - converts the pixels that GL drew to the pixels of the answer. Pure; any thread.
 *
 * Samples are RGBA8, premultiplied, sRGB-encoded, rows from the bottom, `scale` by `scale` for each pixel. They are
 * averaged as encoded values, because viewers and browsers composite a transparent picture over a page in the same way.
 * So a picture with a background equals, up to rounding, the transparent one over that colour. */
#pragma once

#include "base/picture/picture_spec.h"

#include <stdbool.h>
#include <stdint.h>

struct picture_stats {
    uint64_t covered_count; /* pixels where something was drawn, without the background */
    bool is_opaque;         /* every pixel of the result has alpha 255 */
};

/* out: width * height pixels, RGBA8, rows from the top, over the picture's background; alpha is straight unless
 * PICTURE_PREMULTIPLIED. A row of a gradient has the colour at its middle, mixed premultiplied (CSS Images 4, 3.1.1).
 * Of `picture` only the background and that flag count. scale is 1 or 2. `out` may not overlap `samples`. */
struct picture_stats picture_resolve(const uint8_t *samples, uint32_t width, uint32_t height, uint32_t scale,
                                     const struct picture_spec *picture, const uint8_t *shade, uint8_t *out);

/* Lays picture `index` of `count` equally large pictures over `below`, which begins as zeros. The last has full alpha,
 * the i-th of the n before it (1 is the first) has 0.6 * i / n of its alpha, each over the earlier ones (Porter and
 * Duff 1984, "over"), in integers. Samples: [sample_count] RGBA8, premultiplied. */
void onion_lay(uint8_t *below, const uint8_t *samples, uint64_t sample_count, uint32_t index, uint32_t count);
