/* png_pixels.h - decodes PNG bytes to RGBA8 pixels with libpng, for tests. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

struct png_pixels {
    uint32_t width, height;
    int has_alpha;   /* the file has an alpha channel */
    uint8_t *pixels; /* straight RGBA, rows top first */
};

/* Fails the test if the file is not a valid PNG. */
void png_pixels_init(struct png_pixels *out, const struct buf *file);
void png_pixels_fini(struct png_pixels *pixels);
