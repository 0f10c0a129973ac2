/* environment.h - the light from all around a model in the form that shaders use: nine numbers a channel for diffuse
 * surfaces, and for reflections a map with one level per roughness. Pure.
 *
 * Directions are unit vectors of view space: x right, y up, z towards the viewer. An environment is fixed to the
 * camera, so that every view of a model is lit alike. Radiances are linear with the primaries of sRGB, finite and >= 0.
 * A radiance of 1 all around makes a white Lambert surface 1. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    ENVIRONMENT_HARMONICS = 9,
    ENVIRONMENT_SIDE = 128, /* side of the first level in texels, halved from level to level */
    ENVIRONMENT_LEVELS = 4,
    ENVIRONMENT_TEXELS = 128 * 128 + 64 * 64 + 32 * 32 + 16 * 16
};
/* The share of a level's side that lies beyond the octahedron's edge, on each of its four sides. It repeats what lies
 * across the edge, so that filters read correct texels there on all levels. */
#define ENVIRONMENT_MARGIN 0.0625

/* The light that a white Lambert surface with the normal n sends to the eye, linear RGB:
 *   c0 + c1 y + c2 z + c3 x + c4 xy + c5 yz + c6 (3 z^2 - 1) + c7 xz + c8 (x^2 - y^2)
 * (Ramamoorthi and Hanrahan 2001, An Efficient Representation for Irradiance Environment Maps, with their constants and
 * the 1 / pi of the surface multiplied in). Divided by 1, 2/3 and 1/4 for their bands (c0, c1..c3, c4..c8), the
 * coefficients give the radiance itself, as smooth as nine numbers can represent it. */
struct environment_harmonics {
    float c[ENVIRONMENT_HARMONICS][3];
};

/* Level l holds the reflection at roughness (l^2 + 2 l) / 15 around direction d: radiance under the lobe of glTF's
 * microfacets (GGX) when the eye is in the direction of the normal, which is d (Karis 2013, Real Shading in Unreal
 * Engine 4, the first of two sums). Level 0 is the radiance itself.
 *
 * The mapping is octahedral: p = d / (|x| + |y| + |z|); u, v = p.x, p.y, and for p.z < 0 (1 - |p.y|) sign(p.x), (1 -
 * |p.x|) sign(p.y). Texture coordinates are 0.5 + (0.5 - ENVIRONMENT_MARGIN) * (u, v), with rows of texels from v = -1
 * on. Texels are IEEE half floats RGBA with alpha 1, level after level, row after row: GL_RGBA16F, GL_HALF_FLOAT. */
struct environment {
    struct environment_harmonics harmonics;
    uint16_t map[ENVIRONMENT_TEXELS][4];
};

/* Computes the radiance from direction d. */
typedef void environment_radiance(const void *context, const double d[3], double rgb[3]);

/* Makes an environment. detail: the number of steps from pole to pole that capture all detail, such as the height of a
 * picture; at least 64 are taken. It calls `radiance` about detail * detail times and takes 0.1 s besides. Radiances
 * outside 0 to 65504 are clamped. Returns 0, or -1 when memory runs out or `is_stopped` (may be NULL), which it polls,
 * returns true. */
int environment_make(environment_radiance *radiance, const void *context, uint32_t detail,
                     int (*is_stopped)(const void *stop), const void *stop, struct environment *out);
/* Computes only the harmonics. With 64 steps this takes less than a millisecond. */
void environment_project(environment_radiance *radiance, const void *context, uint32_t detail,
                         struct environment_harmonics *out);

/* An environment_radiance for an equirectangular picture: rows run from straight up to straight down, columns once
 * around, with the middle column in front of the viewer (-z). */
struct environment_picture {
    const float *rgb; /* [height][width][3], linear */
    uint32_t width, height;
};
environment_radiance environment_equirectangular;

/* Lights defined by formulas; they ignore the context. */
environment_radiance environment_studio;  /* soft boxes, walls and a floor */
environment_radiance environment_outdoor; /* a sky with a low sun, a horizon and a ground */
environment_radiance environment_flat;    /* white all around */

/* The same as environments made at build time. Part of posed and posed-render, not of the library. */
extern const struct environment ENVIRONMENT_STUDIO, ENVIRONMENT_OUTDOOR, ENVIRONMENT_FLAT;
