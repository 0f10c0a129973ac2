// The light from all around the model, fixed to the camera (anim/light/environment.h), and the part of it that a
// surface sends to the eye.

#ifdef IRRADIANCE
const vec3 irradiance[9] = IRRADIANCE;
#else
uniform vec3 irradiance[9]; // struct environment_harmonics
#endif

// The light at n from the nine coefficients, each band multiplied by a factor.
vec3 smooth_light(vec3 n, float zeroth, float first, float second)
{
    return zeroth * irradiance[0] + first * (irradiance[1] * n.y + irradiance[2] * n.z + irradiance[3] * n.x) +
           second * (irradiance[4] * (n.x * n.y) + irradiance[5] * (n.y * n.z) +
                     irradiance[6] * (3.0 * n.z * n.z - 1.0) + irradiance[7] * (n.x * n.z) +
                     irradiance[8] * (n.x * n.x - n.y * n.y));
}

// The light that arrives from the reflected direction r, a unit vector.
#ifdef MIRRORS
#ifdef LIGHTS
uniform float around; // factor of the map
#else
const float around = 1.0;
#endif
uniform highp sampler2D environment_map; // struct environment; level l is for roughness (l^2 + 2 l) / 15

vec3 reflected_light(vec3 r, float roughness)
{
    const float INSIDE = 0.5 - 0.0625;
    vec2 p = r.xy / (abs(r.x) + abs(r.y) + abs(r.z));
    vec2 folded = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    return textureLod(environment_map, 0.5 + INSIDE * (r.z < 0.0 ? folded : p), sqrt(1.0 + 15.0 * roughness) - 1.0).rgb * around;
}
#else
// For rough dielectrics, which send a thirtieth of it to the eye: a fit of the map for roughnesses from 0.5 to 1. A
// pixel of a lit surface takes a fifth less time without the map.
vec3 reflected_light(vec3 r, float roughness)
{
    float smoothness = 1.0 - roughness;
    return max(smooth_light(r, 0.98, 0.88 + 0.77 * smoothness, 0.85 + smoothness * (2.44 + 1.96 * smoothness)), 0.0);
}
#endif

// The share of ambient light that is reflected: x * f0 + y (Karis 2014, Physically Based Shading on Mobile).
vec2 reflectance(float roughness, float n_eye)
{
    vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * n_eye)) * r.x + r.y;
    return vec2(-1.04, 1.04) * a + r.zw;
}

// reflectance() for dielectric surfaces that face the eye, in white light from all around.
float facing_reflectance(float roughness)
{
    return 0.0457 - 0.0292 * roughness;
}

vec3 light(surface s)
{
    float n_to_eye = dot(s.normal, s.to_eye), n_eye = clamp(n_to_eye, 0.0, 1.0);
    vec3 f0 = mix(vec3(0.04), s.color, s.metallic);
    vec2 share = reflectance(s.roughness, n_eye);
    // adds light that bounces between facets (Turquin 2019, Practical multiple scattering compensation)
    vec3 gain = 1.0 + f0 * (1.0 / max(share.x + share.y, 0.1) - 1.0);
    vec3 mirrored = (f0 * share.x + share.y) * gain;
    vec3 scattered = s.color * (1.0 - s.metallic) * (1.0 - max(max(mirrored.r, mirrored.g), mirrored.b));
    vec3 reflection = 2.0 * n_to_eye * s.normal - s.to_eye;
    return (scattered * smooth_light(s.normal, 1.0, 1.0, 1.0) + mirrored * reflected_light(reflection, s.roughness)) * s.occlusion;
}
