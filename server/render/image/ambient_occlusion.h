/* ambient_occlusion.h - darkens the corners of a picture, which little of the light around gets to. Pure; one thread.
 *
 * From the depths of the picture, as McGuire and others (Alchemy, 2011) and Filion and McNaughton (StarCraft II, 2008,
 * with pairs of samples) do. Along six lines through a pixel pairs of places at one distance on both sides are looked
 * at. GL's depths of a plane are linear over the picture, with and without perspective: so what a pair has more than
 * twice the pixel's own depth is zero on a plane, however it is tilted, and needs no normals; where both rise towards
 * the eye by tan(a), a cosine-weighted slice of the hemisphere keeps cos^2(a) of its light. Places that are much nearer
 * or farther than they are apart from the pixel are other things, before and behind it, and do not count: nothing has a
 * halo, and neither has the background.
 *
 * It is computed on a grid of about 192 cells and mixed by depth between them. It darkens colours as they are encoded,
 * as much as less light would where the tone map is linear. */
#pragma once

#include "anim/model/mat.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Keeps memory from one picture to the next. Zero-initialise. */
struct ambient_occlusion {
    float *grid;
    uint8_t *open;
    size_t grid_bytes, open_bytes;
    uint16_t factors[256]; /* of encoded colours, of 256, for each share of the light */
};

/* samples, depths: [width * scale * height * scale], rows bottom first: RGBA8, premultiplied; GL's 24 bits of depth
 * above 8 of stencil, which is 0 where light falls on the surface. Darkens the samples. Returns 0 or ERR_NO_MEMORY. */
int ambient_occlusion_darken(struct ambient_occlusion *occlusion, const uint32_t *depths, uint32_t width,
                             uint32_t height, uint32_t scale, const struct dmat4 *clip_from_view, uint8_t *samples,
                             struct err *err);
void ambient_occlusion_fini(struct ambient_occlusion *occlusion);
