/* axes.h - from a model's axes and unit to those of glTF. Private to server/wire. Pure. */
#pragma once

#include "anim/model/model.h"

#include <stdbool.h>

/* The rotation and scale to +Y up, front +Z, metres (glTF 2.0, 3.4). False: the model has them. */
bool axes_find(const struct model_info *info, float gltf_from_scene[16]);
