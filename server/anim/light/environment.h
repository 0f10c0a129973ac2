/* environment.h - the light that comes from all around a model, as shaders take it: nine numbers a channel for diffuse
 * surfaces, and a map whose levels are roughnesses for what reflects. Pure.
 *
 * Directions are unit vectors of view space: x to the right, y up, z to the viewer. An environment hangs at the camera,
 * so that every view of a model is lit alike. Radiances are linear, sRGB primaries; 1 all around lights a white Lambert
 * surface so that it is 1, too. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { ENVIRONMENT_HARMONICS = 9 };

/* What a white Lambert surface with the normal n sends to the eye, linear RGB:
 *   c0 + c1 y + c2 z + c3 x + c4 xy + c5 yz + c6 (3 z^2 - 1) + c7 xz + c8 (x^2 - y^2)
 * (Ramamoorthi and Hanrahan 2001, An Efficient Representation for Irradiance Environment Maps, with their constants and
 * the 1 / pi of the surface multiplied in). Divided by 1, 2/3 and 1/4 for their bands (c0, c1..c3, c4..c8) they are the
 * radiance itself, as smooth as nine numbers have it. */
struct environment_harmonics {
    float c[ENVIRONMENT_HARMONICS][3];
};

/* The radiance from direction d, d[] being a unit vector. */
typedef void environment_radiance(const void *context, const double d[3], double rgb[3]);

/* From a formula. */
void environment_project(environment_radiance *radiance, const void *context, struct environment_harmonics *out);

/* The lights made by formula: each an environment_radiance that has no context. */
environment_radiance environment_studio;  /* soft boxes, walls and a floor */
environment_radiance environment_outdoor; /* a sky with a low sun, a horizon and a ground */
environment_radiance environment_flat;    /* white all around */
