#include "import/texture/material_values.h"

#include <math.h>

float linear_from_srgb(float srgb)
{
    if (!(srgb > 0))
        return 0;
    if (srgb >= 1)
        return 1;
    return srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
}

float roughness_from_exponent(float n) { return sqrtf(sqrtf(2 / (n + 2))); }
