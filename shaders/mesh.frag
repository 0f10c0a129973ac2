#version 330 core
// Base colour under studio light that hangs at the camera, so that every view of a model is lit alike.
// Light is linear; the result is sRGB-encoded and premultiplied.

in vec3 view_position;
in vec3 view_normal;
in vec2 uv;
in vec4 vertex_color;

uniform sampler2D base_color_texture;
uniform vec4 base_color;
uniform vec2 alpha_range; // fragments with alpha outside [x, y) are not drawn
uniform int is_blended;   // 0: what is drawn is opaque
uniform int is_unlit;
uniform int is_flat;          // faces have the normals, not vertices
uniform ivec2 texture_filter; // enum texture_mag, enum texture_min: as the C code numbers them

out vec4 fragment;

// The interpolated normal, on the side that is seen: windings and normals of files do not always agree.
vec3 shading_normal(vec3 to_eye)
{
    vec3 face = cross(dFdx(view_position), dFdy(view_position));
    float size = max(max(abs(face.x), abs(face.y)), abs(face.z));
    face = size > 0.0 ? normalize(face / size) : to_eye;
    if (dot(face, to_eye) < 0.0)
        face = -face;
    float length_squared = dot(view_normal, view_normal);
    if (is_flat != 0 || !(length_squared > 1e-8))
        return face;
    vec3 n = view_normal * inversesqrt(length_squared);
    return dot(n, face) < 0.0 ? -n : n;
}

float wrapped(vec3 n, vec3 to_light, float wrap)
{
    return max(0.0, (dot(n, to_light) + wrap) / (1.0 + wrap));
}

vec3 light(vec3 albedo)
{
    const vec3 KEY = vec3(-0.45, 0.60, 0.66), FILL = vec3(0.83, 0.10, 0.55), BACK = vec3(0.35, 0.62, -0.70);
    vec3 to_eye = normalize(-view_position);
    vec3 n = shading_normal(to_eye);
    float facing = max(0.0, dot(n, to_eye));
    vec3 sky = mix(vec3(0.13, 0.12, 0.12), vec3(0.30, 0.32, 0.35), 0.5 + 0.5 * n.y);
    vec3 diffuse = sky + 0.72 * vec3(1.0, 0.97, 0.93) * wrapped(n, normalize(KEY), 0.1) +
                   0.12 * vec3(0.86, 0.93, 1.0) * wrapped(n, normalize(FILL), 0.2) +
                   0.20 * wrapped(n, normalize(BACK), 0.0);
    // What even a black surface reflects: without it a black model is a hole.
    float half_way = max(0.0, dot(n, normalize(normalize(KEY) + to_eye)));
    float half_way_4 = half_way * half_way * half_way * half_way;
    float half_way_8 = half_way_4 * half_way_4;
    float gloss = half_way_8 * half_way_8 * half_way_8;
    float rim = 1.0 - facing;
    return albedo * diffuse + 0.010 + 0.04 * gloss + 0.07 * rim * rim * rim;
}

// Straight up to the knee, then ever slower towards 1: highlights keep their shading.
vec3 soft_shoulder(vec3 c)
{
    const float KNEE = 0.70;
    vec3 over = max(c - KNEE, 0.0) / (1.0 - KNEE);
    return min(c, KNEE) + (1.0 - KNEE) * over / (1.0 + over);
}

// IEC 61966-2-1
vec3 srgb(vec3 c)
{
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

// The texture, which is always sampled with linear filters and all its mip levels, as the file's filters would have it
// (OpenGL 3.3, 3.8.11): in the middle of a texel a linear filter gives that texel, and the footprint chooses the level.
vec4 base_texel()
{
    const int NEAREST = 1, LINEAR = 2, NEAREST_MIPMAP_NEAREST = 3, LINEAR_MIPMAP_NEAREST = 4;
    vec2 size = vec2(textureSize(base_color_texture, 0));
    vec2 dx = dFdx(uv), dy = dFdy(uv), at = uv;
    int mag = texture_filter.x, min = texture_filter.y;
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
            at = (floor(uv * grid) + 0.5) / grid;
        }
        float scale = exp2(wanted - level);
        dx *= scale;
        dy *= scale;
    }
    return textureGrad(base_color_texture, at, dx, dy);
}

void main()
{
    vec4 color = base_color * vertex_color * base_texel();
    if (color.a < alpha_range.x || color.a >= alpha_range.y)
        discard;
    vec3 seen = is_unlit != 0 ? min(color.rgb, 1.0) : soft_shoulder(light(color.rgb));
    float alpha = is_blended != 0 ? color.a : 1.0;
    fragment = vec4(srgb(clamp(seen, 0.0, 1.0)) * alpha, alpha);
}
