/* png_file.h - encodes pixels as a PNG file. Any thread.
 *
 * It filters and compresses the data itself, because libpng with zlib takes 32 times as long: UP filter and isa-l's
 * deflate at level 1. Small files use libdeflate's level 6, with as few bytes as zlib's best at a quarter of its time.
 * There are no time stamps and no other text: the same pixels give the same bytes. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/png_chunk.h"

#include <stdbool.h>
#include <stdint.h>

struct png_form {
    bool has_alpha; /* false: RGB is written */
    bool is_small;  /* compressed for size instead of speed */
};

/* Appends the file to `out`, or a part of it on failure. pixels: RGBA8, sRGB, rows from the top. Returns 0,
 * ERR_NO_MEMORY or ERR_INTERNAL. */
int png_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, const struct png_form *form,
                 struct err *err);

/* Names the libraries that decide the bytes of the data, for people and for ETags: "isa-l 2.30.0, libdeflate 1.14". */
const char *png_file_libraries(void);

/* Appends the contents of such a file's IDAT for a rectangle of a picture whose rows have `stride` pixels. Returns as
 * png_file_put(). */
int png_data_put(struct buf *out, const uint8_t *pixels, uint32_t stride, uint32_t width, uint32_t height,
                 const struct png_form *form, struct err *err);

/* Appends the beginning of such a file, up to the chunks of its data. */
void png_file_start(struct buf *out, uint32_t width, uint32_t height, bool has_alpha);
png_crc png_file_crc;
