/* environment.h - the light that comes from all around a model, as shaders take it: nine numbers a channel for diffuse
 * surfaces, and a map whose levels are roughnesses for what reflects. Pure.
 *
 * Directions are unit vectors of view space: x to the right, y up, z to the viewer. An environment hangs at the camera,
 * so that every view of a model is lit alike. Radiances are linear, of sRGB's primaries, finite and from 0 on; 1 all
 * around lights a white Lambert surface so that it is 1, too. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    ENVIRONMENT_HARMONICS = 9,
    ENVIRONMENT_SIDE = 128, /* of the map's first level, in texels; each level has half as many */
    ENVIRONMENT_LEVELS = 5,
    ENVIRONMENT_TEXELS = 128 * 128 + 64 * 64 + 32 * 32 + 16 * 16 + 8 * 8
};
/* The share of the map's side, on each of them, that lies beyond the octahedron's edge: what filters read there is what
 * lies on the other side of it, on all levels. */
#define ENVIRONMENT_MARGIN 0.0625

/* What a white Lambert surface with the normal n sends to the eye, linear RGB:
 *   c0 + c1 y + c2 z + c3 x + c4 xy + c5 yz + c6 (3 z^2 - 1) + c7 xz + c8 (x^2 - y^2)
 * (Ramamoorthi and Hanrahan 2001, An Efficient Representation for Irradiance Environment Maps, with their constants and
 * the 1 / pi of the surface multiplied in). Divided by 1, 2/3 and 1/4 for their bands (c0, c1..c3, c4..c8) they are the
 * radiance itself, as smooth as nine numbers have it. */
struct environment_harmonics {
    float c[ENVIRONMENT_HARMONICS][3];
};

/* Level l is what surfaces of the roughness l / (ENVIRONMENT_LEVELS - 1) reflect around direction d: radiance under the
 * lobe that glTF's microfacets (GGX) have for an eye in the direction of the normal, which is d (Karis 2013, Real
 * Shading in Unreal Engine 4, the first of two sums). Level 0 is radiance. Where d lies on a level is octahedral: p = d
 * / (|x| + |y| + |z|); u, v = p.x, p.y, for p.z < 0 (1 - |p.y|) sign(p.x), (1 - |p.x|) sign(p.y); texture coordinates
 * 0.5 + (0.5 - ENVIRONMENT_MARGIN) * (u, v), rows of texels from v = -1 on. IEEE half floats RGBA, alpha 1; level after
 * level, row after row: GL_RGBA16F, GL_HALF_FLOAT. */
struct environment {
    struct environment_harmonics harmonics;
    uint16_t map[ENVIRONMENT_TEXELS][4];
};

/* The radiance from direction d. */
typedef void environment_radiance(const void *context, const double d[3], double rgb[3]);

/* detail: how many steps from pole to pole show all that there is to see, such as the height of a picture; 64 at least
 * is taken. Takes some detail * detail calls, and 0.1 s beside them. A radiance that is not from 0 to 65504 counts as
 * the nearest that is. Returns 0, or -1 when memory or `is_stopped`, unless NULL, ends it: that is asked now and then.
 */
int environment_make(environment_radiance *radiance, const void *context, uint32_t detail,
                     int (*is_stopped)(const void *stop), const void *stop, struct environment *out);
/* The harmonics alone; with 64 steps that takes less than a millisecond. */
void environment_project(environment_radiance *radiance, const void *context, uint32_t detail,
                         struct environment_harmonics *out);

/* An environment_radiance of a picture of all directions: its rows run from straight up to straight down, its columns
 * once around, the middle one before the viewer (-z). */
struct environment_picture {
    const float *rgb; /* [height][width][3], linear */
    uint32_t width, height;
};
environment_radiance environment_equirectangular;

/* The lights made by formula; they have no context. */
environment_radiance environment_studio;  /* soft boxes, walls and a floor */
environment_radiance environment_outdoor; /* a sky with a low sun, a horizon and a ground */
environment_radiance environment_flat;    /* white all around */

/* The same, made at build time. Part of posed and posed-render, not of the library. */
extern const struct environment ENVIRONMENT_STUDIO, ENVIRONMENT_OUTDOOR, ENVIRONMENT_FLAT;
