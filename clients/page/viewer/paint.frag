// Follows mesh.frag with VIEW defined: what the views show instead of light, as the server's view.frag and wire.frag do.

uniform int topology; // 0 triangles, 1 lines, 2 points
uniform int paint;

const int HEAT = 0, COLORS = 1, BONES = 2, NORMAL = 3, GHOST = 4, PALE = 5, LINE = 6;
const vec3 ABOVE = vec3(-0.303, 0.505, 0.808); // the camera, to the left: where light comes from

// viridis (van der Walt and Smith 2015, CC0) at every eighth.
vec3 heat(float weight)
{
    const vec3 RAMP[9] = vec3[9](vec3(68, 1, 84), vec3(71, 45, 123), vec3(59, 82, 139), vec3(44, 114, 142),
                                 vec3(33, 144, 140), vec3(39, 173, 129), vec3(93, 200, 99), vec3(170, 220, 50),
                                 vec3(253, 231, 37));
    float at = 8.0 * clamp(weight, 0.0, 1.0);
    int first = min(int(at), 7);
    return mix(RAMP[first], RAMP[first + 1], at - float(first)) / 255.0;
}

float form(vec3 n)
{
    return topology != 0 ? 1.0 : 0.70 + 0.30 * max(0.0, dot(n, ABOVE));
}

// Clear where it faces the eye, dense at its rim, as glass is.
vec4 ghost(vec3 n, vec3 to_eye)
{
    float facing = max(0.0, dot(n, to_eye));
    float rim = 1.0 - facing;
    float alpha = 0.17 + 0.48 * rim * rim;
    return vec4(vec3(0.66, 0.73, 0.82) * (0.75 + 0.25 * facing) * alpha, alpha);
}

void main()
{
    if (topology == 2 && length(gl_PointCoord - 0.5) > 0.5)
        discard;
    float alpha = vertex_color.a * painted().a;
    if (alpha < finish.z)
        discard;
    vec3 to_eye = normalize(view_to_eye());
    vec3 n = topology == 0 ? shading_normal(to_eye) : vec3(0.0, 0.0, 1.0);
    vec3 color = vec3(0.10, 0.13, 0.18);
    if (paint == HEAT)
        color = heat(vertex_color.r) * form(n);
    else if (paint == COLORS)
        color = vertex_color.rgb * form(n);
    else if (paint == BONES)
        color = srgb(vertex_color.rgb * (0.14 + 0.86 * max(0.0, dot(n, ABOVE))));
    else if (paint == NORMAL)
        color = 0.5 + 0.5 * n;
    else if (paint == PALE)
        color = vec3(0.86, 0.89, 0.92) * (0.78 + 0.22 * abs(dot(n, to_eye)));
    fragment = paint == GHOST ? ghost(n, to_eye) : vec4(color, 1.0);
}
