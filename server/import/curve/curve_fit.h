/* curve_fit.h - fits a track of keys to any motion within an error bound. Pure; any thread.
 *
 * Linear segments join the given times if they match the motion. Otherwise cubic segments do, halved until each is
 * within the bound at eight sample points and at extrema. A value that jumps gets a key at the last double before the
 * jump, so that no time falls inside it. */
#pragma once

#include "import/curve/track.h"

/* The largest error of a track: absolute for components of a unit quaternion, relative to the largest value for other
 * tracks. Values are float32, whose own rounding is 6e-8. */
#define CURVE_FIT_BOUND 1e-7

struct curve_fit {
    /* Evaluates the motion: writes `components` doubles to out. Rotations are unit quaternions of either sign. */
    void (*at)(void *user, double time_s, double *out);
    /* Returns an estimated upper bound of the rotation between two times, in radians; NULL: no rotation. */
    double (*turn)(void *user, double from_s, double to_s);
    /* Returns an upper bound of the norm of the motion's sixth derivative between two times within a segment, by the
     * fraction of the time between them. Not finite: unknown, or the motion jumps at the segment's end. NULL: always
     * unknown. A smooth rotation with a low bound needs few samples. */
    double (*sixth)(void *user, double from_s, double to_s);
    void *user;
    const double *times_s; /* [time_count], rising, at least 1: where segments of the motion meet */
    uint32_t time_count;
    /* Returns the times of extrema of the driving curves, rising, [*count], which stay until the fit ends. Called once
     * at most, where a segment needs them. NULL: none. */
    const double *(*extrema)(void *user, uint32_t *count);
    uint32_t components;
    bool is_rotation;
    double bound;  /* CURVE_FIT_BOUND or less */
    bool may_step; /* a motion that is constant between its times becomes a stepped track */
    uint64_t key_limit;
};

/* Fits the motion; a constant motion becomes one key. *is_near is true if the track is within the bound at all sampled
 * times. It is false if a segment could not be halved further, as at a vertical curve. Returns 0, ERR_BAD_KEYS (a value
 * is not finite) or ERR_MODEL_LIMIT (more keys than key_limit); on failure *track is empty. */
int curve_fit(struct track *track, const struct curve_fit *fit, bool *is_near, struct err *err);
