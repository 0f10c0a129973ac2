// The inputs of all fragment shaders. The files of a program form one text, in the order of program.c: varyings,
// surface, environment, tone, and one that ends in .frag. The same texts are valid in GLSL 3.30 and in GLSL ES 3.00;
// only the first line, the version, differs.
//
// FULL is defined for all textures that a material can have. Without it there is at most a base colour texture, as in
// most models. FILTERS is defined for any texture filters. Without it filters are linear with all mip levels, as most
// are: llvmpipe executes every branch of a shader, and those for other filters take a fifth of the time. POINTS is
// defined when only points are drawn, as discs. CUT is defined for surfaces with holes, and for surfaces drawn in parts
// by their alpha. VIEW is defined when nothing is lit, VISIBILITY when
// fragments are numbers (visibility.frag). MIRRORS is defined for smooth surfaces and metals; without it
// roughness is at least 0.5. IRRADIANCE is defined when the light is a constant, the default one. GATHERED is defined
// when gathered.glsl follows, which reads what varies over the surface. NO_NORMAL_TEXTURE, NO_OCCLUSION_TEXTURE and
// NO_EMISSIVE_TEXTURE exclude textures from FULL. PER_DRAW is defined as the storage of values that are constant in a
// draw.

precision highp float;
precision highp int;

// Constants of a draw also come from the vertex shader, because llvmpipe reloads each number of a uniform for every
// eight samples, in 27 instructions, which took a quarter of the total time. Other drivers interpolate them, which is
// worse, so WebGL uses uniforms.
#ifndef PER_DRAW
#define PER_DRAW flat in
#endif

in vec3 view_position;         // in a unit in which the scene has a size of 1
#ifndef GATHERED
in vec3 view_normal;
in vec2 uv;
#endif
in vec4 vertex_color;          // times the material's base colour, except in views
PER_DRAW vec4 finish;          // metallic, roughness; fragments with alpha outside [z, w) are not drawn
PER_DRAW vec4 glow;            // emissive; w: 1 for blended, 0 for opaque draws
PER_DRAW vec3 kind;            // 1 or 0: unlit; face normals instead of vertex normals; orthographic

uniform sampler2D base_color_texture;

#ifdef FILTERS
uniform ivec2 base_color_filter; // enum texture_mag, enum texture_min, as the C code numbers both
uniform ivec2 emissive_filter;
#endif

#ifdef FULL
#ifndef GATHERED
in vec2 metal_rough_uv;
in vec2 normal_uv;
in vec2 occlusion_uv;
in vec2 emissive_uv;
in vec4 view_tangent;          // w: the side of the bitangent; xyz 0: no tangent
#endif

uniform sampler2D metal_rough_texture;
uniform sampler2D normal_texture;
uniform sampler2D occlusion_texture;
uniform sampler2D emissive_texture;
PER_DRAW vec2 bump_shade;      // scale of the normal texture, strength of the occlusion texture
#endif

#ifdef VISIBILITY
out uvec2 fragment;
#else
out vec4 fragment;
#endif

#ifdef VIEW
const float LOD_BIAS = 0.0;
#else
// Lit surfaces sample one mip level, not two, which saves a tenth of the total time. The bias favours the sharper one,
// because a pixel is the mean of four samples. This comes closer to a picture with 256 samples a pixel than two levels
// do.
const float LOD_BIAS = -0.5;
#endif
