/* uastc.h - decodes UASTC LDR 4x4: blocks of 16 bytes, each of 4x4 texels, one of 19 modes of ASTC with the fields in
 * another order. Pure.
 *
 * Source: the UASTC Texture Specification of Basis Universal (wiki), and the chapter on ASTC of the Khronos Data Format
 * Specification 1.3. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { UASTC_BLOCK_BYTES = 16 };

/* Sets the 16 texels of a block: RGBA8, rows top first. False: the mode or the partition is reserved. */
bool uastc_decode(const uint8_t block[UASTC_BLOCK_BYTES], uint8_t texels[64]);
