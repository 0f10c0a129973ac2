/* clip_times.h - the times at which a clip is sampled so that what lies between them can be interpolated: rest_clip.h.
 * Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* Rising times, of [0, duration] at least; the caller's to free. NULL: there would be more than `most`. */
double *clip_times_make(const struct model *model, const struct clip *clip, uint64_t most, uint32_t *count);
