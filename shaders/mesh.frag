// Lit surfaces. Light is linear; the result is sRGB-encoded and premultiplied.

void main()
{
#ifdef POINTS
    if (length(gl_PointCoord - 0.5) > 0.5)
        discard;
#endif
    vec4 color = vertex_color * painted();
#ifdef FULL
    vec2 rough_metal = texture(metal_rough_texture, metal_rough_uv, LOD_BIAS).gb;
    vec2 metal = finish.xy * rough_metal.yx;
    float occlusion = 1.0 + bump_shade.y * (texture(occlusion_texture, occlusion_uv, LOD_BIAS).r - 1.0);
    vec3 shine = glow.rgb * shining();
#else
    vec2 metal = finish.xy;
    float occlusion = 1.0;
    vec3 shine = glow.rgb;
#endif
    if (color.a < finish.z || color.a >= finish.w)
        discard;
    vec3 to_eye = normalize(view_to_eye());
    surface s = surface(color.rgb, metal.x, metal.y, occlusion, shading_normal(to_eye), to_eye);
    vec3 seen = kind.x != 0.0 ? min(color.rgb, 1.0) : toned(light(s) + shine, (1.0 - s.metallic) * facing_reflectance(s.roughness));
    float alpha = mix(1.0, color.a, glow.w);
    fragment = vec4(srgb(clamp(seen, 0.0, 1.0)) * alpha, alpha);
}
