/* texture_mip.h - resampling of RGBA8 pixels by area. TEXTURE_COLORS in linear light and weighted by alpha, so that
 * neither dark fringes nor the colour of invisible pixels come into smaller pictures; TEXTURE_DATA channel by channel,
 * as plain numbers; TEXTURE_RADIANCE as light. No I/O; one thread. */
#pragma once

#include "anim/model/model.h"

#include <stdint.h>

/* The sRGB curve (IEC 61966-2-1) and its inverse, of bytes: linear light from 0 to 1. */
float mip_linear_of(uint8_t srgb);
uint8_t mip_srgb_of(float linear);

/* The smallest power of two that is >= side, at most `side_max` rounded down to one. side >= 1, side_max >= 1. */
uint32_t mip_side(uint32_t side, uint32_t side_max);

/* Levels down to 1x1, and bytes of all of them, of a power-of-two picture. */
uint32_t mip_level_count(uint32_t width, uint32_t height);
uint64_t mip_bytes(uint32_t width, uint32_t height);

/* to[to_width * to_height * 4] and from[from_width * from_height * 4] may not overlap; all sides >= 1.
 * Equal sizes copy. */
void mip_resample(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                  uint32_t to_height, enum texture_content content);

/* The same for pictures that do not shrink, without mixing pixels: each becomes a rectangle. */
void mip_repeat(const uint8_t *from, uint32_t from_width, uint32_t from_height, uint8_t *to, uint32_t to_width,
                uint32_t to_height);

/* Fills levels 1.. behind level 0 in pixels[mip_bytes(width, height)]. */
void mip_fill(uint8_t *pixels, uint32_t width, uint32_t height, enum texture_content content);
