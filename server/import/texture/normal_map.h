/* texture_height.h - maps of normals, made of maps of heights. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* How high the brightest texel is above a black one, as a share of the picture's width: files give bump maps a factor,
 * but no unit. */
#define NORMAL_MAP_HEIGHT 0.01f

/* from: level 0 of a texture, RGBA8, of which the brightness (ITU-R BT.709) counts; out: as large, RGBA8: the unit
 * normal n as (n + 1) / 2, +Y up in the picture, as glTF 2.0 (3.9.3) has it. height: see above; negative for dents.
 * Slopes are Sobel's, which look beyond the borders as the texture wraps. */
void normal_map_from_heights(const struct texture *texture, const uint8_t *from, float height, uint8_t *out);
