#include "base/base64.h"

int base64_digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t base64_decode_pieces(struct base64_bits *bits, const uint8_t *text, size_t text_bytes, uint8_t *out)
{
    size_t size_bytes = 0;
    for (size_t i = 0; i < text_bytes; i++) {
        const int six = base64_digit(text[i]);
        if (text[i] == '=')
            bits->count = 0;
        if (six < 0)
            continue;
        bits->bits = bits->bits << 6 | (uint32_t)six;
        bits->count += 6;
        if (bits->count >= 8) {
            bits->count -= 8;
            out[size_bytes++] = (uint8_t)(bits->bits >> bits->count);
        }
    }
    return size_bytes;
}
