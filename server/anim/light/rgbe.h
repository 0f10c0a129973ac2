/* rgbe.h - light in four bytes: three mantissas and a shared exponent (Ward 1991, Real Pixels). Linear RGB from 0 to
 * RGBE_MOST. Any bytes give finite values. Pure; any thread. */
#pragma once

#include <math.h>
#include <stdint.h>

/* The largest half float, so that results fit a map of half floats. Brighter light counts as this. */
#define RGBE_MOST 65504.0f

/* A mantissa m and an exponent e mean m * 2^(e - 136). With exponent 0 all is black. */
static inline void rgbe_to_linear(const uint8_t rgbe[4], float rgb[3])
{
    const float scale = rgbe[3] == 0 ? 0 : ldexpf(1, rgbe[3] - 136);
    for (int c = 0; c < 3; c++)
        rgb[c] = fminf((float)rgbe[c] * scale, RGBE_MOST);
}

/* Finds the nearest value; negative numbers and NaN become 0. */
static inline void rgbe_from_linear(const float rgb[3], uint8_t rgbe[4])
{
    float clean[3], peak = 0;
    for (int c = 0; c < 3; c++) {
        clean[c] = rgb[c] > 0 ? fminf(rgb[c], RGBE_MOST) : 0; /* false for NaN */
        peak = fmaxf(peak, clean[c]);
    }
    int exponent = 0;
    frexpf(peak, &exponent); /* peak < 2^exponent */
    if (peak == 0 || exponent <= -128) {
        rgbe[0] = rgbe[1] = rgbe[2] = rgbe[3] = 0;
        return;
    }
    if (ldexpf(peak, 8 - exponent) >= 255.5f)
        exponent++;
    for (int c = 0; c < 3; c++)
        rgbe[c] = (uint8_t)(ldexpf(clean[c], 8 - exponent) + 0.5f);
    rgbe[3] = (uint8_t)(exponent + 128);
}
