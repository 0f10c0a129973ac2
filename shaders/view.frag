#version 330 core
// What the views show instead of light: weights, bones, normals, depths, numbers of joints. Surfaces hide each other;
// what is see-through is decided by alpha_test. The result is premultiplied; colours are sRGB-encoded, data is not.

in vec3 view_position;
in vec3 view_normal;
in vec2 uv;
in vec4 vertex_color; // what the view is about, and the model's own alpha

uniform sampler2D base_color_texture;
uniform usamplerBuffer ids; // 0xRRGGBB of each triangle, line or point of the draw
uniform vec2 alpha_test;    // factor; alpha below the second is not drawn
uniform ivec2 surface;      // faces have the normals, not vertices; it is made of triangles
uniform int paint;          // enum view_paint, as the C code numbers them
uniform vec2 depth_range;   // near, far: distances along the line of sight

out vec4 fragment;

const int HEAT = 0, COLORS = 1, BONES = 2, NORMAL = 3, DEPTH = 4, ID = 5, GHOST = 6, LINE = 7;

// The interpolated normal, on the side that is seen. What has no area faces the eye.
vec3 shading_normal()
{
    if (surface.y == 0)
        return vec3(0.0, 0.0, 1.0);
    vec3 to_eye = normalize(-view_position);
    vec3 face = cross(dFdx(view_position), dFdy(view_position));
    float size = max(max(abs(face.x), abs(face.y)), abs(face.z));
    face = size > 0.0 ? normalize(face / size) : to_eye;
    if (dot(face, to_eye) < 0.0)
        face = -face;
    float length_squared = dot(view_normal, view_normal);
    if (surface.x != 0 || !(length_squared > 1e-8))
        return face;
    vec3 n = view_normal * inversesqrt(length_squared);
    return dot(n, face) < 0.0 ? -n : n;
}

// viridis (van der Walt and Smith 2015, CC0) at every eighth, straight lines between: lightness rises evenly, also for
// eyes that do not see every colour.
vec3 heat(float weight)
{
    const vec3 RAMP[9] = vec3[9](vec3(68, 1, 84), vec3(71, 45, 123), vec3(59, 82, 139), vec3(44, 114, 142),
                                 vec3(33, 144, 140), vec3(39, 173, 129), vec3(93, 200, 99), vec3(170, 220, 50),
                                 vec3(253, 231, 37));
    float at = 8.0 * clamp(weight, 0.0, 1.0);
    int first = min(int(at), 7);
    return mix(RAMP[first], RAMP[first + 1], at - float(first)) / 255.0;
}

// A little light from above the camera, so that the form is seen and the colour still read.
float form(vec3 n)
{
    return surface.y == 0 ? 1.0 : 0.70 + 0.30 * max(0.0, dot(n, normalize(vec3(-0.3, 0.5, 0.8))));
}

// IEC 61966-2-1
vec3 srgb(vec3 c)
{
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

// Clear where it faces the eye, dense at its rim, as glass is.
vec4 ghost(vec3 n)
{
    float facing = max(0.0, dot(n, normalize(-view_position)));
    float rim = 1.0 - facing;
    float alpha = 0.17 + 0.48 * rim * rim;
    return vec4(vec3(0.66, 0.73, 0.82) * (0.75 + 0.25 * facing) * alpha, alpha);
}

void main()
{
    float alpha = alpha_test.x * vertex_color.a * texture(base_color_texture, uv).a;
    if (alpha < alpha_test.y)
        discard;
    vec3 n = shading_normal();
    vec3 color = vec3(0.10, 0.13, 0.18); // LINE
    if (paint == HEAT) {
        color = heat(vertex_color.r) * form(n);
    } else if (paint == COLORS) {
        color = vertex_color.rgb * form(n);
    } else if (paint == BONES) {
        color = srgb(vertex_color.rgb * (0.14 + 0.86 * max(0.0, dot(n, normalize(vec3(-0.3, 0.5, 0.8))))));
    } else if (paint == NORMAL) {
        color = 0.5 + 0.5 * n;
    } else if (paint == DEPTH) {
        color = vec3(clamp((depth_range.y + view_position.z) / (depth_range.y - depth_range.x), 0.0, 1.0));
    } else if (paint == ID) {
        uint id = texelFetch(ids, gl_PrimitiveID).r;
        color = vec3(uvec3(id >> 16, id >> 8, id) & 255u) / 255.0;
    }
    fragment = paint == GHOST ? ghost(n) : vec4(color, 1.0);
}
