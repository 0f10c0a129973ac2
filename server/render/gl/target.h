/* target.h - what is drawn into: RGBA8 with 24 bits of depth and 8 of stencil, a few sizes kept. The context's thread
 * only. */
#pragma once

#include "render/gl/gl.h"

#include <stdint.h>

enum { TARGET_COUNT = 4 };

struct target {
    uint32_t width, height; /* 0: an empty place */
    GLuint framebuffer, color, depth;
    uint64_t used_at;
};

struct targets {
    struct target kept[TARGET_COUNT];
    uint64_t clock;
};

/* Binds a cleared (transparent) framebuffer of this size and sets the viewport. Zero-initialise *targets before the
 * first call. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int target_bind(struct targets *targets, const struct gl *gl, uint32_t width, uint32_t height, struct err *err);
void targets_fini(struct targets *targets, const struct gl *gl);
