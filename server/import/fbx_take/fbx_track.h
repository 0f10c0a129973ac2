/* fbx_track.h - converts curves that the baked model can represent exactly to a track with the file's own keys.
 * Pure. */
#pragma once

#include "import/curve/track.h"
#include "import/fbx_take/fbx_layer.h"

/* One component of a value: constant + factor * curve, or just the constant if `curve` is NULL. Times are seconds of
 * the clip. */
struct fbx_component {
    const struct fbx_curve *curve;
    double factor, constant;
};

/* Makes a key at each component's keys within 0 and stop_s, and at each of these ends if a segment extends beyond it. A
 * jump between linear or cubic segments adds a key at the last double before it. The track is stepped if all segments
 * are constant, else linear, else cubic; it has one key if nothing moves. *is_exact is false and *track empty if no
 * cubic track can represent a curve: it has its own weights, or tangents so steep that a third and FBX_WEIGHT give
 * different results. Returns 0, ERR_BAD_KEYS (a value or tangent is beyond float32) or ERR_MODEL_LIMIT (more than
 * value_limit numbers). */
int fbx_track_exact(struct track *track, const struct fbx_component *components, uint32_t count, double stop_s,
                    uint64_t value_limit, bool *is_exact, struct err *err);
