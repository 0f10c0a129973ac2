/* png_chunk.h - writes the chunks of a PNG file (ISO/IEC 15948) around data that the caller compresses. Pure; any
 * thread. */
#pragma once

#include "base/buf.h"

/* Computes a CRC-32 with the library that the caller has. */
typedef uint32_t png_crc(const void *bytes, size_t size_bytes);

/* Append big-endian numbers. */
static inline void png_put_u16(struct buf *out, uint16_t value)
{
    const uint16_t big = htobe16(value);
    buf_put(out, &big, sizeof big);
}

static inline void png_put_u32(struct buf *out, uint32_t value)
{
    const uint32_t big = htobe32(value);
    buf_put(out, &big, sizeof big);
}

/* Appends a length of 0 for now, and the type of four letters. Returns the offset of the chunk. */
size_t png_start_chunk(struct buf *out, const char *type);
/* Sets the length of the chunk at offset `at`, and appends the CRC of its type and data. */
void png_end_chunk(struct buf *out, size_t at, png_crc *crc);

/* Appends the signature and an IHDR chunk: 8 bits a channel, not interlaced. */
void png_start_file(struct buf *out, uint32_t width, uint32_t height, bool has_alpha, png_crc *crc);
