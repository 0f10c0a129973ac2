/* png.h - writes pixels as a PNG file (ISO/IEC 15948), for pictures inside other answers.
 *
 * Pure; any thread. It uses zlib instead of the renderer's isa-l, because a response with a strong ETag needs the same
 * bytes on every processor. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

/* Appends a PNG of width x height RGBA8 pixels (both above 0), top row first: 8 bits a channel, straight alpha, and no
 * alpha channel when every pixel is opaque. Returns 0, or ERR_NO_MEMORY; a full `out` is marked as failed, as usual. */
struct err;
int png_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, struct err *err);
