#include "daemon/renderer/exr_validate.h"

#include "base/bytes.h"
#include "base/picture/pass.h"

#include <string.h>

enum { FILE_HEAD_BYTES = 8, CHANNEL_BYTES = 16, CHUNK_HEAD_BYTES = 8, CHUNK_ROWS = 16, ZIP_COMPRESSION = 3 };

struct exr {
    const uint8_t *bytes;
    size_t size_bytes;
    uint32_t width, height, passes;
};

/* Returns the length of the text at `at` with its NUL, or 0. */
static size_t text_bytes(const struct exr *exr, size_t at, size_t end)
{
    const uint8_t *nul = at < end ? memchr(exr->bytes + at, '\0', end - at) : NULL;
    return nul == NULL ? 0 : (size_t)(nul - exr->bytes) - at + 1;
}

static bool is_channel_of(uint32_t passes, const char *name, uint32_t type)
{
    char expected[PASS_CHANNEL_SIZE];
    for (int p = 0; p < PASS_COUNT; p++)
        for (uint32_t c = 0; pass_has(passes, (enum pass)p) && c < PASS_INFO[p].components; c++)
            if (strcmp(pass_channel((enum pass)p, c, expected), name) == 0)
                return type == (PASS_INFO[p].type == PASS_I32 ? 0 : 2);
    return false;
}

/* Names are sorted, so each is there once. */
static bool are_channels(const struct exr *exr, size_t at, size_t end)
{
    const char *last = "";
    uint32_t count = 0, expected = 0;
    for (int p = 0; p < PASS_COUNT; p++)
        expected += pass_has(exr->passes, (enum pass)p) ? PASS_INFO[p].components : 0;
    for (; end - at > 1; count++) {
        const char *name = (const char *)exr->bytes + at;
        const size_t name_bytes = text_bytes(exr, at, end);
        if (name_bytes == 0 || end - at - name_bytes < CHANNEL_BYTES || strcmp(last, name) >= 0 ||
            !is_channel_of(exr->passes, name, get_u32(exr->bytes + at + name_bytes)))
            return false;
        at += name_bytes + CHANNEL_BYTES;
        last = name;
    }
    return count == expected && end - at == 1 && exr->bytes[at] == '\0';
}

static bool is_window(const struct exr *exr, const uint8_t *value, uint32_t size_bytes)
{
    return size_bytes == 16 && get_u32(value) == 0 && get_u32(value + 4) == 0 && get_u32(value + 8) == exr->width - 1 &&
           get_u32(value + 12) == exr->height - 1;
}

/* Returns the place behind the attributes, or 0. */
static size_t check_attributes(const struct exr *exr)
{
    size_t at = FILE_HEAD_BYTES;
    uint32_t found = 0; /* channels, window, compression */
    while (at < exr->size_bytes && exr->bytes[at] != '\0') {
        const char *name = (const char *)exr->bytes + at;
        const size_t name_bytes = text_bytes(exr, at, exr->size_bytes);
        const size_t type_bytes = name_bytes == 0 ? 0 : text_bytes(exr, at + name_bytes, exr->size_bytes);
        const size_t head_bytes = name_bytes + type_bytes + 4;
        if (type_bytes == 0 || exr->size_bytes - at < head_bytes)
            return 0;
        const uint32_t value_bytes = get_u32(exr->bytes + at + head_bytes - 4);
        at += head_bytes;
        if (value_bytes > exr->size_bytes - at)
            return 0;
        const uint8_t *value = exr->bytes + at;
        if (strcmp(name, "channels") == 0 && are_channels(exr, at, at + value_bytes))
            found |= 1;
        if (strcmp(name, "dataWindow") == 0 && is_window(exr, value, value_bytes))
            found |= 2;
        if (strcmp(name, "compression") == 0 && value_bytes == 1 && *value == ZIP_COMPRESSION)
            found |= 4;
        at += value_bytes;
    }
    return at < exr->size_bytes && found == 7 ? at + 1 : 0;
}

bool exr_is_valid(const void *bytes, size_t size_bytes, uint32_t width, uint32_t height, uint32_t passes)
{
    const struct exr exr = {bytes, size_bytes, width, height, passes};
    if (size_bytes < FILE_HEAD_BYTES || memcmp(bytes, "\x76\x2f\x31\x01\2\0\0\0", FILE_HEAD_BYTES) != 0)
        return false;
    const size_t table = check_attributes(&exr), chunk_count = (height + CHUNK_ROWS - 1) / CHUNK_ROWS;
    if (table == 0 || (size_bytes - table) / 8 < chunk_count)
        return false;
    size_t at = table + 8 * chunk_count;
    for (size_t i = 0; i < chunk_count; i++) {
        if (get_u64(exr.bytes + table + 8 * i) != at || size_bytes - at < CHUNK_HEAD_BYTES ||
            get_u32(exr.bytes + at) != CHUNK_ROWS * i)
            return false;
        const uint32_t data_bytes = get_u32(exr.bytes + at + 4);
        at += CHUNK_HEAD_BYTES;
        if (data_bytes > size_bytes - at)
            return false;
        at += data_bytes;
    }
    return at == size_bytes;
}
