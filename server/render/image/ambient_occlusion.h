/* ambient_occlusion.h - darkens the corners of a picture, which little ambient light reaches. Pure; one thread.
 *
 * It works on the picture's depths, like McGuire and others (Alchemy, 2011) and Filion and McNaughton (StarCraft II,
 * 2008, with pairs of samples). Along six lines through a pixel it examines pairs of places at equal distances on both
 * sides. A plane's GL depths are linear over the picture, with and without perspective. So the sum of a pair less twice
 * the pixel's own depth is zero on any plane, and no normals are needed. Where both places rise towards the eye by
 * tan(a), a cosine-weighted slice of the hemisphere keeps cos^2(a) of its light. Places much nearer or farther than
 * their distance belong to other things in front of or behind the pixel and do not count, so neither objects nor the
 * background get a halo.
 *
 * It is computed on a grid of about 192 cells and interpolated by depth. It darkens encoded colours by as much as less
 * light would with a linear tone map. */
#pragma once

#include "anim/model/mat.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Keeps memory from picture to picture. Zero-initialise. */
struct ambient_occlusion {
    float *grid;
    uint8_t *open;
    size_t grid_bytes, open_bytes;
    uint16_t factors[256]; /* factors of encoded colours, times 256, for each share of the light */
};

/* samples, depths: [width * scale * height * scale], rows from the bottom: RGBA8, premultiplied; GL's 24 bits of depth
 * above 8 of stencil, which is 0 on lit surfaces. Darkens the samples. Returns 0 or ERR_NO_MEMORY. */
int ambient_occlusion_darken(struct ambient_occlusion *occlusion, const uint32_t *depths, uint32_t width,
                             uint32_t height, uint32_t scale, const struct dmat4 *clip_from_view, uint8_t *samples,
                             struct err *err);
void ambient_occlusion_fini(struct ambient_occlusion *occlusion);
