// (programs.js puts the version in front.) Transforms vertices from bind space to the screen with any number of
// influences. It has the outputs of the server's shaders/skin.vert, for the server's fragment shaders. The first four
// influences of a vertex are attributes; the others and the palette are textures. FULL and POINTS are as in mesh.frag.
// VIEW is defined for unlit views.

layout(location = 0) in vec3 bind_position;
layout(location = 1) in vec3 bind_normal;
layout(location = 2) in vec2 texcoord;
layout(location = 3) in vec4 color;
layout(location = 4) in uvec4 joints;
layout(location = 5) in vec4 weights;
layout(location = 6) in uvec2 more_influences; // first, and end in `influences`

uniform highp sampler2D palette;     // view_from_bind, three texels (rows) a joint, 256 joints a row
uniform highp usampler2D influences; // joint, bits of the weight; 1024 a row
uniform int joint_first;             // index of the first joint of the draw's skin in the palette
uniform mat4 clip_from_view;
uniform float unit;                  // factor for positions in the fragment shader
uniform mat3x2 uv_from_texcoord;
uniform vec4 base_color;
uniform float point_size;

#ifdef FULL
layout(location = 7) in vec2 second_texcoord;
layout(location = 8) in vec4 tangent;

uniform mat3x2 uvs_from_texcoord[5];
uniform int texcoord_sets[5];

out vec2 metal_rough_uv;
out vec2 normal_uv;
out vec2 occlusion_uv;
out vec2 emissive_uv;
out vec4 view_tangent;
#ifdef LAYERS
out vec4 texcoords;
#endif
#endif

out vec3 view_position;
out vec3 view_normal;
out vec2 uv;
out vec4 vertex_color;

vec4 row_x = vec4(0), row_y = vec4(0), row_z = vec4(0);

void add_joint(uint joint, float weight)
{
    uint at = uint(joint_first) + joint;
    ivec2 texel = ivec2(3u * (at & 255u), at >> 8);
    row_x += weight * texelFetch(palette, texel, 0);
    row_y += weight * texelFetch(palette, texel + ivec2(1, 0), 0);
    row_z += weight * texelFetch(palette, texel + ivec2(2, 0), 0);
}

void pose()
{
    add_joint(joints.x, weights.x);
    if (weights.y > 0.0)
        add_joint(joints.y, weights.y);
    if (weights.z > 0.0)
        add_joint(joints.z, weights.z);
    if (weights.w > 0.0)
        add_joint(joints.w, weights.w);
    for (uint i = more_influences.x; i < more_influences.y; i++) {
        uvec2 influence = texelFetch(influences, ivec2(i & 1023u, i >> 10), 0).xy;
        add_joint(influence.x, uintBitsToFloat(influence.y));
    }
}

// Uses the inverse transpose, as cofactors, because only the direction counts. Zero for no direction.
vec3 turn_normal(vec3 n)
{
    vec3 x = cross(row_y.xyz, row_z.xyz), y = cross(row_z.xyz, row_x.xyz), z = cross(row_x.xyz, row_y.xyz);
    vec3 turned = vec3(dot(x, n), dot(y, n), dot(z, n));
    if (dot(row_x.xyz, x) < 0.0)
        turned = -turned;
    float largest = max(max(abs(turned.x), abs(turned.y)), abs(turned.z));
    return largest > 0.0 ? normalize(turned / largest) : vec3(0);
}

#ifdef FULL
vec2 place_on(int slot)
{
    return uvs_from_texcoord[slot] * vec3(texcoord_sets[slot] == 0 ? texcoord : second_texcoord, 1.0);
}

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
    pose();
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
#ifdef LAYERS
    texcoords = vec4(texcoord, second_texcoord);
#endif
#else
    uv = uv_from_texcoord * vec3(texcoord, 1.0);
#endif
#ifdef VIEW
    vertex_color = vec4(color.rgb, color.a * base_color.a);
#else
    vertex_color = color * base_color;
#endif
    gl_Position = clip_from_view * vec4(position, 1.0);
    gl_PointSize = point_size;
}
