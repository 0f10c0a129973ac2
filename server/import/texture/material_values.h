/* material_values.h - converts classic materials with diffuse and specular colours (B. T. Phong, "Illumination for
 * computer generated pictures", 1975) to glTF's metallic-roughness model. Colours of classic formats are sRGB, because
 * artists chose them on a screen: linear_from_srgb() of color.h converts them. Pure. */
#pragma once

#include "anim/model/color.h"
#include "anim/model/model.h"

#include <stdbool.h>

/* Clamps to 0..1; NAN becomes 0. */
static inline float fraction(double value) { return value > 0 ? value < 1 ? (float)value : 1 : 0; }
bool is_black(const float color[3]);

/* Converts the positive exponent n of a Blinn-Phong highlight to a roughness. alpha = sqrt(2 / (n + 2)) gives similar
 * lobes (Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", 5.2; Karis 2013, "Specular BRDF
 * Reference"), and alpha is the square of the roughness (glTF 2.0, B.2.3). */
float roughness_from_exponent(float n);
/* Returns the roughness of a highlight: 1 if its colour is black or it has no exponent. */
float classic_roughness(const float specular[3], float exponent);

/* Sets the base colour from sRGB. A texture already set replaces the colour. */
void material_set_color(struct material *to, const float color[3]);
/* Sets the opacity and the alpha mode. */
void material_set_opacity(struct material *to, float opacity);
/* Sets the emission from an sRGB colour times an intensity in linear light, limited to EMISSION_MAX. Black with a
 * texture already set means the texture alone. A dark or unlit material emits nothing and loses the texture. */
#define EMISSION_MAX 1e6f
void material_set_emission(struct material *to, const float color[3], float intensity);
