/* png.h - pixels as a PNG file (ISO/IEC 15948), for pictures inside other answers.
 *
 * Pure; any thread. zlib and not the isa-l of the renderer: its bytes are the same on every processor, as those of an
 * answer with a strong ETag must be. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

/* Appends the PNG of width x height pixels (both above 0) of RGBA8, rows top first: 8 bits a channel, straight alpha,
 * without an alpha channel where every pixel is opaque. Returns 0, or ERR_NO_MEMORY; when `out` is full it is marked
 * failed, as always. */
struct err;
int png_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, struct err *err);
