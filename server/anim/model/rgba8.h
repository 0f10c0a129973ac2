/* rgba8.h - colours of eight bits a channel. Pure; any thread. */
#pragma once

#include "anim/model/model_types.h"

/* Maps 0 to 1 to 0 to 255. Values outside are clamped, and NaN becomes 0. */
static inline uint8_t unorm8_of(double value)
{
    return value >= 1 ? 255 : value > 0 ? (uint8_t)(value * 255 + 0.5) : 0;
}

static inline struct rgba8 rgba8_of(double red, double green, double blue, double alpha)
{
    return (struct rgba8){unorm8_of(red), unorm8_of(green), unorm8_of(blue), unorm8_of(alpha)};
}
