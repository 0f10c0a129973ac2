/* picture_file.h - reads and writes PNG files with libpng, which the importer uses too. Any thread. */
#pragma once

#include "clients/cli/output/text.h"

#include <stdint.h>

enum { PICTURE_SIDE_MAX = 2048 };

/* [height][width][3], sRGB. The caller frees the pixels. */
struct picture {
    uint8_t *pixels;
    uint32_t width, height;
};

/* Read a PNG file. picture_read() puts transparent pixels over white, picture_read_alpha() keeps a fourth channel.
 * Return 0, or -1 with a message in *problem, also for a picture with a side above PICTURE_SIDE_MAX. */
int picture_read(const void *png, size_t png_bytes, struct picture *out, struct text *problem);
int picture_read_alpha(const void *png, size_t png_bytes, struct picture *out, struct text *problem);
/* Appends the picture as a PNG. Returns 0, or -1 with a message in *problem. */
int picture_put(const struct picture *picture, struct text *out, struct text *problem);
