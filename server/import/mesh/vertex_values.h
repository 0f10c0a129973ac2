/* vertex_values.h - numbers of files as the attributes of vertices. Pure; any thread. */
#pragma once

#include "anim/model/mat.h"

#include <math.h>

/* Of attributes that affect appearance only. */
static inline float finite_or_zero(double value) { return isfinite((float)value) ? (float)value : 0; }

/* A vector of length 1; false: the three numbers give no direction. */
static inline bool unit_direction(const double from[3], double out[3])
{
    if (!isfinite(from[0]) || !isfinite(from[1]) || !isfinite(from[2]))
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = from[i];
    const double length = unit3(out);
    return length > 1e-12 && isfinite(length);
}
