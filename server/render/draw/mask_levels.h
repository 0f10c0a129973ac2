/* mask_levels.h - the smaller mip levels of textures that cut holes. Pure; any thread.
 *
 * The mean of the alphas of leaves with gaps between them is below the cutoff: from afar they would vanish, or close
 * where they are dense. So the alphas of each smaller level are scaled until the same share of its texels is at or
 * above the cutoff as of the first level (Castano 2010, Computing Alpha Mipmaps). */
#pragma once

#include "anim/model/model.h"

/* The levels of texture `t` so, as struct texture has them; NULL where they stay as they are: no material cuts holes by
 * it, one that is seen through has its alpha, or there is no memory. The caller frees it. */
uint8_t *mask_levels_make(const struct model *model, uint32_t t);
