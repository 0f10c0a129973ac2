// Follows varyings and surface. It draws which surface each pixel shows: the number of the draw, and that of the
// triangle, line or point in it. Numbers need gl_PrimitiveID, which GLSL ES does not have.

uniform uint number; // of the draw, from 1 on

void main()
{
#ifdef POINTS
    if (length(gl_PointCoord - 0.5) > 0.5) // discs
        discard;
#endif
#ifdef CUT
    if (is_cut(vertex_color.a * painted().a))
        discard;
#endif
    fragment = uvec2(number, uint(gl_PrimitiveID));
}
