// Gives each corner of a triangle its own coordinate, from which wire.frag computes the distances of the edges
// (Baerentzen, Nielsen, Gjoel, Larsen, Christensen: Single-pass Wireframe Rendering, 2006).

layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in vec3 view_position[];
in vec2 uv[];
in vec4 vertex_color[];

out vec3 wire_position;
out vec2 wire_uv;
out float wire_alpha;
out vec3 corner;

void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        wire_position = view_position[i];
        wire_uv = uv[i];
        wire_alpha = vertex_color[i].a;
        corner = vec3(i == 0, i == 1, i == 2);
        EmitVertex();
    }
    EndPrimitive();
}
