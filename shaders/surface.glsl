// The surface at a fragment: its textures and its normal. Metallic-roughness, as in glTF 2.0, 3.9.

struct surface {
    vec3 color;      // base colour
    float metallic, roughness, occlusion;
    vec3 normal, to_eye;
};

#ifndef GATHERED
// A texture of the material.
vec4 sampled(sampler2D image, vec2 place)
{
    return texture(image, place, LOD_BIAS);
}
#endif

#ifdef FILTERS
// Emulates the file's filters (OpenGL 3.3, 3.8.11) for a texture that is always sampled with linear filters and mip
// levels: at the centre of a texel a linear filter gives that texel, and the footprint chooses the level. Only for
// colours; the common filter is good enough for data, in which texels are not visible.
vec4 texel(sampler2D image, vec2 place, ivec2 mag_min)
{
    const int NEAREST = 1, LINEAR = 2, LINEAR_MIPMAP_NEAREST = 4;
    vec2 size = vec2(textureSize(image, 0));
    vec2 dx = dFdx(place), dy = dFdy(place), at = place;
    int magnified = mag_min.x, minified = mag_min.y;
    if (magnified == 0 && minified == 0) {
        dx *= exp2(LOD_BIAS);
        dy *= exp2(LOD_BIAS);
    } else {
        float texels = max(length(dx * size), length(dy * size)); // that the longer side of a pixel covers
        float level = texels > 1.0 ? log2(texels) : 0.0, wanted = level;
        if (minified == NEAREST || minified == LINEAR)
            wanted = 0.0;
        else if (minified != 0) // one level, also for filters that mix levels without mixing texels
            wanted = ceil(level + 0.5) - 1.0;
        bool is_nearest = level > 0.0 ? minified != 0 && minified != LINEAR && minified != LINEAR_MIPMAP_NEAREST
                                      : magnified != 0;
        if (is_nearest) {
            vec2 grid = max(floor(size * exp2(-floor(wanted))), 1.0);
            at = (floor(place * grid) + 0.5) / grid;
        }
        float scale = exp2(wanted - level + (minified == 0 ? LOD_BIAS : 0.0));
        dx *= scale;
        dy *= scale;
    }
    return textureGrad(image, at, dx, dy);
}
#endif

#ifdef CUT
// True when the material's alpha test cuts this sample out. Where the range ends below 0, a pixel is 2 x 2 samples, and
// as many of them stay as the surface covers. Each sample takes the alpha at the middle of the pixel, sharpened by its
// change over the pixel (Wyman and McGuire 2017, Hashed Alpha Testing, 2; alpha to coverage), and has its own
// threshold.
bool is_cut(float alpha)
{
    float dx = dFdx(alpha), dy = dFdy(alpha), width = 2.0 * (abs(dx) + abs(dy));
    vec2 side = mod(floor(gl_FragCoord.xy), 2.0);
    if (finish.w >= 0.0 || width < 1e-4)
        return alpha < finish.z || (finish.w >= 0.0 && alpha >= finish.w);
    float middle = alpha + (0.5 - side.x) * dx + (0.5 - side.y) * dy;
    float threshold = 0.125 + 0.25 * (side.x == side.y ? 3.0 * side.x : 1.0 + side.y);
    return (middle - finish.z) / width + 0.5 < threshold;
}
#endif

// Any length.
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
    return sampled(base_color_texture, uv);
#endif
}

#ifdef FULL
vec3 shining()
{
#ifdef FILTERS
    return texel(emissive_texture, emissive_uv, emissive_filter).rgb;
#else
    return sampled(emissive_texture, emissive_uv).rgb;
#endif
}
#endif

#ifndef GATHERED
#ifdef FULL
// Finds unit vectors along the surface, to the right and up in a texture at `place`. `normal` is on the visible side;
// `side` is -1 where the vertices' normal is on the other. A surface without tangents uses its texture coordinates
// (Schueler 2013, Normal Mapping Without Precomputed Tangents), which handles mirrored ones correctly. +Y of the
// texture is up, where v grows downwards. False: there are none.
bool find_directions(vec3 normal, float side, vec2 place, out vec3 along, out vec3 up)
{
    along = view_tangent.xyz;
    float length_squared = dot(along, along);
    if (length_squared > 1e-12) {
        along *= inversesqrt(length_squared);
        up = side * cross(normal, along) * sign(view_tangent.w);
    } else {
        vec3 across_y = cross(dFdy(view_position), normal), across_x = cross(normal, dFdx(view_position));
        vec2 tx = dFdx(place), ty = dFdy(place);
        along = across_y * tx.x + across_x * ty.x;
        up = -(across_y * tx.y + across_x * ty.y);
        if (!(dot(along, along) > 0.0))
            return false;
        // both are unit vectors, as in MikkTSpace: bumps do not depend on how a picture is stretched
        along *= inversesqrt(dot(along, along));
        vec3 across = cross(normal, along);
        up = dot(across, up) < 0.0 ? -across : across;
    }
    return true;
}

// The normal for a texel of the normal texture.
vec3 bumped(vec3 normal, float side, vec3 bump, vec2 place)
{
    vec3 along, up;
    if (!find_directions(normal, side, place, along, up))
        return normal;
    // a back shows the same dents from behind
    vec3 mapped = side * (along * bump.x + up * bump.y) + normal * bump.z;
    float mapped_squared = dot(mapped, mapped);
    return mapped_squared > 1e-12 ? mapped * inversesqrt(mapped_squared) : normal;
}
#endif

// The interpolated normal on the visible side, because windings and normals of files do not always agree. side: -1
// where the vertices' normal is on the other.
vec3 smooth_normal(vec3 to_eye, out float side)
{
    vec3 face = cross(dFdx(view_position), dFdy(view_position));
    if (dot(face, view_to_eye()) < 0.0)
        face = -face;
    bool is_smooth = kind.y == 0.0 && dot(view_normal, view_normal) > 1e-8;
    vec3 n = is_smooth ? view_normal : face;
    float n_squared = dot(n, n);
    side = dot(n, face) < 0.0 ? -1.0 : 1.0;
    return n_squared > 0.0 ? n * (side * inversesqrt(n_squared)) : to_eye;
}

// The same with the normal texture.
vec3 shading_normal(vec3 to_eye)
{
    float side;
    vec3 n = smooth_normal(to_eye, side);
#if defined(FULL) && !defined(NO_NORMAL_TEXTURE)
    vec3 bump = 2.0 * texture(normal_texture, normal_uv, LOD_BIAS).xyz - 1.0;
    return bumped(n, side, vec3(bump.xy * bump_shade.x, bump.z), normal_uv);
#else
    return n;
#endif
}
#endif
