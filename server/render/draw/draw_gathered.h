/* draw_gathered.h - draws meshes of many small triangles. The context's thread only. */
#pragma once

#include "render/draw/draw.h"

/* Draws those opaque surfaces, before all others, that take less time so than triangle by triangle, and marks them as
 * gathered in `posed`; the others are as they were. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int draw_gathered(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                  struct err *err);
