#include "wire/encode/png.h"

#include "base/err.h"
#include "base/png_chunk.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

enum { FILTER_UP = 2, DEFLATE_LEVEL = 1, WINDOW_BITS = 15, MEMORY_LEVEL = 8 };
enum { ROOM_BYTES = 1 << 16 };

static uint32_t crc_of(const void *bytes, size_t size_bytes) { return (uint32_t)crc32_z(0, bytes, size_bytes); }

static bool is_opaque(const uint8_t *pixels, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (pixels[4 * i + 3] != 255)
            return false;
    return true;
}

/* Writes a filter byte, then each byte minus the byte above it (9.2). */
static void filter_row(const uint8_t *here, const uint8_t *above, uint32_t width, uint32_t channels, uint8_t *to)
{
    *to++ = FILTER_UP;
    for (uint32_t x = 0; x < width; x++)
        for (uint32_t c = 0; c < channels; c++)
            *to++ = (uint8_t)(here[4 * x + c] - (above != NULL ? above[4 * x + c] : 0));
}

/* Compresses the stream's input. False: `out` is full. */
static bool squeeze(z_stream *stream, struct buf *out, int flush)
{
    int rc;
    do {
        stream->next_out = (Bytef *)buf_reserve(out, ROOM_BYTES);
        stream->avail_out = ROOM_BYTES;
        if (stream->next_out == NULL)
            return false;
        rc = deflate(stream, flush);
        buf_advance(out, ROOM_BYTES - stream->avail_out);
    } while (stream->avail_out == 0 || (flush == Z_FINISH && rc == Z_OK));
    return true;
}

static void put_rows(struct buf *out, z_stream *stream, uint8_t *row, const uint8_t *pixels, uint32_t width,
                     uint32_t height, uint32_t channels)
{
    bool is_going = true;
    for (uint32_t y = 0; y < height && is_going; y++) {
        const uint8_t *here = pixels + (size_t)y * width * 4;
        filter_row(here, y > 0 ? here - (size_t)width * 4 : NULL, width, channels, row);
        stream->next_in = row;
        stream->avail_in = width * channels + 1;
        is_going = squeeze(stream, out, y + 1 < height ? Z_NO_FLUSH : Z_FINISH);
    }
}

static int put_data(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels,
                    struct err *err)
{
    z_stream stream = {0};
    uint8_t *row = malloc((size_t)width * channels + 1);
    if (row == NULL ||
        deflateInit2(&stream, DEFLATE_LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(row);
        return err_set(err, ERR_NO_MEMORY, "no memory for a texture of %u x %u as PNG", width, height);
    }
    put_rows(out, &stream, row, pixels, width, height, channels);
    deflateEnd(&stream);
    free(row);
    return 0;
}

int png_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, struct err *err)
{
    const bool has_alpha = !is_opaque(pixels, (uint64_t)width * height);
    png_start_file(out, width, height, has_alpha, crc_of);
    const size_t chunk = png_start_chunk(out, "IDAT");
    if (put_data(out, pixels, width, height, has_alpha ? 4 : 3, err) < 0)
        return err->code;
    png_end_chunk(out, chunk, crc_of);
    png_end_chunk(out, png_start_chunk(out, "IEND"), crc_of);
    return 0;
}
