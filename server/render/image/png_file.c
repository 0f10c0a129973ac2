/* png_file.c - filters and compresses rows, and writes them as chunks. */
#include "render/image/png_file.h"

#include "render/image/deflate.h"

#include <isa-l.h>
#include <libdeflate.h>
#include <stdlib.h>

enum { FILTER_UP = 2, SMALL_LEVEL = 6 };

/* Subtracts the bytes above. Blocks of a fixed size let the compiler vectorize. */
static void subtract(uint8_t *restrict to, const uint8_t *restrict here, const uint8_t *restrict above,
                     size_t size_bytes)
{
    enum { BLOCK = 64 };
    size_t i = 0;
    for (; i + BLOCK <= size_bytes; i += BLOCK)
        for (size_t b = 0; b < BLOCK; b++)
            to[i + b] = (uint8_t)(here[i + b] - above[i + b]);
    for (; i < size_bytes; i++)
        to[i] = (uint8_t)(here[i] - above[i]);
}

static void subtract_opaque(uint8_t *restrict to, const uint8_t *restrict here, const uint8_t *restrict above,
                            uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, to += 3, here += 4, above += 4)
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)(here[c] - above[c]);
}

/* Filters rows for PNG: a filter byte, then each byte minus the one above (PNG 1.2, 6.4). */
static uint8_t *filter_rows(const uint8_t *pixels, uint32_t stride, uint32_t width, uint32_t height, uint32_t channels,
                            size_t *size)
{
    const size_t row_bytes = (size_t)width * channels + 1, pixel_bytes = (size_t)width * 4;
    uint8_t *rows = malloc(row_bytes * height), *nothing = calloc(width, 4);
    const uint8_t *above = nothing;
    if (rows == NULL || nothing == NULL) {
        free(rows);
        free(nothing);
        return NULL;
    }
    for (uint32_t y = 0; y < height; y++, above = pixels, pixels += (size_t)stride * 4) {
        uint8_t *to = rows + y * row_bytes;
        *to++ = FILTER_UP;
        if (channels == 4)
            subtract(to, pixels, above, pixel_bytes);
        else
            subtract_opaque(to, pixels, above, width);
    }
    free(nothing);
    *size = row_bytes * height;
    return rows;
}

/* Appends a zlib stream (RFC 1950) of the rows. */
static int deflate_rows(struct buf *out, uint8_t *rows, size_t size_bytes, struct err *err)
{
    static const uint8_t HEAD[2] = {0x78, 0x01}; /* deflate, 32 KiB window, fastest */
    buf_put(out, HEAD, sizeof HEAD);
    if (deflate_put(out, rows, size_bytes, err) < 0)
        return err->code;
    png_put_u32(out, isal_adler32(1, rows, size_bytes));
    return 0;
}

static int deflate_small(struct buf *out, const uint8_t *rows, size_t size_bytes, struct err *err)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(SMALL_LEVEL);
    const size_t capacity = compressor == NULL ? 0 : libdeflate_zlib_compress_bound(compressor, size_bytes);
    void *to = compressor == NULL ? NULL : buf_reserve(out, capacity);
    int rc = to == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the compressed picture") : 0;
    const size_t written = rc < 0 ? 0 : libdeflate_zlib_compress(compressor, rows, size_bytes, to, capacity);
    if (rc == 0 && written == 0)
        rc = err_set(err, ERR_INTERNAL, "compressing the picture failed");
    buf_advance(out, written);
    libdeflate_free_compressor(compressor);
    return rc;
}

uint32_t png_file_crc(const void *bytes, size_t size_bytes) { return libdeflate_crc32(0, bytes, size_bytes); }

void png_file_start(struct buf *out, uint32_t width, uint32_t height, bool has_alpha)
{
    png_start_file(out, width, height, has_alpha, png_file_crc);
    const size_t at = png_start_chunk(out, "sRGB");
    buf_put_char(out, 0); /* perceptual */
    png_end_chunk(out, at, png_file_crc);
}

int png_data_put(struct buf *out, const uint8_t *pixels, uint32_t stride, uint32_t width, uint32_t height,
                 const struct png_form *form, struct err *err)
{
    size_t size_bytes = 0;
    uint8_t *rows = filter_rows(pixels, stride, width, height, form->has_alpha ? 4 : 3, &size_bytes);
    if (rows == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a picture of %u x %u", width, height);
    const int rc =
        form->is_small ? deflate_small(out, rows, size_bytes, err) : deflate_rows(out, rows, size_bytes, err);
    free(rows);
    return rc;
}

int png_file_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, const struct png_form *form,
                 struct err *err)
{
    png_file_start(out, width, height, form->has_alpha);
    const size_t at = png_start_chunk(out, "IDAT");
    if (png_data_put(out, pixels, width, width, height, form, err) < 0)
        return err->code;
    png_end_chunk(out, at, png_file_crc);
    png_end_chunk(out, png_start_chunk(out, "IEND"), png_file_crc);
    return buf_failed(out) ? err_set(err, ERR_NO_MEMORY, "no memory for the picture's file") : 0;
}

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(words)    #words

const char *png_file_libraries(void)
{
    return "isa-l " TEXT_OF(ISAL_MAJOR_VERSION) "." TEXT_OF(ISAL_MINOR_VERSION) "." TEXT_OF(
        ISAL_PATCH_VERSION) ", libdeflate " LIBDEFLATE_VERSION_STRING;
}
