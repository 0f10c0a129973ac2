/* utf8.c - decoding and cutting UTF-8. */
#include "base/utf8.h"

size_t utf8_sequence(const char *text, size_t size_bytes)
{
    const unsigned char *b = (const unsigned char *)text;
    if (size_bytes == 0)
        return 0;
    if (b[0] < 0x80)
        return 1;
    size_t length;
    unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte: Unicode 15, table 3-7 */
    if (b[0] >= 0xc2 && b[0] <= 0xdf) {
        length = 2;
    } else if (b[0] >= 0xe0 && b[0] <= 0xef) {
        length = 3;
        if (b[0] == 0xe0)
            low = 0xa0;
        if (b[0] == 0xed)
            high = 0x9f;
    } else if (b[0] >= 0xf0 && b[0] <= 0xf4) {
        length = 4;
        if (b[0] == 0xf0)
            low = 0x90;
        if (b[0] == 0xf4)
            high = 0x8f;
    } else {
        return 0;
    }
    if (size_bytes < length || b[1] < low || b[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (b[i] < 0x80 || b[i] > 0xbf)
            return 0;
    return length;
}

bool utf8_is_obeyed(const char *sequence, size_t sequence_bytes, unsigned *code)
{
    const unsigned char *b = (const unsigned char *)sequence;
    if (sequence_bytes > 3)
        return false;
    *code = sequence_bytes == 1   ? b[0]
            : sequence_bytes == 2 ? (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu)
                                  : (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
    return *code < 0x20 || (*code >= 0x7f && *code < 0xa0) || (*code >= 0x202a && *code <= 0x202e) ||
           (*code >= 0x2066 && *code <= 0x2069);
}

bool utf8_is_valid(const char *text, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes;) {
        const size_t length = utf8_sequence(text + i, size_bytes - i);
        if (length == 0)
            return false;
        i += length;
    }
    return true;
}

void utf8_repair(char *text, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes;) {
        const size_t length = utf8_sequence(text + i, size_bytes - i);
        if (length == 0)
            text[i] = '?';
        i += length == 0 ? 1 : length;
    }
}

size_t utf8_cut(const char *text, size_t size_bytes, size_t limit_bytes)
{
    if (size_bytes < limit_bytes)
        return size_bytes;
    size_t end = 0;
    while (end < limit_bytes) {
        const size_t length = utf8_sequence(text + end, size_bytes - end);
        const size_t step = length == 0 ? 1 : length;
        if (end + step > limit_bytes)
            break;
        end += step;
    }
    return end;
}

size_t utf8_whole(const char *text, size_t size_bytes)
{
    enum { CONTINUATIONS_MAX = 3 };
    for (size_t back = 1; back <= CONTINUATIONS_MAX && back <= size_bytes; back++) {
        const unsigned char byte = (unsigned char)text[size_bytes - back];
        if ((byte & 0xc0) == 0x80)
            continue;
        return byte >= 0xc0 && utf8_sequence(text + size_bytes - back, back) == 0 ? size_bytes - back : size_bytes;
    }
    return size_bytes;
}
