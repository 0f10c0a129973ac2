/* base64.h - decodes base64 (RFC 4648) that has other characters in between, such as the pieces of a text FBX. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What the characters so far have left over. Zero at the beginning. */
struct base64_bits {
    uint32_t bits;
    unsigned count; /* below 8 */
};

/* The value of a character, or -1 for one that base64 has not; padding has none. */
int base64_digit(uint8_t c);

/* Decodes into `out`, which has at least 3 bytes for 4 characters, rounded up, and may be `text` itself. It skips all
 * characters that base64 has not. Padding ends a piece, so pieces that were encoded separately are joined correctly.
 * Returns the number of bytes. */
size_t base64_decode_pieces(struct base64_bits *bits, const uint8_t *text, size_t text_bytes, uint8_t *out);
