// Follows varyings, surface and tone. It draws what views show instead of light: weights, bones, normals, depths,
// numbers of joints. Surfaces hide each other; alpha_range decides what is transparent. The result is premultiplied;
// colours are sRGB-encoded, data is not. vertex_color is the content of the view, with the model's own alpha.

#ifdef IDS // not in GLSL ES
uniform usamplerBuffer ids; // 0xRRGGBB of each triangle, line or point of the draw
#endif
uniform int topology;       // enum topology, as the C code numbers them: triangles, lines, points
uniform int paint;          // enum debug_view_paint, as the C code numbers them
uniform vec2 depth_range;   // near, far: distances along the view direction, in view_position's unit

const int TRIANGLES = 0, POINTS = 2;
const int HEAT = 0, COLORS = 1, BONES = 2, NORMAL = 3, DEPTH = 4, ID = 5, GHOST = 6, LINE = 7;
const vec3 ABOVE = vec3(-0.303, 0.505, 0.808); // direction of the light: above the camera, to the left

// viridis (van der Walt and Smith 2015, CC0), every eighth colour, with linear interpolation: lightness rises evenly,
// also for colour-blind people.
vec3 heat(float weight)
{
    const vec3 RAMP[9] = vec3[9](vec3(68, 1, 84), vec3(71, 45, 123), vec3(59, 82, 139), vec3(44, 114, 142),
                                 vec3(33, 144, 140), vec3(39, 173, 129), vec3(93, 200, 99), vec3(170, 220, 50),
                                 vec3(253, 231, 37));
    float at = 8.0 * clamp(weight, 0.0, 1.0);
    int first = min(int(at), 7);
    return mix(RAMP[first], RAMP[first + 1], at - float(first)) / 255.0;
}

// A little light from above the camera, which shows the form and keeps colours readable.
float form(vec3 n)
{
    return topology != TRIANGLES ? 1.0 : 0.70 + 0.30 * max(0.0, dot(n, ABOVE));
}

// Like glass: clear where it faces the eye, dense at its rim.
vec4 ghost(vec3 n, vec3 to_eye)
{
    float facing = max(0.0, dot(n, to_eye));
    float rim = 1.0 - facing;
    float alpha = 0.17 + 0.48 * rim * rim;
    return vec4(vec3(0.66, 0.73, 0.82) * (0.75 + 0.25 * facing) * alpha, alpha);
}

void main()
{
    if (topology == POINTS && length(gl_PointCoord - 0.5) > 0.5) // discs
        discard;
    float alpha = vertex_color.a * painted().a;
    if (is_cut(alpha))
        discard;
    vec3 to_eye = normalize(view_to_eye());
    vec3 n = topology == TRIANGLES ? shading_normal(to_eye) : vec3(0.0, 0.0, 1.0); // points and lines face the eye
    vec3 color = vec3(0.10, 0.13, 0.18); // LINE
    if (paint == HEAT) {
        color = heat(vertex_color.r) * form(n);
    } else if (paint == COLORS) {
        color = vertex_color.rgb * form(n);
    } else if (paint == BONES) {
        color = srgb(vertex_color.rgb * (0.14 + 0.86 * max(0.0, dot(n, ABOVE))));
    } else if (paint == NORMAL) {
        color = 0.5 + 0.5 * n;
    } else if (paint == DEPTH) {
        color = vec3(clamp((depth_range.y + view_position.z) / (depth_range.y - depth_range.x), 0.0, 1.0));
#ifdef IDS
    } else if (paint == ID) {
        uint id = texelFetch(ids, gl_PrimitiveID).r;
        color = vec3(uvec3(id >> 16, id >> 8, id) & 255u) / 255.0;
#endif
    }
    fragment = paint == GHOST ? ghost(n, to_eye) : vec4(color, 1.0);
}
