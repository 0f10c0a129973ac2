/* text_utf8.c - the three byte order marks, and UTF-16 to UTF-8. */
#include "import/text/text_utf8.h"

#include "base/mem.h"

#include <string.h>

enum { REPLACEMENT = 0xfffd };

static uint32_t unit_at(const uint8_t *bytes, bool is_big)
{
    return is_big ? (uint32_t)(bytes[0] << 8 | bytes[1]) : (uint32_t)(bytes[1] << 8 | bytes[0]);
}

static size_t put_utf8(uint8_t *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t LEAD[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (uint8_t)(LEAD[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (uint8_t)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Two bytes become three at most; a pair of surrogates, four. An odd last byte is dropped. */
static size_t from_utf16(const uint8_t *bytes, size_t size_bytes, bool is_big, uint8_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i + 2 <= size_bytes; i += 2) {
        uint32_t c = unit_at(bytes + i, is_big);
        if (c >= 0xd800 && c < 0xdc00 && i + 4 <= size_bytes) {
            const uint32_t low = unit_at(bytes + i + 2, is_big);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        count += put_utf8(out + count, c >= 0xd800 && c < 0xe000 ? REPLACEMENT : c);
    }
    return count;
}

bool text_to_utf8(const uint8_t *bytes, size_t given_bytes, uint8_t **text, size_t *size_bytes)
{
    const bool is_little = given_bytes >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe;
    const bool is_big = given_bytes >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff;
    const bool is_utf8 = given_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    if (!is_little && !is_big && !is_utf8)
        return false;
    const size_t mark = is_utf8 ? 3 : 2;
    uint8_t *out = mem_alloc((given_bytes - mark) / 2 * 3 + given_bytes + 1);
    *size_bytes = given_bytes - mark;
    if (is_utf8)
        memcpy(out, bytes + mark, *size_bytes);
    else
        *size_bytes = from_utf16(bytes + mark, given_bytes - mark, is_big, out);
    out[*size_bytes] = 0;
    *text = out;
    return true;
}
