/* radiance_write.h - writes an environment as a Radiance file (.hdr) with run-length encoding of scanlines. Pure; any
 * thread. */
#pragma once

#include "anim/light/environment.h"
#include "base/buf.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The picture to write: an equirectangular map (anim/light/panorama.h) of `radiance`. */
struct radiance_picture {
    environment_radiance *radiance;
    const void *context;
    uint32_t width, height; /* 8..32767 pixels wide */
};

/* Appends the file. If *is_stopped becomes true, `out` fails with BUF_STOPPED. */
void radiance_write(struct buf *out, const struct radiance_picture *picture, const _Atomic bool *is_stopped);
