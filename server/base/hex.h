/* hex.h - writes bytes and numbers as lower-case hexadecimal digits, and reads digits of both cases. Pure; any thread.
 */
#pragma once

#include "base/ascii.h"

#include <stddef.h>
#include <stdint.h>

/* Writes two digits a byte, without a NUL. */
static inline void hex_put(char *out, const uint8_t *bytes, size_t count)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = DIGITS[bytes[i] >> 4];
        out[2 * i + 1] = DIGITS[bytes[i] & 15];
    }
}

/* Writes the lowest `digits` digits, without a NUL. */
static inline void hex_put_number(char *out, uint64_t number, size_t digits)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = digits; i-- > 0; number >>= 4)
        out[i] = DIGITS[number & 15];
}

/* Returns 0 to 15, or -1 when `c` is not a digit. */
static inline int hex_value(char c)
{
    const char lower = ascii_lower(c);
    return ascii_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
