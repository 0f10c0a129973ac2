/* rgbe.h - light in four bytes: three mantissas and the exponent that they share (Ward 1991, Real Pixels). Linear RGB
 * from 0 to RGBE_MOST; whatever the bytes are, what comes out is finite. Pure; any thread. */
#pragma once

#include <math.h>
#include <stdint.h>

/* The largest number of 16 bits: what comes of light fits a map of half floats. Brighter light counts as this. */
#define RGBE_MOST 65504.0f

/* A mantissa m and an exponent e are m * 2^(e - 136); all is black where the exponent is 0. */
static inline void rgbe_to_linear(const uint8_t rgbe[4], float rgb[3])
{
    const float scale = rgbe[3] == 0 ? 0 : ldexpf(1, rgbe[3] - 136);
    for (int c = 0; c < 3; c++)
        rgb[c] = fminf((float)rgbe[c] * scale, RGBE_MOST);
}

/* The nearest that there is; what is not above 0 becomes 0. */
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
