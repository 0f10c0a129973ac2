/* spline_end.h - values and slopes of a channel of cubic splines on either side of a time (glTF 2.0, appendix C.4).
 * Rotations are not normalized. Before its first key and after its last one a channel holds. Pure; any thread. For
 * clip_splines.c. */
#pragma once

#include "anim/model/model.h"

/* How far ahead keys are fetched, because callers go through many channels side by side. */
enum { SPLINE_AHEAD_FLOATS = 64 };

/* One side of a time: an element for each component of the channel; slopes are per second. */
struct spline_end {
    double value[4], slope[4];
};

/* Fills both sides of key `k` of the channel. */
void spline_key(const struct model *model, const struct channel *channel, uint32_t k, struct spline_end *before,
                struct spline_end *after);

/* Evaluates the cubic Hermite spline of n components between two ends at u, which is 0 to 1. */
void spline_between(const struct spline_end *from, const struct spline_end *to, uint32_t n, double u, double distance_s,
                    struct spline_end *out);

/* Fills both sides of a time. `key` is the last key at or before it, or the first. */
void spline_ends(const struct model *model, const struct channel *channel, uint32_t key, double time_s,
                 struct spline_end *before, struct spline_end *after);
