#include "base/png_chunk.h"

enum { LENGTH_BYTES = 4, TYPE_BYTES = 4, COLOR_RGB = 2, COLOR_RGBA = 6 };

size_t png_start_chunk(struct buf *out, const char *type)
{
    const size_t at = out->size_bytes;
    png_put_u32(out, 0);
    buf_put(out, type, TYPE_BYTES);
    return at;
}

void png_end_chunk(struct buf *out, size_t at, png_crc *crc)
{
    if (buf_failed(out))
        return;
    char *chunk = out->data + at;
    const size_t size_bytes = out->size_bytes - at - LENGTH_BYTES;
    const uint32_t length = htobe32((uint32_t)(size_bytes - TYPE_BYTES));
    memcpy(chunk, &length, sizeof length);
    png_put_u32(out, crc(chunk + LENGTH_BYTES, size_bytes));
}

void png_start_file(struct buf *out, uint32_t width, uint32_t height, bool has_alpha, png_crc *crc)
{
    static const uint8_t SIGNATURE[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const uint8_t form[] = {8, has_alpha ? COLOR_RGBA : COLOR_RGB, 0, 0, 0}; /* depth, colour, three defaults */
    buf_put(out, SIGNATURE, sizeof SIGNATURE);
    const size_t at = png_start_chunk(out, "IHDR");
    png_put_u32(out, width);
    png_put_u32(out, height);
    buf_put(out, form, sizeof form);
    png_end_chunk(out, at, crc);
}
