/* draw_gathered.h - draws meshes of many small triangles. Only on the context's thread. */
#pragma once

#include "render/draw/draw.h"

/* Draws, before all others, those opaque surfaces that are faster this way than triangle by triangle, and marks them as
 * gathered in `posed`. The others are unchanged. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int draw_gathered(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                  struct err *err);
