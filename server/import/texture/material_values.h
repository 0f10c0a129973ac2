/* material_values.h - colours and highlights of classic materials as glTF's metallic-roughness ones have them. Pure. */
#pragma once

/* The sRGB curve (IEC 61966-2-1), within 0 to 1: colours of classic formats are what a painter saw on a screen. */
float linear_from_srgb(float srgb);

/* The exponent n of Blinn and Phong's highlight, positive, as a roughness: alpha = sqrt(2 / (n + 2)) makes the lobes
 * alike (Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", 5.2; Karis 2013, "Specular BRDF
 * Reference"), and alpha is the square of the roughness (glTF 2.0, B.2.3). */
float roughness_from_exponent(float n);
