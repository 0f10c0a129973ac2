/* curve_fit.h - any motion as a track of keys, to within a bound. Pure; any thread.
 *
 * Straight pieces between the given times where that is the motion; else cubic ones, each cut in half until it is near
 * enough, at eight points of it and at extrema. A value that jumps at a time gets a key at the last double before it,
 * so that no time lies in the jump. */
#pragma once

#include "import/curve/track.h"

/* How far a track may be from the motion it stands for: of a unit quaternion's components, and of the largest value
 * that other tracks have. Values are float32, whose own rounding is 6e-8. */
#define CURVE_FIT_BOUND 1e-7

struct curve_fit {
    /* The motion: component_count doubles to out; rotations are unit quaternions of either sign. */
    void (*at)(void *user, double time_s, double *out);
    /* Its turn between two times in radians, at most about; NULL: it does not turn. */
    double (*turn)(void *user, double from_s, double to_s);
    void *user;
    const double *times_s; /* [time_count], rising, at least 1: where pieces of the motion meet */
    uint32_t time_count;
    const double *extrema_s; /* [extremum_count], rising: where what moves it turns back, or NULL */
    uint32_t extremum_count;
    uint32_t components;
    bool is_rotation;
    double bound;  /* CURVE_FIT_BOUND or less */
    bool may_step; /* a motion that stands still between its times becomes a stepped track */
    uint64_t key_limit;
};

/* A motion that stands still becomes one key. is_near: the bound was kept at all times that were tried; false when a
 * piece could not be halved further, as where a curve is vertical. Returns 0, ERR_BAD_KEYS (a value is not finite) or
 * ERR_MODEL_LIMIT (more keys than key_limit); on failure *track is empty. */
int curve_fit(struct track *track, const struct curve_fit *fit, bool *is_near, struct err *err);
