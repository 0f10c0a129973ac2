/* debug_view.h - a prepared frame to the pixels of a view other than lit, in the bound framebuffer. The context's
 * thread only.
 *
 * Surfaces are as in lit pictures where they hide what is behind them: culled and cut out (alpha MASK) alike. Blended
 * materials have no mean of numbers: they are solid where texture and vertex colour have an alpha of 1/2 or more, and
 * absent elsewhere and where their factor is 0. */
#pragma once

#include "base/view.h"
#include "render/draw/draw.h"

/* Uniforms that a program does not have are -1, which GL ignores. */
struct debug_view_program {
    struct program base; /* its name is 0 until it is made */
    GLint topology, paint, depth_range, scale;
};

/* What the views use beside struct drawing. A program is made when it is first needed and lives as long as the context.
 * Zero-initialise. */
struct debug_views {
    struct debug_view_program paint[2], wire[2]; /* with a base colour alone, and full */
    GLuint ids, ids_texture;
};

struct debug_view_query {
    enum view view;
    uint32_t joint; /* 0, or 1 + the node that the view is about */
    uint32_t scale; /* samples that are a pixel's side */
    uint32_t side;  /* of the picture, the shorter one, in pixels */
};

/* Returns 0, ERR_BAD_PARAMETER when the model has no such joint, ERR_MODEL_LIMIT, ERR_NO_MEMORY or ERR_RENDER_FAILED;
 * the GL state is afterwards that of drawing_init(). */
int debug_views_draw(struct debug_views *views, struct drawing *drawing, const struct loaded_model *loaded,
                     const struct posed_model *posed, const struct debug_view_query *query, struct err *err);
