/* mip.h - resamples RGBA8 pixels by area. It averages TEXTURE_COLORS in linear light, weighted by alpha, so
 * that smaller pictures get neither dark fringes nor the colour of invisible pixels. It averages TEXTURE_DATA per
 * channel as plain numbers, and TEXTURE_RADIANCE as light. No I/O; any thread. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* Convert between an sRGB byte (IEC 61966-2-1) and linear light in 0..1. */
float mip_linear_of(uint8_t srgb);
uint8_t mip_srgb_of(float linear);

/* Returns the smallest power of two >= side, limited to the largest power of two <= side_max. side >= 1, side_max >=
 * 1. */
uint32_t mip_side(uint32_t side, uint32_t side_max);

/* Return the number of levels down to 1x1 of a power-of-two picture, and the bytes of all levels. */
uint32_t mip_level_count(uint32_t width, uint32_t height);
uint64_t mip_bytes(uint32_t width, uint32_t height);

/* to[to_width * to_height * 4] and from[from_width * from_height * 4] may not overlap; all sides >= 1.
 * Equal sizes copy. */
void mip_resample(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                  uint32_t to_height, enum texture_content content);
/* The same. False: no memory for two rows. */
bool mip_try_resample(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                      uint32_t to_height, enum texture_content content);

/* Undoes mip_resample() to larger sides (mip_restore.c): the pixels are those before, but for what rounding to bytes
 * lost. It needs 16 bytes for each of them. No side may grow; not for TEXTURE_RADIANCE. False: no memory. */
bool mip_restore(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                 uint32_t to_height, enum texture_content content);

/* Enlarges without filtering: each pixel becomes a rectangle. No side may shrink. */
void mip_repeat(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                uint32_t to_height);

/* Undoes it: takes the pixel in the middle of each rectangle. No side may grow. */
void mip_unrepeat(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                  uint32_t to_height);

/* Fills levels 1.. after level 0 in pixels[mip_bytes(width, height)]. */
void mip_fill(uint8_t *pixels, uint32_t width, uint32_t height, enum texture_content content);
