// Converts light to a colour of the picture.

#ifdef IRRADIANCE
const float exposure = 1.0;
const int tone = 0;
#else
uniform float exposure; // factor on light
uniform int tone;       // enum picture_tone, as the C code numbers them
#endif

// Khronos PBR Neutral (Khronos Group 2024, github.com/KhronosGroup/ToneMapping): colours of materials in even white
// light stay unchanged, and brighter ones approach white by their brightest channel, which keeps the hue. The original
// assumes that the surface's own reflection of that light, a veil over its colour, is 0.04. Here it is the material's:
// rough surfaces reflect less, and metals reflect nothing besides their colour. Colours that are slightly too bright
// also pale less than in the original, so that a pure red in a lit studio stays one.
vec3 neutral(vec3 c, float veil)
{
    const float START = 0.76, PALING = 0.15, D = 1.0 - START;
    float least = min(min(c.r, c.g), c.b);
    float under = least < 2.0 * veil ? least - least * least / (4.0 * veil) : veil;
    c = (c - under) * (1.0 + veil + veil * veil); // over 1 - veil
    // A peak p is lowered to n / d, and m / d is lost. The share of the hue that stays is
    // 1 / (PALING lost^2 / (1 + lost) + 1) = d (d + m) / q. All terms share one denominator, because a division
    // takes as long as ten products.
    float peak = max(max(c.r, c.g), c.b);
    float d = peak + D - START, n = d - D * D, m = peak * d - n;
    float paled = PALING * m * m, q = paled + d * (d + m), scale = n / (q * d * peak);
    return peak < START ? c : c * (d * (d + m) * scale) + paled * peak * scale;
}

// The film look of ACES: Stephen Hill's fit of its reference and output transforms for sRGB (BakingLab, 2016), with
// three.js's exposure, so that both have similar middle greys.
vec3 aces(vec3 c)
{
    const mat3 FROM_SRGB = mat3(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777);
    const mat3 TO_SRGB = mat3(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602);
    vec3 v = FROM_SRGB * (c / 0.6);
    return TO_SRGB * ((v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081));
}

// veil: what the material reflects of white light from all around, facing the eye, besides its own colour.
vec3 toned(vec3 light, float veil)
{
    // The fit of reflectance() is slightly below 0 for rough metals, and neutral() divides by a veil that metals lack. The
    // powers of 1e5 are still finite.
    vec3 c = clamp(light * exposure, 0.0, 1e5);
    if (tone == 0)
        return neutral(c, veil);
    return tone == 1 ? aces(c) : c;
}

// IEC 61966-2-1, with its power replaced by a fit of two square roots. The error is at most 0.1 of 255, and this shader
// takes a third less time.
vec3 srgb(vec3 c)
{
    vec3 root = sqrt(c);
    vec3 curve = 0.83374329 * root + 0.29811754 * sqrt(root) - 0.05531538 * c - 0.07690562;
    return mix(12.92 * c, curve, greaterThan(c, vec3(0.0031308)));
}
