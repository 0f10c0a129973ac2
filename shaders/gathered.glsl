// Follows varyings.glsl where GATHERED is defined: the CPU has rasterized the surface into samples
// (render/gather/gather.h, struct gathered_sample), and what varies over it is read instead of interpolated.

precision highp usampler2D;

uniform usampler2D gathered_samples;

vec2 uv;
vec3 gathered_color, gathered_normal;
#ifdef BUMPS
vec3 gathered_along, gathered_up; // directions of the normal texture; 0: none
#endif
float footprint; // log2 of the share of a texture's longer side that a sample covers

#ifdef FULL
#define metal_rough_uv uv
#define occlusion_uv uv
#define emissive_uv uv
#define normal_uv uv
#endif

vec3 from_octahedron(vec2 place)
{
    vec3 n = vec3(place, 1.0 - abs(place.x) - abs(place.y));
    float folded = max(-n.z, 0.0);
    n.xy += vec2(n.x >= 0.0 ? -folded : folded, n.y >= 0.0 ? -folded : folded);
    return normalize(n);
}

// llvmpipe samples textures at one level for four fragments, that of the first one, which may be empty. So all four
// take their largest footprint; it is 0 for an empty fragment.
float shared_footprint(float own)
{
    vec2 away = 1.0 - 2.0 * vec2(ivec2(gl_FragCoord.xy) & 1);
    float row = max(own, own + away.x * dFdx(own));
    return max(row, row + away.y * dFdy(row));
}

void read_gathered()
{
    uvec4 s = texelFetch(gathered_samples, ivec2(gl_FragCoord.xy), 0);
    gathered_normal = from_octahedron(vec2(s.x & 16383u, (s.x >> 14) & 16383u) * (2.0 / 16383.0) - 1.0);
#ifdef BUMPS
    gathered_color = vec3(1.0);
    gathered_along = from_octahedron(vec2(s.y & 2047u, (s.y >> 11) & 4095u) * (2.0 / vec2(2047.0, 4095.0)) - 1.0);
    gathered_along *= (s.y & 0xffffffu) == 0xffffffu ? 0.0 : 1.0;
    gathered_up = cross(gathered_normal, gathered_along) * ((s.y & 0x800000u) == 0u ? 1.0 : -1.0);
#else
    vec3 root = vec3(s.y & 255u, (s.y >> 8) & 255u, (s.y >> 16) & 255u) / 255.0;
    gathered_color = root * root;
#endif
    footprint = (shared_footprint(float(((s.x >> 28) << 8) | (s.y >> 24))) - 1.0) / 128.0 - 24.0;
    uv = uintBitsToFloat(s.zw);
}

vec4 sampled(sampler2D image, vec2 place)
{
    ivec2 size = textureSize(image, 0);
    return textureLod(image, place, footprint + log2(float(max(size.x, size.y))) + LOD_BIAS);
}

// As in surface.glsl.
vec3 shading_normal(vec3 to_eye)
{
#ifdef BUMPS
    vec3 bump = 2.0 * sampled(normal_texture, uv).xyz - 1.0;
    bump.xy *= bump_shade.x;
    vec3 mapped = gathered_along * bump.x + gathered_up * bump.y + gathered_normal * bump.z;
    float mapped_squared = dot(mapped, mapped);
    bool is_known = mapped_squared > 1e-12 && dot(gathered_along, gathered_along) > 0.0;
    return is_known ? mapped * inversesqrt(mapped_squared) : gathered_normal;
#else
    return gathered_normal;
#endif
}
