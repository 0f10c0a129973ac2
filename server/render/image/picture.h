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

/* out: width * height pixels, RGBA8, rows top first, over look's background; alpha is straight unless
 * PICTURE_PREMULTIPLIED. Of a gradient a row has the colour at its middle, mixed premultiplied (CSS Images 4, 3.1.1).
 * Nothing else of `look` counts. scale 1 or 2. May not overlap `samples`. */
struct picture_stats picture_resolve(const uint8_t *samples, uint32_t width, uint32_t height, uint32_t scale,
                                     const struct picture_spec *picture, uint8_t *out);
/* The same with a shadow on the background. shade: [width * height], rows top first, 255 is black; or NULL. Shadow
 * alone covers nothing. */
struct picture_stats picture_resolve_shaded(const uint8_t *samples, uint32_t width, uint32_t height, uint32_t scale,
                                            const struct picture_spec *picture, const uint8_t *shade, uint8_t *out);
