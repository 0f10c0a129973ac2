#include "import/texture/material_values.h"

#include <math.h>

float roughness_from_exponent(float n) { return sqrtf(sqrtf(2 / (n + 2))); }

bool is_black(const float color[3]) { return !(color[0] > 0) && !(color[1] > 0) && !(color[2] > 0); }

float classic_roughness(const float specular[3], float exponent)
{
    return !is_black(specular) && exponent > 0 && isfinite(exponent) ? roughness_from_exponent(exponent) : 1;
}

void material_set_color(struct material *to, const float color[3])
{
    for (int i = 0; i < 3; i++)
        to->base_color[i] = to->textures[TEXTURE_BASE_COLOR].texture >= 0 ? 1 : linear_from_srgb(color[i]);
}

void material_set_opacity(struct material *to, float opacity)
{
    to->base_color[3] = opacity;
    to->alpha_mode = opacity < 0.999f ? ALPHA_BLEND : ALPHA_OPAQUE;
}

void material_set_emission(struct material *to, const float color[3], float intensity)
{
    const bool is_white = to->textures[TEXTURE_EMISSIVE].texture >= 0 && is_black(color);
    if ((is_black(color) && !is_white) || !(intensity > 0) || (to->flags & MATERIAL_UNLIT) != 0) {
        to->textures[TEXTURE_EMISSIVE] = MATERIAL_PLAIN.textures[TEXTURE_EMISSIVE];
        return;
    }
    for (int i = 0; i < 3; i++)
        to->emissive[i] = (is_white ? 1 : linear_from_srgb(color[i])) * fminf(intensity, EMISSION_MAX);
}
