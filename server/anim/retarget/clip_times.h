/* clip_times.h - the times at which a clip must be sampled so that values between can be interpolated (rest_clip.h).
 * Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* Returns rising times that include 0 and the duration; the caller frees them. NULL: there would be more than `most`.
 */
double *clip_times_make(const struct model *model, const struct clip *clip, uint64_t most, uint32_t *count);
