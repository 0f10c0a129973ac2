/* jpeg.h - writes the pixels of a texture as a JPEG file, by libjpeg-turbo. Pure; any thread. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Appends a JPEG of width x height RGBA8 pixels (both above 0), top row first, without their alpha. quality: 1 to 100.
 * is_data: numbers keep the resolution of each channel; colours have half of it for their hue. Returns 0 or
 * ERR_NO_MEMORY; a full `out` is marked as failed. */
int jpeg_put(struct buf *out, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t quality, bool is_data,
             struct err *err);
