#include "import/source/zip_place.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum { END_BYTES = 22, COMMENT_BYTES_MAX = 65535, ENTRY_BYTES = 46, LOCAL_BYTES = 30 };
enum { METHOD_STORED = 0, METHOD_DEFLATED = 8, FLAG_ENCRYPTED = 1 };
enum { TRIES_MAX = 4 }; /* entries with the wanted size and CRC that have other bytes: only a hostile zip has any */

static uint32_t u16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }

/* The record at the zip's end, before a comment, or NULL. */
static const uint8_t *find_end(const uint8_t *zip, size_t zip_bytes)
{
    for (size_t back = END_BYTES; back <= zip_bytes && back <= END_BYTES + COMMENT_BYTES_MAX; back++)
        if (memcmp(zip + zip_bytes - back, "PK\5\6", 4) == 0)
            return zip + zip_bytes - back;
    return NULL;
}

static bool inflates_to(const uint8_t *stored, size_t stored_bytes, const uint8_t *bytes, size_t size_bytes)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    uint8_t *out = malloc(size_bytes);
    const bool is_same =
        inflater != NULL && out != NULL &&
        libdeflate_deflate_decompress(inflater, stored, stored_bytes, out, size_bytes, NULL) == LIBDEFLATE_SUCCESS &&
        memcmp(out, bytes, size_bytes) == 0;
    free(out);
    libdeflate_free_decompressor(inflater);
    return is_same;
}

/* Whether the entry stores the bytes. */
static bool has_bytes(const uint8_t *zip, size_t zip_bytes, const uint8_t *entry, const uint8_t *bytes,
                      size_t size_bytes, struct picture_place *out)
{
    const uint32_t method = u16(entry + 10), stored_bytes = u32(entry + 20), local = u32(entry + 42);
    if (local > zip_bytes || zip_bytes - local < LOCAL_BYTES || memcmp(zip + local, "PK\3\4", 4) != 0)
        return false;
    const size_t offset = (size_t)local + LOCAL_BYTES + u16(zip + local + 26) + u16(zip + local + 28);
    if (offset > zip_bytes || stored_bytes > zip_bytes - offset)
        return false;
    const uint8_t *stored = zip + offset;
    const bool is_stored =
        method == METHOD_STORED && stored_bytes == size_bytes && memcmp(stored, bytes, size_bytes) == 0;
    if (!is_stored && (method != METHOD_DEFLATED || !inflates_to(stored, stored_bytes, bytes, size_bytes)))
        return false;
    out->offset = offset;
    out->size_bytes = stored_bytes;
    out->encoding = is_stored ? TEXTURE_AS_IT_IS : TEXTURE_DEFLATED;
    return true;
}

bool zip_place_find(const uint8_t *zip, size_t zip_bytes, const uint8_t *bytes, size_t size_bytes,
                    struct picture_place *out)
{
    const uint8_t *end = zip_bytes > 4 && memcmp(zip, "PK", 2) == 0 ? find_end(zip, zip_bytes) : NULL;
    if (end == NULL || size_bytes == 0 || size_bytes > UINT32_MAX)
        return false;
    const uint32_t crc = libdeflate_crc32(0, bytes, size_bytes);
    uint32_t left = u16(end + 10);
    int tries = 0;
    for (size_t at = u32(end + 16); left > 0 && tries < TRIES_MAX; left--) {
        if (at > zip_bytes || zip_bytes - at < ENTRY_BYTES || memcmp(zip + at, "PK\1\2", 4) != 0)
            return false;
        const uint8_t *entry = zip + at;
        if ((u16(entry + 8) & FLAG_ENCRYPTED) == 0 && u32(entry + 16) == crc && u32(entry + 24) == size_bytes) {
            if (has_bytes(zip, zip_bytes, entry, bytes, size_bytes, out))
                return true;
            tries++;
        }
        at += ENTRY_BYTES + u16(entry + 28) + u16(entry + 30) + u16(entry + 32);
    }
    return false;
}
