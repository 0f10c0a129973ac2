/* picture_file.h - pixels from a PNG and back, by libpng, which the importer has as well. Any thread. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdint.h>

enum { PICTURE_SIDE_MAX = 2048 };

/* [height][width][3], sRGB; free(pixels). */
struct picture {
    uint8_t *pixels;
    uint32_t width, height;
};

/* What is transparent becomes white: picture_read(); picture_read_alpha() keeps a fourth channel. Returns 0, or -1 with
 * what is wrong in *problem: also a picture with a side above PICTURE_SIDE_MAX. */
int picture_read(const void *png, size_t png_bytes, struct picture *out, struct text *problem);
int picture_read_alpha(const void *png, size_t png_bytes, struct picture *out, struct text *problem);
/* Appends the picture as a PNG. Returns 0, or -1 with what is wrong in *problem. */
int picture_put(const struct picture *picture, struct text *out, struct text *problem);
