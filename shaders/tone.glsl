// From light to a colour of the picture.

#ifdef IRRADIANCE
const float exposure = 1.0;
const int tone = 0;
#else
uniform float exposure; // what light is multiplied by
uniform int tone;       // enum picture_tone, as the C code numbers them
#endif

// Khronos PBR Neutral (Khronos Group 2024, github.com/KhronosGroup/ToneMapping): colours of materials in even white light
// come out as they are, and what is brighter approaches white by its brightest channel, so that hues stay. There the
// surface's own reflection of that light, which lies over its colour like a veil, is taken to be 0.04; here it is the
// material's: rough surfaces reflect less than that, metals nothing beside their colour.
vec3 neutral(vec3 c, float veil)
{
    const float START = 0.76, PALING = 0.15, D = 1.0 - START;
    float least = min(min(c.r, c.g), c.b);
    c = (c - (least < 2.0 * veil ? least - least * least / (4.0 * veil) : veil)) / (1.0 - veil);
    float peak = max(max(c.r, c.g), c.b);
    float lowered = 1.0 - D * D / (peak + D - START);
    float kept = 1.0 / (PALING * (peak - lowered) + 1.0);
    return peak < START ? c : mix(vec3(lowered), c * (lowered / peak), kept);
}

// The film look of ACES: Stephen Hill's fit of its reference and output transforms for sRGB (BakingLab, 2016), with the
// exposure that three.js gives it, so that the middle greys of both are alike.
vec3 aces(vec3 c)
{
    const mat3 FROM_SRGB = mat3(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777);
    const mat3 TO_SRGB = mat3(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602);
    vec3 v = FROM_SRGB * (c / 0.6);
    return TO_SRGB * ((v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081));
}

// veil: what the material reflects of white light that is all around, facing the eye, beside its own colour.
vec3 toned(vec3 light, float veil)
{
    vec3 c = light * exposure;
    if (tone == 0)
        return neutral(c, veil);
    return tone == 1 ? aces(c) : c;
}

// IEC 61966-2-1, its power as two square roots: a fit of our own that is off by 0.1 of 255 at most, and takes a third of
// the time of everything here away.
vec3 srgb(vec3 c)
{
    vec3 root = sqrt(c);
    vec3 curve = 0.83374329 * root + 0.29811754 * sqrt(root) - 0.05531538 * c - 0.07690562;
    return mix(12.92 * c, curve, greaterThan(c, vec3(0.0031308)));
}
