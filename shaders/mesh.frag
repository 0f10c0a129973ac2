#version 330 core
// Metallic-roughness surfaces (glTF 2.0, 3.9 and appendix B) in a studio that hangs at the camera, so that every view of
// a model is lit alike: a key, a fill and a rim light, and a sky. Light is linear; the result is sRGB-encoded and
// premultiplied. FULL is defined: every texture that a material can have. Else there is one of base colour at most,
// which is what most models have. FILTERS is defined: textures may have any filters. Else they have linear ones and all
// mip levels, as most have: llvmpipe takes every branch of a shader, and those for others are a fifth of the time.
// POINTS is defined: only points are drawn, each of them a disc.
// VIEW is defined: view.frag follows, which has a main of its own.

// What is alike all over a draw comes from the vertex shader, too: llvmpipe loads each number of a uniform again for every
// eight samples, in 27 instructions. Together that was a quarter of all.

in vec3 view_position;         // in a unit in which the scene is as large as 1
in vec3 view_normal;
in vec2 uv;
in vec4 vertex_color;          // times the material's base colour, but for views
flat in vec4 finish;           // metallic, roughness; fragments with alpha outside [z, w) are not drawn
flat in vec4 glow;             // emissive; w: 1 for what is blended, 0 for what is opaque
flat in vec3 kind;             // 1 or 0: no light falls on it; faces have the normals, not vertices; no perspective

uniform sampler2D base_color_texture;

#ifdef FILTERS
uniform ivec2 base_color_filter; // enum texture_mag, enum texture_min, as the C code numbers both
uniform ivec2 emissive_filter;
#endif

#ifdef FULL
in vec2 metal_rough_uv;
in vec2 normal_uv;
in vec2 occlusion_uv;
in vec2 emissive_uv;
in vec4 view_tangent;          // w: the side of the bitangent; none where xyz is 0

uniform sampler2D metal_rough_texture;
uniform sampler2D normal_texture;
uniform sampler2D occlusion_texture;
uniform sampler2D emissive_texture;
flat in vec2 bump_shade;       // scale of the normal texture, strength of the occlusion texture
#endif

out vec4 fragment;

#ifdef VIEW
const float LOD_BIAS = 0.0;
#else
// Of lit surfaces one mip level is read, not two, which takes a tenth of the time of all: the sharper one more often,
// as a pixel is the mean of four samples. That comes closer to a picture of 256 samples a pixel than two levels do.
const float LOD_BIAS = -0.5;
#endif

const float PI = 3.14159265;
// Directions to the lights, unit vectors in view space, and their colours: what a white Lambert surface that faces one
// sends to the eye.
const vec3 KEY = vec3(-0.4503, 0.6004, 0.6605), FILL = vec3(0.8294, 0.0999, 0.5496), RIM = vec3(0.3505, 0.6209, -0.7010);
const vec3 KEY_COLOR = 0.72 * vec3(1.0, 0.97, 0.93), FILL_COLOR = 0.12 * vec3(0.86, 0.93, 1.0), RIM_COLOR = vec3(0.20);

struct surface {
    vec3 color;      // base colour
    float metallic, roughness, occlusion;
    vec3 normal, to_eye;
};

#ifdef FILTERS
// A texture, which is always sampled with linear filters and some of its mip levels, as the file's filters would have it
// (OpenGL 3.3, 3.8.11): in the middle of a texel a linear filter gives that texel, and the footprint chooses the level.
// For colours: of data, which nobody sees as squares, the filter that all have is good enough.
vec4 texel(sampler2D image, vec2 place, ivec2 mag_min)
{
    const int NEAREST = 1, LINEAR = 2, LINEAR_MIPMAP_NEAREST = 4;
    vec2 size = vec2(textureSize(image, 0));
    vec2 dx = dFdx(place), dy = dFdy(place), at = place;
    int mag = mag_min.x, min = mag_min.y;
    if (mag == 0 && min == 0) {
        dx *= exp2(LOD_BIAS);
        dy *= exp2(LOD_BIAS);
    } else {
        float texels = max(length(dx * size), length(dy * size)); // that the longer side of a pixel covers
        float level = texels > 1.0 ? log2(texels) : 0.0, wanted = level;
        if (min == NEAREST || min == LINEAR)
            wanted = 0.0;
        else if (min != 0) // of those that mix levels without mixing texels, too: one level is read
            wanted = ceil(level + 0.5) - 1.0;
        bool is_nearest = level > 0.0 ? min != 0 && min != LINEAR && min != LINEAR_MIPMAP_NEAREST : mag != 0;
        if (is_nearest) {
            vec2 grid = max(floor(size * exp2(-floor(wanted))), 1.0);
            at = (floor(place * grid) + 0.5) / grid;
        }
        float scale = exp2(wanted - level + (min == 0 ? LOD_BIAS : 0.0));
        dx *= scale;
        dy *= scale;
    }
    return textureGrad(image, at, dx, dy);
}
#endif

// Of any length.
vec3 view_to_eye()
{
    return kind.z != 0.0 ? vec3(0.0, 0.0, 1.0) : -view_position;
}

// The base colour texture.
vec4 painted()
{
#ifdef FILTERS
    return texel(base_color_texture, uv, base_color_filter);
#else
    return texture(base_color_texture, uv, LOD_BIAS);
#endif
}

#ifdef FULL
vec3 shining()
{
#ifdef FILTERS
    return texel(emissive_texture, emissive_uv, emissive_filter).rgb;
#else
    return texture(emissive_texture, emissive_uv, LOD_BIAS).rgb;
#endif
}

// The normal texture's normal. `normal` is on the side that is seen; `side` is -1 where the vertices' is on the other.
// A surface without tangents has those of its texture coordinates (Schueler 2013, Normal Mapping Without Precomputed
// Tangents), which mirrored coordinates mirror as they should. +Y of the texture is up, where v grows downwards.
vec3 bumped(vec3 normal, float side)
{
    vec3 bump = 2.0 * texture(normal_texture, normal_uv, LOD_BIAS).xyz - 1.0;
    bump.xy *= bump_shade.x;
    vec3 along = view_tangent.xyz, up;
    float length_squared = dot(along, along);
    if (length_squared > 1e-12) {
        along *= inversesqrt(length_squared);
        up = side * cross(normal, along) * sign(view_tangent.w);
    } else {
        vec3 across_y = cross(dFdy(view_position), normal), across_x = cross(normal, dFdx(view_position));
        vec2 tx = dFdx(normal_uv), ty = dFdy(normal_uv);
        along = across_y * tx.x + across_x * ty.x;
        up = -(across_y * tx.y + across_x * ty.y);
        if (!(dot(along, along) > 0.0))
            return normal;
        // unit vectors both, as MikkTSpace has them: bumps are as steep however a picture is stretched
        along *= inversesqrt(dot(along, along));
        vec3 across = cross(normal, along);
        up = dot(across, up) < 0.0 ? -across : across;
    }
    // a back shows the same dents from behind
    vec3 mapped = side * (along * bump.x + up * bump.y) + normal * bump.z;
    float mapped_squared = dot(mapped, mapped);
    return mapped_squared > 1e-12 ? mapped * inversesqrt(mapped_squared) : normal;
}
#endif

// The interpolated normal, on the side that is seen: windings and normals of files do not always agree.
vec3 shading_normal(vec3 to_eye)
{
    vec3 face = cross(dFdx(view_position), dFdy(view_position));
    if (dot(face, view_to_eye()) < 0.0)
        face = -face;
    bool is_smooth = kind.y == 0.0 && dot(view_normal, view_normal) > 1e-8;
    vec3 n = is_smooth ? view_normal : face;
    float n_squared = dot(n, n), side = dot(n, face) < 0.0 ? -1.0 : 1.0;
    n = n_squared > 0.0 ? n * (side * inversesqrt(n_squared)) : to_eye;
#ifdef FULL
    return bumped(n, side);
#else
    return n;
#endif
}

float wrapped(float n_light, float wrap)
{
    return max(0.0, (n_light + wrap) / (1.0 + wrap));
}

// A soft light in the sky as a lobe like exp(sharpness * (cos - 1)), convolved with that of the surface, whose sharpness
// around its reflection is 1 / (2 alpha^2) (Wang et al. 2009, All-Frequency Rendering of Dynamic, Spatially-Varying
// Reflectance, 3.3). For exp(-x) stands 1 / (1 + x/4)^4. cosine: of the angle between reflection and light.
float lobe(float cosine, float sharpness, float alpha)
{
    float spread = 1.0 + sharpness * 2.0 * alpha * alpha; // 1 / spread: how much of the light's middle is left
    float fall = spread + 0.25 * sharpness * (1.0 - cosine);
    float part = spread / (fall * fall);
    return part * part * spread;
}

// What a mirror shows of the studio, the blurrier the rougher it is: dark ground, a horizon, sky, three soft lights.
// up: of the reflection; cosines: of its angles with the three lights.
vec3 reflected_sky(float up, vec3 cosines, float roughness, float alpha)
{
    const vec3 GROUND = vec3(0.10, 0.095, 0.09), HORIZON = vec3(0.62, 0.63, 0.64), ZENITH = vec3(0.30, 0.33, 0.38);
    float above = clamp(0.5 + 0.5 * up / (0.10 + 0.90 * roughness), 0.0, 1.0);
    above *= above * (3.0 - 2.0 * above);
    vec3 sky = mix(GROUND, mix(HORIZON, ZENITH, clamp(up, 0.0, 1.0)), above);
    return sky + vec3(2.4, 2.33, 2.23) * lobe(cosines.x, 14.0, alpha) +
           vec3(0.6, 0.65, 0.7) * lobe(cosines.y, 7.0, alpha) + 1.3 * lobe(cosines.z, 9.0, alpha);
}

// How much of the light around is reflected: x * f0 + y (Karis 2014, Physically Based Shading on Mobile).
vec2 reflectance(float roughness, float n_eye)
{
    vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * n_eye)) * r.x + r.y;
    return vec2(-1.04, 1.04) * a + r.zw;
}

// Trowbridge-Reitz, and Smith's joint masking over 4 (n l)(n v): D and V of glTF 2.0, B.3.2; V without its square roots
// (Hammon 2017, PBR Diffuse Lighting for GGX+Smith Microsurfaces).
float microfacets(float alpha, float n_half, float n_light, float n_eye)
{
    float a2 = alpha * alpha;
    float d = n_half * n_half * (a2 - 1.0) + 1.0;
    float masking = mix(2.0 * n_light * n_eye, n_light + n_eye, alpha);
    return a2 * 0.5 / (PI * d * d * max(masking, 1e-4));
}

vec3 light(surface s)
{
    // cosines: normal and lights, eye and lights, normal and eye
    vec3 n_lights = vec3(dot(s.normal, KEY), dot(s.normal, FILL), dot(s.normal, RIM));
    vec3 eye_lights = vec3(dot(s.to_eye, KEY), dot(s.to_eye, FILL), dot(s.to_eye, RIM));
    float n_to_eye = dot(s.normal, s.to_eye), n_eye = clamp(n_to_eye, 0.0, 1.0);
    float alpha = max(s.roughness * s.roughness, 0.01); // sharper highlights would fall between samples
    vec3 f0 = mix(vec3(0.04), s.color, s.metallic);
    vec2 share = reflectance(s.roughness, n_eye);
    vec3 mirrored = f0 * share.x + share.y;
    // what bounces between facets comes out as well (Turquin 2019, Practical multiple scattering compensation)
    vec3 gain = 1.0 + f0 * (1.0 / max(share.x + share.y, 0.1) - 1.0);

    // the key light's half-way vector h is (l + e) / |l + e|, and |l + e|^2 = 2 + 2 l e
    float sum_squared = 2.0 + 2.0 * eye_lights.x, per_sum = inversesqrt(max(sum_squared, 1e-6));
    float n_half = clamp((n_lights.x + n_to_eye) * per_sum, 0.0, 1.0);
    float grazing = 1.0 - min(0.5 * sum_squared * per_sum, 1.0), grazing_2 = grazing * grazing;
    float n_light = clamp(n_lights.x, 0.0, 1.0);
    vec3 fresnel = f0 + (1.0 - f0) * (grazing_2 * grazing_2 * grazing); // Schlick 1994
    vec3 highlight = fresnel * KEY_COLOR * (PI * n_light * microfacets(alpha, n_half, n_light, n_eye));
    // the reflection r is 2 (n e) n - e
    float up = 2.0 * n_to_eye * s.normal.y - s.to_eye.y;
    vec3 reflection =
        mirrored * reflected_sky(up, 2.0 * n_to_eye * n_lights - eye_lights, s.roughness, alpha) * s.occlusion;

    vec3 sky = mix(vec3(0.13, 0.12, 0.12), vec3(0.30, 0.32, 0.35), 0.5 + 0.5 * s.normal.y) * s.occlusion;
    vec3 diffuse = sky + KEY_COLOR * wrapped(n_lights.x, 0.1) + FILL_COLOR * wrapped(n_lights.y, 0.2) +
                   RIM_COLOR * wrapped(n_lights.z, 0.0);
    vec3 scattered = s.color * (1.0 - s.metallic) * (1.0 - max(max(mirrored.r, mirrored.g), mirrored.b));
    // What even a rough black surface sends back: without it a black model is a hole.
    float edge = 1.0 - n_eye;
    return scattered * diffuse + gain * (highlight + reflection) + 0.010 + 0.07 * edge * edge * edge;
}

// Straight up to the knee, then ever slower towards 1, by the brightest channel, so that hues stay; what is far above
// pales (as Khronos PBR Neutral, 2024, does).
vec3 soft_shoulder(vec3 c)
{
    const float KNEE = 0.70, PALING = 0.15;
    float peak = max(max(c.r, c.g), c.b);
    // with a peak p lowered to n / d, n = KNEE d + (1 - KNEE) (p - KNEE) and d = p + 1 - 2 KNEE, a part of
    // d / (PALING (p d - n) + d) keeps its hue
    float d = peak + 1.0 - 2.0 * KNEE;
    float n = KNEE * d + (1.0 - KNEE) * (peak - KNEE);
    float lowered = n / d, kept = d / (PALING * (peak * d - n) + d);
    vec3 lower = mix(vec3(lowered), c * (n / (d * peak)), kept);
    return peak > KNEE ? lower : c;
}

// IEC 61966-2-1, its power as two square roots: a fit of our own that is off by 0.1 of 255 at most, and takes a third of
// the time of everything here away.
vec3 srgb(vec3 c)
{
    vec3 root = sqrt(c);
    vec3 curve = 0.83374329 * root + 0.29811754 * sqrt(root) - 0.05531538 * c - 0.07690562;
    return mix(12.92 * c, curve, greaterThan(c, vec3(0.0031308)));
}

#ifndef VIEW
void main()
{
#ifdef POINTS
    if (length(gl_PointCoord - 0.5) > 0.5)
        discard;
#endif
    vec4 color = vertex_color * painted();
#ifdef FULL
    vec2 rough_metal = texture(metal_rough_texture, metal_rough_uv, LOD_BIAS).gb;
    vec2 metal = finish.xy * rough_metal.yx;
    float occlusion = 1.0 + bump_shade.y * (texture(occlusion_texture, occlusion_uv, LOD_BIAS).r - 1.0);
    vec3 shine = glow.rgb * shining();
#else
    vec2 metal = finish.xy;
    float occlusion = 1.0;
    vec3 shine = glow.rgb;
#endif
    if (color.a < finish.z || color.a >= finish.w)
        discard;
    vec3 to_eye = normalize(view_to_eye());
    surface s = surface(color.rgb, metal.x, metal.y, occlusion, shading_normal(to_eye), to_eye);
    vec3 seen = kind.x != 0.0 ? min(color.rgb, 1.0) : soft_shoulder(light(s) + shine);
    float alpha = mix(1.0, color.a, glow.w);
    fragment = vec4(srgb(clamp(seen, 0.0, 1.0)) * alpha, alpha);
}
#endif
