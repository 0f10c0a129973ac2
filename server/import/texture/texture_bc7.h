/* texture_bc7.h - a block of BC7, for DDS pictures. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BC7_PIXELS = 16, BC7_BYTES = 16 };

/* Decodes BC7_BYTES bytes to 4 x 4 pixels. Any bytes are a block. */
void bc7_decode(const uint8_t *block, uint8_t rgba[BC7_PIXELS][4]);
