/* volume_fit.h - fits a volume to points. Pure; any thread; the same points in the same order give the same bits.
 *
 * A fit leaves out points that would make it much larger: at most 1 in FIT_OUTSIDE_PART may lie outside. The result is
 * a good volume, not the smallest: it tries the directions of the points' principal axes and of the space. */
#pragma once

#include "anim/shape/volume.h"

#include <stdint.h>

enum { FIT_OUTSIDE_PART = 20 };

/* points[count], finite, count > 0. Fills all of *out but name and node. */
void volume_fit(enum volume_kind kind, const double (*points)[3], uint32_t count, struct hit_volume *out);
