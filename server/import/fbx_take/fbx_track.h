/* fbx_track.h - curves that the baked model can say as they are, as a track of the file's own keys. Pure. */
#pragma once

#include "import/curve/track.h"
#include "import/fbx_take/fbx_layer.h"

/* One number of a value: constant + factor * curve; NULL: the constant alone. Times are seconds of the clip. */
struct fbx_component {
    const struct fbx_curve *curve;
    double factor, constant;
};

/* A key at each key of a component within 0 and stop_s, and at these ends where a piece goes beyond; a jump between
 * straight or cubic pieces gets one at the last double before it. Stepped where all pieces are constant, else linear,
 * else cubic; one key where nothing moves. *is_exact is false, and *track empty, where a curve has weights of its own
 * or tangents so steep that a third is not FBX_WEIGHT, which no cubic track says. Returns 0, ERR_BAD_KEYS (a value or
 * tangent is beyond float32) or ERR_MODEL_LIMIT (more than value_limit numbers). */
int fbx_track_exact(struct track *track, const struct fbx_component *components, uint32_t count, double stop_s,
                    uint64_t value_limit, bool *is_exact, struct err *err);
