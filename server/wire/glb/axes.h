/* axes.h - from a model's axes and unit to those of glTF. Private to server/wire. Pure. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>

/* The rotation and scale to +Y up, front +Z, metres (glTF 2.0, 3.4). False: the model has them. */
bool axes_find(const struct model_info *info, float gltf_from_scene[16]);
/* Whether that axis (0 to 2 for x to z) is up. */
bool axes_are_up(const struct model_info *info, uint32_t axis);
/* The rotation and scale by which this axis is up (-1: whichever is; one that is already turns nothing) and lengths are
 * `scale` times what they were. False: nothing changes. */
bool axes_convert(const struct model_info *info, int32_t axis, double scale, float out[16]);
