// Draws a rectangle of samples that the CPU rasterized (render/gather/gather.h), to light them. It passes on what
// skin.vert passes for a draw, and the view direction.

layout(location = 0) in vec3 corner; // of the rectangle, -1 to 1 over the picture

uniform mat4 clip_from_view;
uniform vec4 base_color;
uniform vec4 emissive;
uniform vec2 metal_rough;
uniform vec4 eye;
uniform vec2 alpha_range;
uniform int is_blended;
uniform int is_unlit;
uniform int is_flat;

#ifdef FULL
uniform vec2 bump_scale_shade;
flat out vec2 bump_shade;
#endif

out vec3 view_position; // some point along the view direction
out vec4 vertex_color;
flat out vec4 finish;
flat out vec4 glow;
flat out vec3 kind;

void main()
{
    vec2 aside = corner.xy + vec2(clip_from_view[2][0], clip_from_view[2][1]);
    view_position = vec3(aside / vec2(clip_from_view[0][0], clip_from_view[1][1]), -1.0);
    vertex_color = base_color;
    finish = vec4(metal_rough, alpha_range);
    glow = vec4(emissive.rgb, float(is_blended));
    kind = vec3(is_unlit, is_flat, eye.z);
#ifdef FULL
    bump_shade = bump_scale_shade;
#endif
    gl_Position = vec4(corner.xy, 0.0, 1.0);
}
