/* debug_view.h - draws a prepared frame in a view other than lit to the bound framebuffer. Only on the context's
 * thread.
 *
 * Surfaces that hide what is behind them are treated as in lit pictures: culled and cut out (alpha MASK) alike. Blended
 * materials cannot be averaged: they are solid where texture and vertex colour have an alpha of 1/2 or more, and absent
 * elsewhere and where their factor is 0. */
#pragma once

#include "base/picture/view.h"
#include "render/draw/draw.h"

/* Uniforms that a program does not have are -1, which GL ignores. */
struct debug_view_program {
    struct program base; /* name is 0 until the program is made */
    GLint topology, paint, depth_range, scale;
};

/* State of the views besides struct drawing. A program is made on first use and lives as long as the context.
 * Zero-initialise. */
struct debug_views {
    struct debug_view_program paint[2], wire[2]; /* base colour only, and full */
    GLuint ids, ids_texture;
};

struct debug_view_query {
    enum view view;
    uint32_t joint; /* 0, or 1 + the node that the view shows */
    uint32_t scale; /* samples on a pixel's side */
    uint32_t side;  /* shorter side of the picture, in pixels */
};

/* Returns 0, ERR_BAD_PARAMETER when the model has no such joint, ERR_MODEL_LIMIT, ERR_NO_MEMORY or ERR_RENDER_FAILED.
 * Afterwards the GL state is that of drawing_init(). */
int debug_views_draw(struct debug_views *views, struct drawing *drawing, const struct loaded_model *loaded,
                     const struct posed_model *posed, const struct debug_view_query *query, struct err *err);
