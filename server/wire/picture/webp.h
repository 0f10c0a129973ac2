/* webp.h - writes the pixels of a texture as a WebP file, by libwebp. Pure; any thread. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Appends a WebP of width x height RGBA8 pixels (1 to 16383), top row first, straight alpha. quality: 1 to 100.
 * is_data: without loss, because a lossy WebP has half of the resolution for hues. Returns 0 or ERR_NO_MEMORY; a full
 * `out` is marked as failed. */
int webp_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t quality, bool is_data,
             struct err *err);
