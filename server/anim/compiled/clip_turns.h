/* clip_turns.h - bounds the lengths of rotations along cubic splines, by whose squares the kernels divide. Pure; any
 * thread. A spline lies within the convex hull of its Bezier points, so it suffices that these have lengths far enough
 * from 0 and infinity for floats and are on one side of 0. Slopes are per second. */
#pragma once

#include "anim/compiled/spline_end.h"
#include "anim/model/model.h"

#include <stdbool.h>

/* True when the spline between two ends has such lengths. */
bool clip_turns_is_good(const struct spline_end *from, const struct spline_end *to, double distance_s);

/* True when the splines of all lanes of a block that has LANES_CUBIC_ROTATE do, at all times of the clip. `at`: the
 * block's values in the first frame; times[clip->frame_count]. */
bool clip_turns_are_good(const struct compiled_clip *clip, const double *times, const float *at, uint32_t width);
