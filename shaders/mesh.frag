// Lights surfaces. Light is linear; the result is sRGB-encoded and premultiplied.

void main()
{
#ifdef POINTS
    if (length(gl_PointCoord - 0.5) > 0.5)
        discard;
#endif
#ifdef GATHERED
    read_gathered();
    vec4 color = vertex_color * vec4(gathered_color, 1.0) * painted();
#else
    vec4 color = vertex_color * painted();
#endif
#ifdef FULL
    vec2 rough_metal = sampled(metal_rough_texture, metal_rough_uv).gb;
    vec2 metal = finish.xy * rough_metal.yx;
#else
    vec2 metal = finish.xy;
#endif
#if defined(FULL) && !defined(NO_OCCLUSION_TEXTURE)
    float occlusion = 1.0 + bump_shade.y * (sampled(occlusion_texture, occlusion_uv).r - 1.0);
#else
    float occlusion = 1.0;
#endif
#if defined(FULL) && !defined(NO_EMISSIVE_TEXTURE)
    vec3 shine = glow.rgb * shining();
#else
    vec3 shine = glow.rgb;
#endif
#ifdef CUT // a shader that may discard also runs for hidden fragments
    if (is_cut(color.a))
        discard;
#endif
    vec3 to_eye = normalize(view_to_eye());
    surface s = surface(color.rgb, metal.x, metal.y, occlusion, shading_normal(to_eye), to_eye);
    float alpha = mix(1.0, color.a, glow.w);
#if defined(LIGHTS) && !defined(LAYERS)
    shine += lit(s);
#endif
#ifdef LAYERS
    float side;
    vec3 normal = smooth_normal(to_eye, side);
    fragment = layered(s, normal, side, shine) * alpha;
#else
    vec3 seen = kind.x != 0.0 ? min(color.rgb, 1.0) : toned(light(s) + shine, (1.0 - s.metallic) * facing_reflectance(s.roughness));
    fragment = vec4(srgb(clamp(seen, 0.0, 1.0)) * alpha, alpha);
#endif
}
