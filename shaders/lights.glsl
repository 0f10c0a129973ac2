// The lights of the model's file (KHR_lights_punctual of glTF), and the part of them that a surface sends to the eye,
// by the reflection model of glTF 2.0, appendix B. They cast no shadows.
#ifdef LIGHTS

const int LIGHTS_MAX = 16;          // MODEL_LIGHTS_DRAWN
uniform int light_count;
uniform vec4 light_places[LIGHTS_MAX]; // view space, in view_position's unit; w: range; 0: unlimited, -1: directional
uniform vec4 light_axes[LIGHTS_MAX];   // unit vectors in which they shine; w: offset of the cone
uniform vec4 light_colors[LIGHTS_MAX]; // light at distance 1, facing it; w: factor of the cone, 0 without one

const float SHARPEST = 0.05; // least roughness, because lights without a size would be invisible on smoother surfaces

// The light that arrives from light i, facing it.
vec3 arriving(int i, out vec3 to_light)
{
    to_light = -light_axes[i].xyz;
    float share = 1.0, range = light_places[i].w;
    if (range >= 0.0) {
        vec3 way = light_places[i].xyz - view_position;
        float squared = max(dot(way, way), 1e-12);
        to_light = way * inversesqrt(squared);
        float left = range > 0.0 ? squared / (range * range) : 0.0;
        share = max(1.0 - left * left, 0.0) / squared;
        float cone = clamp(light_colors[i].w * -dot(light_axes[i].xyz, to_light) + light_axes[i].w, 0.0, 1.0);
        share *= cone * cone;
    }
    return light_colors[i].rgb * share;
}

// The distribution of Trowbridge and Reitz with Smith's shadowing, over 4 n_l n_v.
float glossy(float roughness, float n_half, float n_light, float n_eye)
{
    float alpha = max(roughness, SHARPEST);
    alpha *= alpha;
    float squared = alpha * alpha, d = n_half * n_half * (squared - 1.0) + 1.0;
    float shadowed = n_light * sqrt(n_eye * n_eye * (1.0 - squared) + squared) +
                     n_eye * sqrt(n_light * n_light * (1.0 - squared) + squared);
    return squared / (3.14159265 * d * d) * 0.5 / max(shadowed, 1e-5);
}

// The sum over all lights for a rough body of this colour below a boundary that reflects f0, and f90 at grazing angles.
vec3 lit(surface s, vec3 scattered, vec3 f0, float f90)
{
    vec3 sum = vec3(0.0), to_light;
    float n_eye = max(dot(s.normal, s.to_eye), 1e-3);
    for (int i = 0; i < light_count; i++) {
        vec3 light = arriving(i, to_light), half_way = normalize(to_light + s.to_eye + 1e-6 * s.normal);
        float n_light = dot(s.normal, to_light), x = 1.0 - clamp(dot(half_way, s.to_eye), 0.0, 1.0), x2 = x * x;
        vec3 fresnel = f0 + (f90 - f0) * (x2 * x2 * x);
        vec3 passed = scattered * (0.318309886 * (1.0 - max(max(fresnel.r, fresnel.g), fresnel.b)));
        if (n_light > 0.0)
            sum += light * n_light *
                   (passed + fresnel * glossy(s.roughness, clamp(dot(s.normal, half_way), 0.0, 1.0), n_light, n_eye));
    }
    return sum;
}

vec3 lit(surface s)
{
    return lit(s, s.color * (1.0 - s.metallic), mix(vec3(0.04), s.color, s.metallic), 1.0);
}

#ifdef SHEEN
// The sum over all lights for fibres that stand on the surface: Charlie's distribution (Estevez and Kulla 2017,
// Production Friendly Microfacet Sheen BRDF) with the shadowing of Neubelt and Pettineo.
vec3 lit_fibres(surface s, float roughness)
{
    vec3 sum = vec3(0.0), to_light;
    float n_eye = max(dot(s.normal, s.to_eye), 1e-3), sharpness = 1.0 / max(roughness * roughness, 0.005);
    for (int i = 0; i < light_count; i++) {
        vec3 light = arriving(i, to_light), half_way = normalize(to_light + s.to_eye + 1e-6 * s.normal);
        float n_light = dot(s.normal, to_light), n_half = clamp(dot(s.normal, half_way), 0.0, 1.0);
        float d = (2.0 + sharpness) * pow(max(1.0 - n_half * n_half, 1e-4), 0.5 * sharpness) / (2.0 * 3.14159265);
        if (n_light > 0.0)
            sum += light * (n_light * d / (4.0 * (n_light + n_eye - n_light * n_eye)));
    }
    return sum;
}
#endif
#endif
