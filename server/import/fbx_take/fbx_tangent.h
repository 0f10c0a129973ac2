/* fbx_tangent.h - computes the tangents of a curve's keys from the file's data. Pure; any thread.
 *
 * A file stores flags and four floats with each key. These are either the slope to its right, the slope to the left of
 * the next key, two packed weights and two packed velocities, or tension, continuity and bias (FBX SDK Reference:
 * FbxAnimCurveDef, FbxAnimCurveKey). Files do not store the slopes of automatic tangents; they follow from the
 * neighbouring keys. Velocities serve only user interfaces. */
#pragma once

#include "import/fbx_take/fbx_curve.h"

enum fbx_key_flags {
    FBX_FLAG_CONSTANT = 0x2,
    FBX_FLAG_LINEAR = 0x4,
    FBX_FLAG_CUBIC = 0x8,
    FBX_FLAG_NEXT = 0x100, /* of constant keys */
    FBX_FLAG_AUTO = 0x100, /* of cubic keys */
    FBX_FLAG_TCB = 0x200,
    FBX_FLAG_USER = 0x400,
    FBX_FLAG_CLAMP = 0x1000,            /* flat next to a key with the same value */
    FBX_FLAG_TIME_INDEPENDENT = 0x2000, /* exactly the chord between the neighbours */
    FBX_FLAG_CLAMP_PROGRESSIVE = 0x4000,
    FBX_FLAG_WEIGHTED_RIGHT = 0x1000000,
    FBX_FLAG_WEIGHTED_NEXT_LEFT = 0x2000000,
};

struct fbx_key_data {
    uint32_t flags;
    uint32_t bits[4]; /* bit patterns of the floats */
};

/* Sets the interpolations and tangents of a curve's keys, whose times and values are set, from data[key_count].
 * Non-finite numbers count as 0. */
void fbx_tangents_solve(struct fbx_curve *curve, const struct fbx_key_data *data);

/* The slope of an automatic tangent at key `key`, computed from its neighbours. At the first and the last key it is the
 * chord's slope. If there is one key, or one neighbour is at the same time, the other neighbour alone counts.
 * weight[2]: weights of the left and right tangent. bias: pulls towards one side's chord, in percent; beyond 500 it
 * steepens. flags: FBX_FLAG_CLAMP, FBX_FLAG_TIME_INDEPENDENT, FBX_FLAG_CLAMP_PROGRESSIVE. */
double fbx_tangent_auto(const struct fbx_curve *curve, uint32_t key, const double weight[2], double bias,
                        uint32_t flags);
