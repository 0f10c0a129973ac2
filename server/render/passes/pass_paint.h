/* pass_paint.h - one pass as colours, for the cells of a sheet. Pure; any thread.
 *
 * As the views of the same subject have them (protocol/http.md): depth is grey, white at the camera's near plane and
 * black at its far one; of a normal -1 to 1 are 0 to 255; an index has the colour of influence_id_color(). */
#pragma once

#include "base/picture/pass.h"
#include "render/passes/visibility.h"

struct pass_paint {
    enum pass pass;      /* one with a picture, but for PASS_COLOR */
    const void *numbers; /* as in struct pass_arrays */
    const struct visible *visible;
    uint32_t width, height;
    double near, far; /* of the camera */
};

/* Fills samples as picture_resolve() takes them, one a pixel: opaque where the pixel shows something, otherwise 0.
 * samples: [width * height] RGBA8, rows from the bottom. */
void pass_paint_samples(const struct pass_paint *paint, uint8_t *samples);
