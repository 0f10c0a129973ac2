/* bytes.h - reads little-endian numbers from memory at any alignment. Pure; any thread. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint16_t get_u16(const void *p)
{
    const unsigned char *b = p;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t get_u32(const void *p)
{
    const unsigned char *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t get_u64(const void *p)
{
    return (uint64_t)get_u32(p) | (uint64_t)get_u32((const unsigned char *)p + 4) << 32;
}

static inline float get_f32(const void *p)
{
    const uint32_t bits = get_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double get_f64(const void *p)
{
    const uint64_t bits = get_u64(p);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
