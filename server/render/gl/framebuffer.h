/* framebuffer.h - framebuffers to draw into: RGBA8 with 24 bits of depth and 8 of stencil. A few sizes are kept. Only
 * on the context's thread. */
#pragma once

#include "render/gl/gl.h"

#include <stdint.h>

enum { FRAMEBUFFER_COUNT = 4 };

struct framebuffer {
    uint32_t width, height;    /* 0: unused entry */
    GLuint name, color, depth; /* color is a renderbuffer, depth a texture */
    uint64_t used_at;
};

struct framebuffer_cache {
    struct framebuffer kept[FRAMEBUFFER_COUNT];
    uint64_t clock;
};

/* Binds a cleared (transparent) framebuffer of this size and sets the viewport. Zero-initialise *cache before the first
 * call. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int framebuffer_bind(struct framebuffer_cache *cache, const struct gl *gl, uint32_t width, uint32_t height,
                     struct err *err);
/* Returns the framebuffer that framebuffer_bind() bound last. */
const struct framebuffer *framebuffer_bound(const struct framebuffer_cache *cache);
