// Draws edges of triangles, a pixel wide and smooth, over a faint surface that hides what is behind it.

in vec3 wire_position;
in vec2 wire_uv;
in float wire_alpha;
in vec3 corner; // 1 at its own corner, 0 on the opposite edge

uniform sampler2D base_color_texture;
uniform vec2 alpha_range; // alpha below x is not drawn
uniform vec4 eye;         // as in mesh.frag
uniform int scale;        // samples on a pixel's side

out vec4 fragment;

// Distances from the three edges in samples: a coordinate divided by its change from one sample to the next.
vec3 edge_distances(out vec3 growth)
{
    vec3 dx = dFdx(corner), dy = dFdy(corner);
    growth = sqrt(dx * dx + dy * dy);
    return corner / max(growth, 1e-12);
}

void main()
{
    if (wire_alpha * texture(base_color_texture, wire_uv).a < alpha_range.x)
        discard;
    vec3 growth;
    vec3 distances = edge_distances(growth);
    float nearest = min(min(distances.x, distances.y), distances.z);
    float half_width = 0.6 * float(scale);
    float line = clamp(half_width + 0.5 - nearest, 0.0, 1.0);
    // lines fade where triangles are hardly wider, or a dense mesh would be a black spot
    float in_radius = 1.0 / max(growth.x + growth.y + growth.z, 1e-12);
    line *= mix(0.35, 1.0, clamp(in_radius / (3.0 * half_width), 0.0, 1.0));
    vec3 face = cross(dFdx(wire_position), dFdy(wire_position));
    float size = max(max(abs(face.x), abs(face.y)), abs(face.z));
    float facing = size > 0.0 ? abs(dot(normalize(face / size), normalize(eye.xyz - eye.w * wire_position))) : 1.0;
    vec3 surface = vec3(0.86, 0.89, 0.92) * (0.78 + 0.22 * facing);
    fragment = vec4(mix(surface, vec3(0.10, 0.13, 0.18), line), 1.0);
}
