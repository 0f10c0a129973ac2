/* vertex_values.h - converts numbers in files to vertex attributes. Pure; any thread. */
#pragma once

#include "anim/model/color.h"
#include "anim/model/mat.h"

#include <math.h>

/* For attributes that only affect appearance. */
static inline float finite_or_zero(double value) { return isfinite((float)value) ? (float)value : 0; }

/* Converts a colour of a vertex as most formats have it, in sRGB, to the model's. Numbers of 0 to 1; others are
 * clamped. Alpha is no light, and stays. */
static inline struct rgba16 vertex_color_from_srgb(double red, double green, double blue, double alpha)
{
    return rgba16_of((double)linear_from_srgb((float)red), (double)linear_from_srgb((float)green),
                     (double)linear_from_srgb((float)blue), alpha);
}

/* Whether a vector of this length gives a direction: its numbers are finite and it is not 0. */
static inline bool length_has_direction(double length) { return length > 1e-12 && isfinite(length); }

static inline bool has_direction3(const double from[3]) { return length_has_direction(sqrt(dot3(from, from))); }

/* Normalizes a vector. Returns false if the three numbers give no direction. */
static inline bool unit_direction(const double from[3], double out[3])
{
    const double length = sqrt(dot3(from, from));
    if (!length_has_direction(length))
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = from[i] / length;
    return true;
}
