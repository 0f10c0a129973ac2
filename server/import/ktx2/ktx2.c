/* ktx2.c - a level of a picture: unpacked, and decoded texel by texel or block by block. */
#include "import/ktx2/ktx2.h"

#include "import/ktx2/etc1s.h"
#include "import/ktx2/uastc.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

void ktx2_put_block(const struct ktx2 *ktx2, uint32_t block_x, uint32_t block_y, const uint8_t texels[64],
                    uint8_t *rgba)
{
    const uint32_t x = 4 * block_x, y = 4 * block_y;
    const uint32_t columns = ktx2->width - x < 4 ? ktx2->width - x : 4;
    for (uint32_t row = 0; row < 4 && y + row < ktx2->height; row++)
        memcpy(rgba + 4 * ((size_t)(y + row) * ktx2->width + x), texels + (size_t)16 * row, (size_t)4 * columns);
}

/* `level` is unpacked, and has a byte in the file only if it was not packed. */
static int decode_uastc(const struct ktx2 *ktx2, const uint8_t *level, uint8_t *rgba, struct err *err)
{
    const uint32_t columns = (ktx2->width + 3) / 4, rows = (ktx2->height + 3) / 4;
    const uint8_t *block = level;
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < columns; x++, block += UASTC_BLOCK_BYTES) {
            uint8_t texels[64];
            if (!uastc_decode(block, texels)) {
                const bool is_packed = ktx2->packing != KTX2_UNPACKED;
                return err_set(err, ERR_BAD_MODEL, "level 0, byte %zu%s: the block at %u, %u has no mode of UASTC",
                               (size_t)(block - (is_packed ? level : ktx2->file)),
                               is_packed ? " of what is unpacked" : "", x, y);
            }
            ktx2_put_block(ktx2, x, y, texels, rgba);
        }
    }
    return 0;
}

/* Missing channels are 0, and missing alpha is opaque. */
static void decode_plain(const struct ktx2 *ktx2, const uint8_t *level, uint8_t *rgba)
{
    const size_t count = (size_t)ktx2->width * ktx2->height;
    for (size_t i = 0; i < count; i++, rgba += 4, level += ktx2->channels) {
        rgba[0] = rgba[1] = rgba[2] = 0;
        rgba[3] = 255;
        memcpy(rgba, level, ktx2->channels);
        if (ktx2->is_blue_first) {
            rgba[0] = level[2];
            rgba[2] = level[0];
        }
    }
}

static uint64_t unpacked_bytes(const struct ktx2 *ktx2)
{
    if (ktx2->texels == KTX2_PLAIN)
        return (uint64_t)ktx2->width * ktx2->height * ktx2->channels;
    return (uint64_t)((ktx2->width + 3) / 4) * ((ktx2->height + 3) / 4) * UASTC_BLOCK_BYTES;
}

/* Unpacks to exactly `size_bytes`. */
static int unpack(const struct ktx2 *ktx2, uint8_t *out, size_t size_bytes, struct err *err)
{
    const size_t at = (size_t)(ktx2->level.bytes - ktx2->file);
    size_t got = 0;
    const char *why = NULL;
    if (ktx2->packing == KTX2_ZSTD) {
        got = ZSTD_decompress(out, size_bytes, ktx2->level.bytes, ktx2->level.size_bytes);
        why = ZSTD_isError(got) ? ZSTD_getErrorName(got) : NULL;
    } else {
        uLongf size = size_bytes;
        const int rc = uncompress(out, &size, ktx2->level.bytes, ktx2->level.size_bytes);
        why = rc != Z_OK ? zError(rc) : NULL;
        got = size;
    }
    if (why != NULL)
        return err_set(err, ERR_BAD_MODEL, "level 0, byte %zu: %s does not unpack it: %s", at,
                       ktx2->packing == KTX2_ZSTD ? "zstd" : "zlib", why);
    if (got != size_bytes)
        return err_set(err, ERR_BAD_MODEL, "level 0, byte %zu: %zu bytes are packed, the picture needs %zu", at, got,
                       size_bytes);
    return 0;
}

int ktx2_decode(const struct ktx2 *ktx2, uint8_t *rgba, struct err *err)
{
    if (ktx2->texels == KTX2_ETC1S)
        return etc1s_decode(ktx2, rgba, err);
    const uint64_t size_bytes = unpacked_bytes(ktx2);
    const bool is_packed = ktx2->packing != KTX2_UNPACKED;
    if ((is_packed ? ktx2->level_size_bytes : ktx2->level.size_bytes) != size_bytes)
        return err_set(err, ERR_BAD_MODEL, "level 0, byte %zu: a picture of %u x %u needs %llu bytes, and not %llu",
                       (size_t)(ktx2->level.bytes - ktx2->file), ktx2->width, ktx2->height,
                       (unsigned long long)size_bytes,
                       (unsigned long long)(is_packed ? ktx2->level_size_bytes : ktx2->level.size_bytes));
    uint8_t *unpacked = is_packed ? malloc(size_bytes) : NULL;
    if (is_packed && unpacked == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for %u x %u pixels", ktx2->width, ktx2->height);
    int rc = is_packed ? unpack(ktx2, unpacked, size_bytes, err) : 0;
    const uint8_t *level = is_packed ? unpacked : ktx2->level.bytes;
    if (rc == 0 && ktx2->texels == KTX2_UASTC)
        rc = decode_uastc(ktx2, level, rgba, err);
    else if (rc == 0)
        decode_plain(ktx2, level, rgba);
    free(unpacked);
    return rc;
}
