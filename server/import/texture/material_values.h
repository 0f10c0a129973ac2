/* material_values.h - classic materials, of diffuse and specular colours (B. T. Phong, "Illumination for computer
 * generated pictures", 1975), as glTF's metallic-roughness ones. Pure. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>

/* Within 0 to 1; what is no number is 0. */
static inline float fraction(double value) { return value > 0 ? value < 1 ? (float)value : 1 : 0; }
bool is_black(const float color[3]);

/* The sRGB curve (IEC 61966-2-1), within 0 to 1: colours of classic formats are what a painter saw on a screen. */
float linear_from_srgb(float srgb);

/* The exponent n of Blinn and Phong's highlight, positive, as a roughness: alpha = sqrt(2 / (n + 2)) makes the lobes
 * alike (Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", 5.2; Karis 2013, "Specular BRDF
 * Reference"), and alpha is the square of the roughness (glTF 2.0, B.2.3). */
float roughness_from_exponent(float n);
/* The roughness of a highlight: 1 where its colour is black, or its exponent none. */
float classic_roughness(const float specular[3], float exponent);

/* The colour, sRGB; a texture, which is there already, stands in its place. */
void material_set_color(struct material *to, const float color[3]);
/* The opacity, and whether the material is blended. */
void material_set_opacity(struct material *to, float opacity);
/* What it emits, sRGB, times an intensity in linear light, which counts up to EMISSION_MAX. Black under a texture,
 * which is there already, means that the texture says it all. One that is dark or unlit emits nothing, and loses the
 * texture. */
#define EMISSION_MAX 1e6f
void material_set_emission(struct material *to, const float color[3], float intensity);
