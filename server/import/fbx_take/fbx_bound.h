/* fbx_bound.h - how far a rotation that cubic angles drive can be from a cubic. Pure; any thread. */
#pragma once

#include "import/fbx_take/fbx_layer.h"

/* An upper bound of the sixth derivative of fbx_motion_turn() over a part of its time, from_s to to_s, which has no key
 * within: of the quaternion's norm, and by the fraction of the part, 0 to 1. Not finite where none is known: with
 * several layers, with weights of tangents, with a jump at the segment's end, and outside the keys. */
double fbx_motion_sixth(struct fbx_motion *motion, double from_s, double to_s);
