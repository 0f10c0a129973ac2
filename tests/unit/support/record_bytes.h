/* record_bytes.h - puts little-endian fields of binary requests for tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void put(char *at, uint64_t value, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        at[i] = (char)(value >> 8 * i);
}

static inline void put_f64(char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(at, bits, sizeof bits);
}
