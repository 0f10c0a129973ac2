/* pass_exr.h - passes as one OpenEXR file: a part of scan lines with a channel for each component (pass_channel()),
 * compressed with ZIP. Any thread. The same numbers give the same bytes.
 *
 * Indices are UINT, where -1 is 4294967295; all other channels are FLOAT. Colour is what compositors calculate with:
 * linear light with the primaries of sRGB, times its alpha. The camera is in the standard attributes worldToCamera,
 * worldToNDC, screenWindowCenter and screenWindowWidth. */
#pragma once

#include "anim/camera/camera.h"
#include "base/buf.h"
#include "base/err.h"
#include "render/passes/pass_values.h"

#include <stdbool.h>
#include <stdint.h>

struct pass_exr {
    struct pass_arrays arrays; /* with PASS_COLOR: RGBA8, straight alpha, sRGB, rows from the top */
    uint32_t width, height;
    const struct camera *camera;
    bool is_small; /* compressed for size instead of speed */
};

/* Appends the file, or a part of it on failure. Returns 0, ERR_NO_MEMORY or ERR_INTERNAL. */
int pass_exr_put(struct buf *out, const struct pass_exr *file, struct err *err);

/* Names the libraries that decide the bytes, for people and for ETags: "OpenEXR 3.1.5, zlib 1.2.13". */
const char *pass_exr_libraries(void);
