/* axes.h - converts a model's axes and unit to those of glTF. Private to server/wire. Pure. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>

/* Computes the rotation and scale to +Y up, +Z front, metres (glTF 2.0, 3.4). False when the model already has them. */
bool axes_find(const struct model_info *info, float gltf_from_scene[16]);
/* Whether the axis (0 to 2 for x to z) is up. */
bool axes_are_up(const struct model_info *info, uint32_t axis);
/* Computes the rotation and scale that make `axis` the up axis and multiply lengths by `scale`. axis -1 keeps the up
 * axis; an axis that is already up needs no rotation. False when nothing changes. */
bool axes_convert(const struct model_info *info, int32_t axis, double scale, float out[16]);
