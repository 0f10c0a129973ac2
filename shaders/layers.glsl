// The layers on, around and in a metallic-roughness surface: the extensions KHR_materials_specular, _ior, _clearcoat,
// _sheen, _iridescence, _anisotropy and _transmission of glTF 2.0, whose texts have the formulas.
//
// LAYERS is defined, and MIRRORS with it, when the material has layers. CLEARCOAT, SHEEN, IRIDESCENCE, ANISOTROPY and
// TRANSMISSION are defined when some material of the model has them; a material without one has neutral numbers.
// LAYER_TEXTURES is defined when layers have textures. FULL comes with that and with ANISOTROPY. Slots are enum
// texture_slot less TEXTURE_SLOT_COUNT.
#ifdef LAYERS

uniform vec4 dielectric; // f0 of a dielectric: index of refraction times colour; w: f90, and the factor of f0
uniform vec4 coat;       // strength, roughness, scale of the normal texture: 0 without one
uniform vec4 sheen;      // colour, roughness
uniform vec4 film;       // strength, index of refraction, thickness in nanometres where its texture is 0, and 1
uniform vec4 stretch;    // strength, cosine and sine of the rotation, 1 with a texture
uniform vec2 clear;      // share of transmission; mip levels of the picture behind, per roughness
uniform vec4 beneath;    // the picture's background, linear; white where it has none

#ifdef FULL
in vec4 texcoords;       // both sets
#endif

#ifdef LAYER_TEXTURES
uniform mat3x2 layer_uvs[11];
uniform int layer_sets[11];
uniform sampler2D specular_texture;
uniform sampler2D specular_color_texture;

vec4 layer_texel(sampler2D image, int slot)
{
    vec2 place = layer_sets[slot] == 0 ? texcoords.xy : texcoords.zw;
    return texture(image, layer_uvs[slot] * vec3(place, 1.0), LOD_BIAS);
}
#endif

float largest(vec3 c)
{
    return max(max(c.r, c.g), c.b);
}

// Schlick 1994: the additional reflection at grazing angles.
float grazing(float cosine)
{
    float x = 1.0 - cosine, x2 = x * x;
    return x2 * x2 * x;
}

#ifdef CLEARCOAT
#ifdef LAYER_TEXTURES
uniform sampler2D clearcoat_texture;
uniform sampler2D clearcoat_roughness_texture;
uniform sampler2D clearcoat_normal_texture;
#endif

// Adds the coat to the light that a surface sends to the eye and lets through. Returns its veil (tone.glsl).
float put_coat(vec3 normal, float side, surface s, inout vec3 light, inout vec3 through)
{
    float strength = coat.x, roughness = coat.y;
#ifdef LAYER_TEXTURES
    strength *= layer_texel(clearcoat_texture, 0).r;
    roughness *= layer_texel(clearcoat_roughness_texture, 1).g;
    vec3 bump = 2.0 * layer_texel(clearcoat_normal_texture, 2).xyz - 1.0;
    vec2 place = layer_uvs[2] * vec3(layer_sets[2] == 0 ? texcoords.xy : texcoords.zw, 1.0);
    if (coat.z != 0.0)
        normal = bumped(normal, side, vec3(bump.xy * coat.z, bump.z), place);
#endif
    float n_to_eye = dot(normal, s.to_eye), n_eye = clamp(n_to_eye, 0.0, 1.0);
    vec2 share = reflectance(roughness, n_eye);
    float kept = 1.0 - strength * (0.04 + 0.96 * grazing(n_eye));
    vec3 mirrored = reflected_light(2.0 * n_to_eye * normal - s.to_eye, roughness);
    light = light * kept + mirrored * (strength * (0.04 * share.x + share.y) * s.occlusion);
#ifdef LIGHTS
    s.normal = normal;
    s.roughness = roughness;
    light += strength * lit(s, vec3(0.0), vec3(0.04), 1.0);
#endif
    through *= kept;
    return strength * facing_reflectance(roughness);
}
#endif

#ifdef SHEEN
#ifdef LAYER_TEXTURES
uniform sampler2D sheen_color_texture;
uniform sampler2D sheen_roughness_texture;
#endif

// The share of white light from all around that Charlie's distribution with its own shadowing sends to the eye (Estevez
// and Kulla 2017, Production Friendly Microfacet Sheen BRDF). A fit to the integral for roughnesses from 0.1 on, with
// an error of at most 0.05, and 0.012 on average.
float sheen_albedo(float roughness, float n_eye)
{
    float r = max(roughness, 0.1);
    float e = 0.022 - 1.204 * r + 0.241 / r + (-4.134 + 5.078 * r - 0.642 / r) * n_eye +
              (3.279 - 4.437 * r - 0.574 / r) * sqrt(n_eye);
    return min(exp(e), 1.0);
}

void put_sheen(float n_eye, surface s, inout vec3 light, inout vec3 through)
{
    vec4 fibres = sheen;
#ifdef LAYER_TEXTURES
    fibres.rgb *= layer_texel(sheen_color_texture, 5).rgb;
    fibres.a *= layer_texel(sheen_roughness_texture, 6).a;
#endif
    float albedo = sheen_albedo(fibres.a, n_eye), kept = 1.0 - largest(fibres.rgb) * albedo;
    light = light * kept + fibres.rgb * smooth_light(s.normal, 1.0, 1.0, 1.0) * (albedo * s.occlusion);
#ifdef LIGHTS
    light += fibres.rgb * lit_fibres(s, fibres.a);
#endif
    through *= kept;
}
#endif

#ifdef IRIDESCENCE
#ifdef LAYER_TEXTURES
uniform sampler2D iridescence_texture;
uniform sampler2D iridescence_thickness_texture;
#endif

const float PI = 3.14159265;

// The eye's response to a path difference in nanometres, as Rec. 709 light (Belcour and Barla 2017, A Practical
// Extension to Microfacet Theory for the Modeling of Varying Iridescence, 4; numbers from the extension's text).
vec3 path_color(float path_nm, vec3 shift)
{
    const mat3 FROM_XYZ = mat3(3.2404542, -0.9692660, 0.0556434, -1.5371385, 1.8760108, -0.2040259, -0.4985314, 0.0415560,
                               1.0572252);
    const vec3 HEIGHT = vec3(5.4856e-13, 4.4201e-13, 5.2481e-13), PLACE = vec3(1.6810e+06, 1.7953e+06, 2.2084e+06);
    const vec3 WIDTH = vec3(4.3278e+09, 9.3046e+09, 6.6121e+09);
    const float RED_HEIGHT = 9.7470e-14, RED_PLACE = 2.2399e+06, RED_WIDTH = 4.5282e+09, SUM = 1.0685e-7;
    float phase = 2.0 * PI * 1e-9 * path_nm, squared = phase * phase;
    vec3 xyz = HEIGHT * sqrt(2.0 * PI * WIDTH) * cos(PLACE * phase + shift) * exp(-squared * WIDTH);
    xyz.x += RED_HEIGHT * sqrt(2.0 * PI * RED_WIDTH) * cos(RED_PLACE * phase + shift.x) * exp(-squared * RED_WIDTH);
    return FROM_XYZ * (xyz / SUM);
}

// The reflectance of a thin film on a surface of this f0 (as above, with Schlick's Fresnel terms as in the extension's
// text). n_eye: cosine outside the film, in air.
vec3 film_reflectance(float ior, vec3 f0, float thickness_nm, float n_eye)
{
    ior = mix(1.0, ior, smoothstep(0.0, 0.03, thickness_nm)); // no film, no effect
    float inside = sqrt(max(1.0 - (1.0 - n_eye * n_eye) / (ior * ior), 0.0));
    vec3 root = sqrt(clamp(f0, 0.0, 0.9999)), base_ior = (1.0 + root) / (1.0 - root);
    float outer_f0 = (ior - 1.0) / (ior + 1.0);
    outer_f0 *= outer_f0;
    vec3 inner_f0 = (base_ior - ior) / (base_ior + ior);
    inner_f0 *= inner_f0;
    float outer = outer_f0 + (1.0 - outer_f0) * grazing(n_eye), passed = 1.0 - outer;
    vec3 inner = inner_f0 + (1.0 - inner_f0) * grazing(inside);
    vec3 shift = PI + PI * vec3(lessThan(base_ior, vec3(ior)));
    float path_nm = 2.0 * ior * thickness_nm * inside;
    vec3 bounce = clamp(outer * inner, 1e-5, 0.9999);
    vec3 returned = passed * passed * inner / (1.0 - bounce), wave = returned - passed, sum = outer + returned;
    for (int m = 1; m <= 2; m++) {
        wave *= sqrt(bounce);
        sum += 2.0 * wave * path_color(float(m) * path_nm, float(m) * shift);
    }
    return max(sum, 0.0);
}

// Replaces f0 by the film's, so that Schlick's term at this angle gives the film's reflectance.
void put_film(float n_eye, inout vec3 f0, inout float f90)
{
    float strength = film.x, thickness_nm = film.w;
#ifdef LAYER_TEXTURES
    strength *= layer_texel(iridescence_texture, 7).r;
    thickness_nm = mix(film.z, film.w, layer_texel(iridescence_thickness_texture, 8).g);
#endif
    float edge = min(grazing(n_eye), 0.9999);
    vec3 shown = (film_reflectance(film.y, f0, thickness_nm, n_eye) - edge) / (1.0 - edge);
    f0 = mix(f0, clamp(shown, 0.0, 1.0), strength);
    f90 = mix(f90, 1.0, strength);
}
#endif

#ifdef ANISOTROPY
#ifdef LAYER_TEXTURES
uniform sampler2D anisotropy_texture;
#endif

// The normal whose reflection is the middle of the stretched lobe (the extension's text, Image-based lighting).
vec3 bent_normal(vec3 normal, float side, surface s)
{
    float strength = stretch.x;
    vec2 direction = vec2(1.0, 0.0);
    vec2 place = texcoords.xy;
#ifdef LAYER_TEXTURES
    vec3 turned = layer_texel(anisotropy_texture, 9).xyz;
    if (stretch.w != 0.0) {
        direction = 2.0 * turned.xy - 1.0;
        direction *= inversesqrt(max(dot(direction, direction), 1e-6));
        strength *= turned.z;
    }
    place = layer_sets[9] == 0 ? texcoords.xy : texcoords.zw;
#endif
    direction = vec2(stretch.y * direction.x - stretch.z * direction.y, stretch.z * direction.x + stretch.y * direction.y);
    vec3 along, up;
    if (!find_directions(normal, side, place, along, up))
        return s.normal;
    vec3 stretched = side * (along * direction.x + up * direction.y);
    vec3 across = cross(s.normal, stretched);
    vec3 bent = cross(cross(across, s.to_eye), across);
    float bent_squared = dot(bent, bent);
    if (!(bent_squared > 1e-12))
        return s.normal;
    float straight = 1.0 - strength * (1.0 - s.roughness);
    straight *= straight;
    return normalize(mix(bent * inversesqrt(bent_squared), s.normal, straight * straight));
}
#endif

#ifdef TRANSMISSION
uniform sampler2D behind; // the picture without clear surfaces; encoded and premultiplied
#ifdef LAYER_TEXTURES
uniform sampler2D transmission_texture;
#endif

// Adds the light that comes through a thin surface, with or without roughness, to the light that the surface itself
// sends (0 to 1, linear). Where nothing is behind, the fragment is as transparent as the surface is for all colours;
// the colours that it lets through beyond that come from the background.
vec4 seen_through(vec3 own, vec3 through, float roughness)
{
    vec4 texel = textureLod(behind, gl_FragCoord.xy / vec2(textureSize(behind, 0)), clear.y * roughness);
    vec3 straight = texel.rgb / max(texel.a, 1.0 / 255.0);
    vec3 far = mix(straight / 12.92, pow((straight + 0.055) / 1.055, vec3(2.4)), greaterThan(straight, vec3(0.04045)));
    float least = min(min(through.r, through.g), through.b), open = (1.0 - texel.a) * least;
    vec3 light = own + through * far * texel.a + (1.0 - texel.a) * (through - least) * beneath.rgb;
    float alpha = max(1.0 - open, min(largest(light), 1.0));
    return vec4(srgb(clamp(light / max(alpha, 1e-4), 0.0, 1.0)), 1.0) * alpha;
}
#endif

// The fragment of a surface with layers: encoded and premultiplied. normal, side: of the surface without textures.
vec4 layered(surface s, vec3 normal, float side, vec3 shine)
{
    vec4 plain = dielectric;
#ifdef LAYER_TEXTURES
    plain *= vec4(layer_texel(specular_color_texture, 4).rgb, layer_texel(specular_texture, 3).a);
#endif
    float n_eye = clamp(dot(s.normal, s.to_eye), 0.0, 1.0);
    vec3 plain_f0 = min(plain.rgb, 1.0) * plain.a, f0 = mix(plain_f0, s.color, s.metallic);
    float f90 = mix(plain.a, 1.0, s.metallic);
#ifdef IRIDESCENCE
    put_film(n_eye, f0, f90);
#endif
    vec2 share = reflectance(s.roughness, n_eye);
    vec3 mirrored = (f0 * share.x + f90 * share.y) * (1.0 + f0 * (1.0 / max(share.x + share.y, 0.1) - 1.0));
    vec3 scattered = s.color * ((1.0 - s.metallic) * (1.0 - min(largest(mirrored), 1.0)));
    vec3 through = vec3(0.0), bent = s.normal;
    float clearness = 0.0;
#ifdef TRANSMISSION
    clearness = clear.x;
#ifdef LAYER_TEXTURES
    clearness *= layer_texel(transmission_texture, 10).r;
#endif
    through = scattered * clearness;
    scattered -= through;
#endif
#ifdef ANISOTROPY
    bent = bent_normal(normal, side, s);
#endif
    vec3 reflection = 2.0 * dot(bent, s.to_eye) * bent - s.to_eye;
    vec3 light = (scattered * smooth_light(s.normal, 1.0, 1.0, 1.0) + mirrored * reflected_light(reflection, s.roughness)) * s.occlusion;
#ifdef LIGHTS
    light += lit(s, s.color * ((1.0 - s.metallic) * (1.0 - clearness)), f0, f90);
#endif
#ifdef SHEEN
    put_sheen(n_eye, s, light, through);
#endif
    light += shine;
    float veil = (1.0 - s.metallic) * (1.0 - clearness) * facing_reflectance(s.roughness) *
                 min(dot(plain_f0, vec3(1.0 / (3.0 * 0.04))), 1.0);
#ifdef CLEARCOAT
    veil = max(veil, put_coat(normal, side, s, light, through));
#endif
    vec3 seen = clamp(toned(light, veil), 0.0, 1.0);
#ifdef TRANSMISSION
    return seen_through(seen, through, s.roughness);
#else
    return vec4(srgb(seen), 1.0);
#endif
}
#endif
