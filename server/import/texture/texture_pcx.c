/* texture_pcx.c - PCX pictures of 8 bits with a palette and of 24 bits (ZSoft, "PCX File Format Technical Reference
 * Manual", revision 5). */
#include "import/texture/texture_image.h"

#include "base/bytes.h"

#include <stdlib.h>

enum { HEADER_BYTES = 128, PALETTE_BYTES = 769, PALETTE_MARK = 12, RUN_MARK = 0xc0 };

/* Decodes runs of equal bytes: a byte with its two highest bits set is the repeat count of the next byte. */
struct run_reader {
    const uint8_t *at, *end;
    uint32_t left;
    uint8_t value;
    bool is_short;
};

static uint8_t next_byte(struct run_reader *reader)
{
    while (reader->left == 0) {
        if (reader->at == reader->end) {
            reader->is_short = true;
            return 0;
        }
        reader->value = *reader->at++;
        reader->left = 1;
        if (reader->value < RUN_MARK)
            break;
        reader->left = reader->value & 0x3f;
        reader->is_short |= reader->at == reader->end;
        reader->value = reader->at == reader->end ? 0 : *reader->at++;
    }
    reader->left--;
    return reader->value;
}

int image_decode_pcx(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err)
{
    if (size_bytes < HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the file ends in its header");
    const uint32_t bits = bytes[3], planes = bytes[65], row_bytes = get_u16(bytes + 66);
    image->width = (uint32_t)get_u16(bytes + 8) - get_u16(bytes + 4) + 1;
    image->height = (uint32_t)get_u16(bytes + 10) - get_u16(bytes + 6) + 1;
    if (bits != 8 || (planes != 1 && planes != 3))
        return err_set(err, ERR_BAD_MODEL, "pictures of %u planes of %u bits are not read", planes, bits);
    const bool has_palette = planes == 1;
    const uint8_t *palette = bytes + size_bytes - PALETTE_BYTES + 1;
    if (has_palette && (size_bytes < HEADER_BYTES + PALETTE_BYTES || palette[-1] != PALETTE_MARK))
        return err_set(err, ERR_BAD_MODEL, "it has no palette of 256 colours");
    if (image_check(image, limits, err) < 0)
        return err->code;
    if (row_bytes < image->width)
        return err_set(err, ERR_BAD_MODEL, "rows of %u bytes cannot hold %u pixels", row_bytes, image->width);
    if (image_alloc(image, limits, err) < 0)
        return err->code;
    struct run_reader reader = {.at = bytes + HEADER_BYTES,
                                .end = bytes + size_bytes - (has_palette ? PALETTE_BYTES : 0)};
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t p = 0; p < planes; p++)
            for (uint32_t x = 0; x < row_bytes; x++) {
                const uint8_t value = next_byte(&reader);
                uint8_t *pixel = image->rgba + 4 * ((size_t)y * image->width + x);
                if (x >= image->width)
                    continue;
                if (has_palette)
                    memcpy(pixel, palette + 3 * value, 3);
                else
                    pixel[p] = value;
                pixel[3] = 255;
            }
    image->is_damaged = reader.is_short;
    return 0;
}
