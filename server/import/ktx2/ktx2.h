/* ktx2.h - decodes the pictures of KTX 2.0 files to RGBA8: Basis Universal (ETC1S and UASTC) and uncompressed texels of
 * 8 bits a channel. No files, no globals; one thread.
 *
 * Only the largest mip level is decoded. The bytes are untrusted: ktx2_open() checks every offset and length of the
 * file, and its caller checks the size of the picture before it allocates the pixels.
 *
 * Source: the KTX File Format Specification 2.0 with its appendices on BasisLZ, the Khronos Data Format Specification
 * 1.3 (KDFS). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ktx2_texels { KTX2_ETC1S, KTX2_UASTC, KTX2_PLAIN };
enum ktx2_packing { KTX2_UNPACKED = 0, KTX2_BASIS_LZ = 1, KTX2_ZSTD = 2, KTX2_ZLIB = 3 };

struct ktx2_span {
    const uint8_t *bytes;
    size_t size_bytes;
};

struct ktx2 {
    uint32_t width, height;
    enum ktx2_texels texels;
    enum ktx2_packing packing;
    uint32_t channels;         /* KTX2_PLAIN: 1 to 4 */
    bool is_blue_first;        /* KTX2_PLAIN */
    uint32_t samples;          /* KTX2_ETC1S: 1, or 2 with alpha */
    uint32_t level_count;      /* at least 1 */
    const uint8_t *file;       /* faults are named by their byte in it */
    struct ktx2_span level;    /* the largest */
    struct ktx2_span global;   /* KTX2_ETC1S: supercompression global data */
    uint64_t level_size_bytes; /* of the largest level without ZSTD or ZLIB, as the level index has it */
};

/* Fills *out, which points into the bytes. Returns 0 or ERR_BAD_MODEL. Width and height are set as soon as they are
 * known. */
int ktx2_open(const uint8_t *bytes, size_t size_bytes, struct ktx2 *out, struct err *err);

/* Decodes to width * height texels of RGBA, rows top first. Returns 0, ERR_BAD_MODEL or ERR_IMPORT_MEMORY. */
int ktx2_decode(const struct ktx2 *ktx2, uint8_t *rgba, struct err *err);

/* Puts a block of 4x4 texels at the block position into the picture. Cuts what is outside. */
void ktx2_put_block(const struct ktx2 *ktx2, uint32_t block_x, uint32_t block_y, const uint8_t texels[64],
                    uint8_t *rgba);
