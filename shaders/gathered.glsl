// Follows varyings.glsl where GATHERED is defined: the surface was rasterized by the processor, a sample at a time
// (render/gather/gather.h, struct gathered_sample), and what varies over it is read and not interpolated.

precision highp usampler2D;

uniform usampler2D gathered_samples;

vec2 uv;
vec3 gathered_color, gathered_normal;
float footprint; // log2 of the share of a texture's longer side that a sample covers

#ifdef FULL
#define metal_rough_uv uv
#define occlusion_uv uv
#define emissive_uv uv
#endif

vec3 from_octahedron(vec2 place)
{
    vec3 n = vec3(place, 1.0 - abs(place.x) - abs(place.y));
    float folded = max(-n.z, 0.0);
    n.xy += vec2(n.x >= 0.0 ? -folded : folded, n.y >= 0.0 ? -folded : folded);
    return normalize(n);
}

// llvmpipe reads textures at one level for four fragments, that of the first of them, where possibly nothing is: they
// take the largest of theirs, which is 0 where there is nothing.
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
    gathered_color = vec3(s.y & 255u, (s.y >> 8) & 255u, (s.y >> 16) & 255u) / 255.0;
    footprint = (shared_footprint(float(((s.x >> 28) << 8) | (s.y >> 24))) - 1.0) / 128.0 - 24.0;
    uv = uintBitsToFloat(s.zw);
}

vec4 sampled(sampler2D image, vec2 place)
{
    ivec2 size = textureSize(image, 0);
    return textureLod(image, place, footprint + log2(float(max(size.x, size.y))) + LOD_BIAS);
}

vec3 shading_normal(vec3 to_eye)
{
    return gathered_normal;
}
