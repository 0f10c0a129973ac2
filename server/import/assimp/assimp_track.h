/* assimp_track.h - converts assimp's keys to tracks with finite values and strictly rising times. Pure. */
#pragma once

#include "import/curve/track.h"

#include <assimp/types.h>

#include <assimp/anim.h>

/* Converts keys[count] of a position, scale or rotation; key times are in ticks. The last of several keys at one time
 * counts. Returns 0 or ERR_BAD_KEYS (a key is not finite); on failure *track is empty. */
int track_from_vectors(struct track *track, const struct aiVectorKey *keys, uint32_t count, double ticks_per_s,
                       struct err *err);
int track_from_rotations(struct track *track, const struct aiQuatKey *keys, uint32_t count, double ticks_per_s,
                         struct err *err);
/* Makes a track of weights: values[count * components] belong to ticks[count] in order. It copies both arrays. */
int track_from_values(struct track *track, const double *ticks, const double *values, uint32_t count,
                      uint32_t components, double ticks_per_s, struct err *err);
