/* picture.h - from the pixels that GL drew to the pixels of the answer. Pure; any thread.
 *
 * Samples: RGBA8, premultiplied, sRGB-encoded, rows bottom first, `scale` by `scale` of them a pixel. Their mean is
 * taken of the encoded values, because that is how every viewer and browser will lay the transparent picture over a
 * page: so a picture with a background is, to the rounding, the transparent one laid over that colour. */
#pragma once

#include "base/picture_spec.h"

#include <stdbool.h>
#include <stdint.h>

struct picture_stats {
    uint64_t covered_count; /* pixels where something was drawn, before the background */
    bool is_opaque;         /* every pixel of the result has alpha 255 */
};

/* out: width * height pixels, RGBA8, rows top first, over the picture's background; alpha is straight unless
 * PICTURE_PREMULTIPLIED. Of a gradient a row has the colour at its middle, mixed premultiplied (CSS Images 4, 3.1.1).
 * Only the background and that flag of `picture` count. scale 1 or 2. May not overlap `samples`. */
struct picture_stats picture_resolve(const uint8_t *samples, uint32_t width, uint32_t height, uint32_t scale,
                                     const struct picture_spec *picture, const uint8_t *shade, uint8_t *out);

/* Lays picture `index` of `count` pictures of one size over `below`, which begins as zeros: the last in full, the i-th
 * before it (1 the first) with 0.6 * i / n of its alpha, each over those before it (Porter and Duff 1984, "over"), in
 * whole numbers. Samples: [sample_count] RGBA8, premultiplied. */
void onion_lay(uint8_t *below, const uint8_t *samples, uint64_t sample_count, uint32_t index, uint32_t count);
