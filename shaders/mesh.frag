#version 330 core
// Metallic-roughness surfaces (glTF 2.0, 3.9 and appendix B) in a studio that hangs at the camera, so that every view of
// a model is lit alike: a key, a fill and a rim light, and a sky. Light is linear; the result is sRGB-encoded and
// premultiplied. FULL is defined: every texture that a material can have. Else there is one of base colour at most,
// which is what most models have. FILTERS is defined: textures may have any filters. Else they have linear ones and all
// mip levels, as most have: llvmpipe takes every branch of a shader, and those for others are a fifth of the time.
// VIEW is defined: view.frag follows, which has a main of its own.

in vec3 view_position;
in vec3 view_normal;
in vec2 uv;
in vec4 vertex_color;

uniform sampler2D base_color_texture;
uniform vec4 base_color;
uniform vec4 emissive;         // w: 0
uniform vec2 metal_rough;      // metallic, roughness
uniform vec4 eye;              // homogeneous, view space: (0, 0, 0, 1), without perspective (0, 0, 1, 0)
uniform vec2 alpha_range;      // fragments with alpha outside [x, y) are not drawn
uniform int is_blended;        // 0: what is drawn is opaque
uniform int is_unlit;
uniform int is_flat;           // faces have the normals, not vertices

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
uniform vec2 bump_shade;       // scale of the normal texture, strength of the occlusion texture
#endif

out vec4 fragment;

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
// A texture, which is always sampled with linear filters and all its mip levels, as the file's filters would have it
// (OpenGL 3.3, 3.8.11): in the middle of a texel a linear filter gives that texel, and the footprint chooses the level.
// For colours: of data, which nobody sees as squares, the filter that all have is good enough.
vec4 texel(sampler2D image, vec2 place, ivec2 mag_min)
{
    const int NEAREST = 1, LINEAR = 2, NEAREST_MIPMAP_NEAREST = 3, LINEAR_MIPMAP_NEAREST = 4;
    vec2 size = vec2(textureSize(image, 0));
    vec2 dx = dFdx(place), dy = dFdy(place), at = place;
    int mag = mag_min.x, min = mag_min.y;
    if (mag != 0 || min != 0) {
        float texels = max(length(dx * size), length(dy * size)); // that the longer side of a pixel covers
        float level = texels > 1.0 ? log2(texels) : 0.0, wanted = level;
        if (min == NEAREST || min == LINEAR)
            wanted = 0.0;
        else if (min == NEAREST_MIPMAP_NEAREST || min == LINEAR_MIPMAP_NEAREST)
            wanted = ceil(level + 0.5) - 1.0;
        bool is_nearest = level > 0.0 ? min != 0 && min != LINEAR && min != LINEAR_MIPMAP_NEAREST : mag != 0;
        if (is_nearest) {
            vec2 grid = max(floor(size * exp2(-floor(wanted))), 1.0);
            at = (floor(place * grid) + 0.5) / grid;
        }
        float scale = exp2(wanted - level);
        dx *= scale;
        dy *= scale;
    }
    return textureGrad(image, at, dx, dy);
}
#endif

// The base colour texture.
vec4 painted()
{
#ifdef FILTERS
    return texel(base_color_texture, uv, base_color_filter);
#else
    return texture(base_color_texture, uv);
#endif
}

#ifdef FULL
vec3 shining()
{
#ifdef FILTERS
    return texel(emissive_texture, emissive_uv, emissive_filter).rgb;
#else
    return texture(emissive_texture, emissive_uv).rgb;
#endif
}

// The normal texture's normal. `normal` is on the side that is seen; `side` is -1 where the vertices' is on the other.
// A surface without tangents has those of its texture coordinates (Schueler 2013, Normal Mapping Without Precomputed
// Tangents), which mirrored coordinates mirror as they should. +Y of the texture is up, where v grows downwards.
vec3 bumped(vec3 normal, float side)
{
    vec3 bump = 2.0 * texture(normal_texture, normal_uv).xyz - 1.0;
    bump.xy *= bump_shade.x;
    vec3 along = view_tangent.xyz, up;
    float length_squared = dot(along, along);
    if (length_squared > 1e-12) {
        along *= inversesqrt(length_squared);
        up = side * cross(normal, along) * sign(view_tangent.w);
    } else {
        vec3 px = dFdx(view_position), py = dFdy(view_position);
        float size = max(max(max(abs(px.x), abs(px.y)), abs(px.z)), max(max(abs(py.x), abs(py.y)), abs(py.z)));
        vec3 across_y = cross(py / size, normal), across_x = cross(normal, px / size);
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
    float size = max(max(abs(face.x), abs(face.y)), abs(face.z));
    face = size > 0.0 ? face / size : to_eye; // squares of small ones would vanish
    if (dot(face, to_eye) < 0.0)
        face = -face;
    vec3 n = normalize(is_flat != 0 || !(dot(view_normal, view_normal) > 1e-8) ? face : view_normal);
    float side = dot(n, face) < 0.0 ? -1.0 : 1.0;
#ifdef FULL
    return bumped(side * n, side);
#else
    return side * n;
#endif
}

float wrapped(vec3 n, vec3 to_light, float wrap)
{
    return max(0.0, (dot(n, to_light) + wrap) / (1.0 + wrap));
}

// A soft light in the sky as a lobe like exp(sharpness * (cos - 1)), convolved with that of the surface, whose sharpness
// around its reflection is 1 / (2 alpha^2) (Wang et al. 2009, All-Frequency Rendering of Dynamic, Spatially-Varying
// Reflectance, 3.3). For exp(-x) stands 1 / (1 + x/4)^4.
float lobe(vec3 direction, vec3 to_light, float sharpness, float alpha)
{
    float blur = 1.0 / (1.0 + sharpness * 2.0 * alpha * alpha);
    float fall = 1.0 + 0.25 * sharpness * blur * (1.0 - dot(direction, to_light));
    fall *= fall;
    return blur / (fall * fall);
}

// What a mirror shows of the studio, the blurrier the rougher it is: dark ground, a horizon, sky, three soft lights.
vec3 reflected_sky(vec3 direction, float roughness, float alpha)
{
    const vec3 GROUND = vec3(0.10, 0.095, 0.09), HORIZON = vec3(0.62, 0.63, 0.64), ZENITH = vec3(0.30, 0.33, 0.38);
    float above = clamp(0.5 + 0.5 * direction.y / (0.10 + 0.90 * roughness), 0.0, 1.0);
    above *= above * (3.0 - 2.0 * above);
    vec3 sky = mix(GROUND, mix(HORIZON, ZENITH, clamp(direction.y, 0.0, 1.0)), above);
    return sky + vec3(2.4, 2.33, 2.23) * lobe(direction, KEY, 14.0, alpha) +
           vec3(0.6, 0.65, 0.7) * lobe(direction, FILL, 7.0, alpha) + 1.3 * lobe(direction, RIM, 9.0, alpha);
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
    float n_eye = clamp(dot(s.normal, s.to_eye), 0.0, 1.0);
    float alpha = max(s.roughness * s.roughness, 0.01); // sharper highlights would fall between samples
    vec3 f0 = mix(vec3(0.04), s.color, s.metallic);
    vec2 share = reflectance(s.roughness, n_eye);
    vec3 mirrored = f0 * share.x + share.y;
    // what bounces between facets comes out as well (Turquin 2019, Practical multiple scattering compensation)
    vec3 gain = 1.0 + f0 * (1.0 / max(share.x + share.y, 0.1) - 1.0);

    vec3 half_way = normalize(KEY + s.to_eye);
    float n_light = clamp(dot(s.normal, KEY), 0.0, 1.0);
    float grazing = 1.0 - clamp(dot(KEY, half_way), 0.0, 1.0), grazing_2 = grazing * grazing;
    vec3 fresnel = f0 + (1.0 - f0) * (grazing_2 * grazing_2 * grazing); // Schlick 1994
    vec3 highlight = fresnel * KEY_COLOR * (PI * n_light *
                     microfacets(alpha, clamp(dot(s.normal, half_way), 0.0, 1.0), n_light, n_eye));
    vec3 reflection = mirrored * reflected_sky(reflect(-s.to_eye, s.normal), s.roughness, alpha) * s.occlusion;

    vec3 sky = mix(vec3(0.13, 0.12, 0.12), vec3(0.30, 0.32, 0.35), 0.5 + 0.5 * s.normal.y) * s.occlusion;
    vec3 diffuse = sky + KEY_COLOR * wrapped(s.normal, KEY, 0.1) + FILL_COLOR * wrapped(s.normal, FILL, 0.2) +
                   RIM_COLOR * wrapped(s.normal, RIM, 0.0);
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
    if (peak <= KNEE)
        return c;
    float over = (peak - KNEE) / (1.0 - KNEE);
    float lowered = KNEE + (1.0 - KNEE) * over / (1.0 + over);
    return mix(vec3(lowered), c * (lowered / peak), 1.0 / (PALING * (peak - lowered) + 1.0));
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
    vec4 color = base_color * vertex_color * painted();
#ifdef FULL
    vec2 rough_metal = texture(metal_rough_texture, metal_rough_uv).gb;
    vec2 metal = metal_rough * rough_metal.yx;
    float occlusion = 1.0 + bump_shade.y * (texture(occlusion_texture, occlusion_uv).r - 1.0);
    vec3 glow = emissive.rgb * shining();
#else
    vec2 metal = metal_rough;
    float occlusion = 1.0;
    vec3 glow = emissive.rgb;
#endif
    if (color.a < alpha_range.x || color.a >= alpha_range.y)
        discard;
    vec3 seen = min(color.rgb, 1.0);
    if (is_unlit == 0) {
        vec3 to_eye = normalize(eye.xyz - eye.w * view_position);
        surface s = surface(color.rgb, metal.x, metal.y, occlusion, shading_normal(to_eye), to_eye);
        seen = soft_shoulder(light(s) + glow);
    }
    float alpha = is_blended != 0 ? color.a : 1.0;
    fragment = vec4(srgb(clamp(seen, 0.0, 1.0)) * alpha, alpha);
}
#endif
