// What a fragment shader gets, common to all of them. The files of a program are one text, in the order that program.c
// has them: varyings, surface, environment, tone, and one that ends in .frag. The same texts are valid in GLSL 3.30 and in
// GLSL ES 3.00: only the first line, the version, differs.
//
// FULL is defined: every texture that a material can have. Else there is one of base colour at most, which is what most
// models have. FILTERS is defined: textures may have any filters. Else they have linear ones and all mip levels, as most
// have: llvmpipe takes every branch of a shader, and those for others are a fifth of the time. POINTS is defined: only
// points are drawn, each of them a disc. CUT is defined: surfaces may have holes, or are drawn in parts by their alpha. VIEW is
// defined: nothing is lit. MIRRORS is defined: surfaces may be smooth or metals; else all have a roughness from 0.5 on.
// IRRADIANCE is defined: the light is a constant, the default one. GATHERED is defined: gathered.glsl follows, which has
// what varies over the surface. NO_NORMAL_TEXTURE, NO_OCCLUSION_TEXTURE, NO_EMISSIVE_TEXTURE are defined: FULL, but not with
// these. PER_DRAW is defined: how what is alike all over a draw comes.

precision highp float;
precision highp int;

// What is alike all over a draw comes from the vertex shader, too: llvmpipe loads each number of a uniform again for every
// eight samples, in 27 instructions. Together that was a quarter of all. Others interpolate it, which is worse: WebGL has
// uniforms.
#ifndef PER_DRAW
#define PER_DRAW flat in
#endif

in vec3 view_position;         // in a unit in which the scene is as large as 1
#ifndef GATHERED
in vec3 view_normal;
in vec2 uv;
#endif
in vec4 vertex_color;          // times the material's base colour, but for views
PER_DRAW vec4 finish;          // metallic, roughness; fragments with alpha outside [z, w) are not drawn
PER_DRAW vec4 glow;            // emissive; w: 1 for what is blended, 0 for what is opaque
PER_DRAW vec3 kind;            // 1 or 0: no light falls on it; faces have the normals, not vertices; no perspective

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
in vec4 view_tangent;          // w: the side of the bitangent; none where xyz is 0
#endif

uniform sampler2D metal_rough_texture;
uniform sampler2D normal_texture;
uniform sampler2D occlusion_texture;
uniform sampler2D emissive_texture;
PER_DRAW vec2 bump_shade;      // scale of the normal texture, strength of the occlusion texture
#endif

out vec4 fragment;

#ifdef VIEW
const float LOD_BIAS = 0.0;
#else
// Of lit surfaces one mip level is read, not two, which takes a tenth of the time of all: the sharper one more often,
// as a pixel is the mean of four samples. That comes closer to a picture of 256 samples a pixel than two levels do.
const float LOD_BIAS = -0.5;
#endif
