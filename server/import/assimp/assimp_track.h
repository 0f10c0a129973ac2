/* assimp_track.h - tracks from keys as assimp has them, made safe: sorted, times rising, everything finite. Pure. */
#pragma once

#include "import/curve/track.h"

#include <assimp/types.h>

#include <assimp/anim.h>

/* keys[count] of a position, scale or rotation, in ticks. Of keys at one time the last counts.
 * Returns 0 or ERR_BAD_KEYS (a key is not finite); on failure *track is empty. */
int track_from_vectors(struct track *track, const struct aiVectorKey *keys, uint32_t count, double ticks_per_s,
                       struct err *err);
int track_from_rotations(struct track *track, const struct aiQuatKey *keys, uint32_t count, double ticks_per_s,
                         struct err *err);
/* Times and weights: values[count * components], in the order of times_s[count], both copied. */
int track_from_values(struct track *track, const double *ticks, const double *values, uint32_t count,
                      uint32_t components, double ticks_per_s, struct err *err);

/* The shortest decimal number that rounds to the float `value`, as a double; `value` itself when it is not a float.
 * Files write times as decimal text, and a time asked for as text then meets its key exactly. */
double track_decimal(double value);
