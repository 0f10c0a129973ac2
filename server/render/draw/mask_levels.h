/* mask_levels.h - makes the smaller mip levels of textures that cut holes. Pure; any thread.
 *
 * The mean alpha of leaves with gaps between them is below the cutoff, so they would vanish from afar, or fill up where
 * they are dense. So the alphas of each smaller level are scaled until the same share of its texels is at or above the
 * cutoff as in the first level (Castano 2010, Computing Alpha Mipmaps). */
#pragma once

#include "anim/model/model.h"

/* Returns such levels of texture `t`, laid out as in struct texture, which the caller frees. NULL where the levels stay
 * unchanged: no material cuts holes with it, a blended material uses its alpha, or memory ran out. */
uint8_t *mask_levels_make(const struct model *model, uint32_t t);
