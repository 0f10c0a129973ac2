/* draw.h - a prepared frame to pixels in the bound framebuffer. The context's thread only. */
#pragma once

#include "frame.h"
#include "gl.h"
#include "model_cache.h"
#include "program.h"

/* What every frame uses; lives as long as the context. */
struct drawing {
    const struct gl *gl;
    struct program program;
    GLuint vertex_array;
    GLuint white; /* texture */
    GLuint palette, palette_texture;
    struct vertex_arrays own; /* buffers for vertices that change from frame to frame */
};

/* Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int drawing_init(struct drawing *drawing, const struct gl *gl, struct err *err);
void drawing_fini(struct drawing *drawing);

/* Draws opaque surfaces, then blended ones from far to near, premultiplied, over what is there. `scale` samples are a
 * pixel's side: lines and points have their width in pixels. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int draw_frame(struct drawing *drawing, const struct loaded *loaded, struct frame *frame, uint32_t scale,
               struct err *err);
