/* png_file.h - pixels to the bytes of a PNG file. Any thread.
 *
 * libpng frames the chunks; the data is filtered and compressed here, because libpng with zlib takes 32 times as long:
 * UP filter, isa-l's deflate at level 1. No time stamps and no other text: the same pixels give the same bytes. */
#pragma once

#include "../base/buf.h"
#include "../base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Appends the file to `out`. pixels: RGBA8, straight alpha, sRGB, rows top first. has_alpha false: RGB is written.
 * Returns 0, ERR_NO_MEMORY or ERR_INTERNAL. */
int png_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha,
                 struct err *err);
