/* hex.h - writes bytes and numbers as lower-case hexadecimal digits, and reads digits of both cases. Pure; any thread.
 */
#pragma once

#include "base/ascii.h"

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Writes two digits a byte, without a NUL. */
static inline void hex_put(char *out, const uint8_t *bytes, size_t count)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = DIGITS[bytes[i] >> 4];
        out[2 * i + 1] = DIGITS[bytes[i] & 15];
    }
}

/* Returns the eight digits of a number as text, the first in the highest byte. It computes all of them in parallel. */
static inline uint64_t hex_spell_eight(uint32_t number)
{
    uint64_t digits = (number | (uint64_t)number << 16) & 0x0000ffff0000ffff;
    digits = (digits | digits << 8) & 0x00ff00ff00ff00ff;
    digits = (digits | digits << 4) & 0x0f0f0f0f0f0f0f0f;
    const uint64_t letters = (digits + 0x0606060606060606) >> 4 & 0x0101010101010101;
    return digits + 0x3030303030303030 + letters * ('a' - '0' - 10);
}

/* Writes the lowest `digits` digits, a multiple of 8, without a NUL. */
static inline void hex_put_number(char *out, uint64_t number, size_t digits)
{
    for (; digits >= 8; digits -= 8, number >>= 32) {
        const uint64_t text = htobe64(hex_spell_eight((uint32_t)number));
        memcpy(out + digits - 8, &text, 8);
    }
}

/* Returns 0 to 15, or -1 when `c` is not a digit. */
static inline int hex_value(char c)
{
    const char lower = ascii_lower(c);
    return ascii_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
