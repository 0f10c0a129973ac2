// Transforms from bind space to the screen, with any number of influences. An unskinned mesh has one joint and no
// influences. FULL is defined for materials with more textures than the base colour, VIEW for views that are not lit
// (varyings.glsl).

layout(location = 0) in vec3 bind_position;
layout(location = 1) in vec3 bind_normal;
layout(location = 2) in vec2 texcoord;
layout(location = 3) in vec4 color;
layout(location = 4) in uvec2 influence_range; // first, end

uniform samplerBuffer palette;     // view_from_bind, three rows (texels) a joint
uniform usamplerBuffer influences; // joint, bits of the weight
uniform int joint_first;           // index of the draw's skin in the palette
uniform mat4 clip_from_view;
uniform float unit;                // factor on positions for the fragment shader: a power of two
uniform mat3x2 uv_from_texcoord;   // of the material's base colour texture
uniform vec4 base_color;
uniform vec4 emissive;
uniform vec2 metal_rough;          // metallic, roughness
uniform vec4 eye;                  // homogeneous, view space: (0, 0, 0, 1), orthographic (0, 0, 1, 0)
uniform vec2 alpha_range;          // fragments with alpha outside [x, y) are not drawn
uniform int is_blended;            // 0: the draw is opaque
uniform int is_unlit;
uniform int is_flat;               // face normals instead of vertex normals

#ifdef FULL
layout(location = 5) in vec2 second_texcoord;
layout(location = 6) in vec4 tangent; // w: the side of the bitangent

uniform mat3x2 uvs_from_texcoord[5]; // of each texture of the material
uniform int texcoord_sets[5];
#ifdef LAYERS
out vec4 texcoords;
#endif
uniform vec2 bump_scale_shade; // scale of the normal texture, strength of the occlusion texture

out vec2 metal_rough_uv;
out vec2 normal_uv;
out vec2 occlusion_uv;
out vec2 emissive_uv;
out vec4 view_tangent;
flat out vec2 bump_shade;
#endif

out vec3 view_position;
out vec3 view_normal;
out vec2 uv;
out vec4 vertex_color;
flat out vec4 finish; // as in varyings.glsl
flat out vec4 glow;
flat out vec3 kind;

vec4 row_x = vec4(0), row_y = vec4(0), row_z = vec4(0);

void add_joint(int joint, float weight)
{
    int texel = 3 * (joint_first + joint);
    row_x += weight * texelFetch(palette, texel);
    row_y += weight * texelFetch(palette, texel + 1);
    row_z += weight * texelFetch(palette, texel + 2);
}

// Transforms by the inverse transpose, as cofactors; only the direction counts. Zero where there is none.
vec3 turn_normal(vec3 n)
{
    vec3 x = cross(row_y.xyz, row_z.xyz), y = cross(row_z.xyz, row_x.xyz), z = cross(row_x.xyz, row_y.xyz);
    vec3 turned = vec3(dot(x, n), dot(y, n), dot(z, n));
    if (dot(row_x.xyz, x) < 0.0)
        turned = -turned;
    // small units, because their squares would underflow before normalize()
    float largest = max(max(abs(turned.x), abs(turned.y)), abs(turned.z));
    return largest > 0.0 ? normalize(turned / largest) : vec3(0);
}

#ifdef FULL
vec2 place_on(int texture)
{
    return uvs_from_texcoord[texture] * vec3(texcoord_sets[texture] == 0 ? texcoord : second_texcoord, 1.0);
}

// The joints may mirror, which moves the bitangent to the other side.
vec4 turn_tangent()
{
    vec3 along = vec3(dot(row_x.xyz, tangent.xyz), dot(row_y.xyz, tangent.xyz), dot(row_z.xyz, tangent.xyz));
    float largest = max(max(abs(along.x), abs(along.y)), abs(along.z));
    float side = dot(row_x.xyz, cross(row_y.xyz, row_z.xyz)) < 0.0 ? -tangent.w : tangent.w;
    return vec4(largest > 0.0 ? along / largest : vec3(0), side);
}
#endif

void main()
{
    if (influence_range.x >= influence_range.y)
        add_joint(0, 1.0);
    for (uint i = influence_range.x; i < influence_range.y; i++) {
        uvec2 influence = texelFetch(influences, int(i)).xy;
        add_joint(int(influence.x), uintBitsToFloat(influence.y));
    }
    vec4 p = vec4(bind_position, 1.0);
    vec3 position = vec3(dot(row_x, p), dot(row_y, p), dot(row_z, p));
    view_position = position * unit;
    view_normal = turn_normal(bind_normal);
#ifdef FULL
    uv = place_on(0);
    metal_rough_uv = place_on(1);
    normal_uv = place_on(2);
    occlusion_uv = place_on(3);
    emissive_uv = place_on(4);
    view_tangent = turn_tangent();
    bump_shade = bump_scale_shade;
#ifdef LAYERS
    texcoords = vec4(texcoord, second_texcoord);
#endif
#else
    uv = uv_from_texcoord * vec3(texcoord, 1.0);
#endif
#ifdef VIEW
    vertex_color = vec4(color.rgb, color.a * base_color.a); // what the view shows, without alpha
#else
    vertex_color = color * base_color;
#endif
    finish = vec4(metal_rough, alpha_range);
    glow = vec4(emissive.rgb, float(is_blended));
    kind = vec3(is_unlit, is_flat, eye.z);
    gl_Position = clip_from_view * vec4(position, 1.0);
}
