/* hex.h - bytes and numbers as lower-case hexadecimal digits. Pure; any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Two digits a byte, without a NUL. */
static inline void hex_put(char *out, const uint8_t *bytes, size_t count)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = DIGITS[bytes[i] >> 4];
        out[2 * i + 1] = DIGITS[bytes[i] & 15];
    }
}

/* The lowest `digits` digits, without a NUL. */
static inline void hex_put_number(char *out, uint64_t number, size_t digits)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = digits; i-- > 0; number >>= 4)
        out[i] = DIGITS[number & 15];
}
