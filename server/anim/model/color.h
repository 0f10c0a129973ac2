/* color.h - colours as integers of 8 and 16 bits a channel, and the sRGB curve. Pure; any thread. */
#pragma once

#include "anim/model/model_types.h"

#include <math.h>

#define RGBA16_WHITE ((struct rgba16){UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX})

/* Converts sRGB in 0..1 to linear light (IEC 61966-2-1). Values outside are clamped, and NaN becomes 0. */
static inline float linear_from_srgb(float srgb)
{
    if (!(srgb > 0))
        return 0;
    if (srgb >= 1)
        return 1;
    return srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
}

/* The inverse, for numbers in 0..1. */
static inline float srgb_from_linear(float linear)
{
    return linear <= 0.0031308f ? linear * 12.92f : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
}

/* Map 0 to 1 to all integers. Values outside are clamped, and NaN becomes 0. */
static inline uint8_t unorm8_of(double value)
{
    return value >= 1 ? UINT8_MAX : value > 0 ? (uint8_t)(value * UINT8_MAX + 0.5) : 0;
}
static inline uint16_t unorm16_of(double value)
{
    return value >= 1 ? UINT16_MAX : value > 0 ? (uint16_t)(value * UINT16_MAX + 0.5) : 0;
}

/* The nearest byte. */
static inline uint8_t unorm8_from_16(uint16_t value) { return (uint8_t)((value + 128u) / 257u); }

static inline struct rgba16 rgba16_of(double red, double green, double blue, double alpha)
{
    return (struct rgba16){unorm16_of(red), unorm16_of(green), unorm16_of(blue), unorm16_of(alpha)};
}

static inline struct rgba8 rgba8_from_16(struct rgba16 c)
{
    return (struct rgba8){unorm8_from_16(c.r), unorm8_from_16(c.g), unorm8_from_16(c.b), unorm8_from_16(c.a)};
}
