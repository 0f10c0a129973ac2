/* fbx_tangent.h - the tangents of a curve's keys, from what a file says of them. Pure; any thread.
 *
 * A file stores flags and four floats with each key: the slope to its right, the slope to the left of the next key,
 * two packed weights and two packed velocities; or tension, continuity and bias (FBX SDK Reference: FbxAnimCurveDef,
 * FbxAnimCurveKey). Slopes of automatic tangents are not stored but follow from the neighbouring keys; velocities are
 * for user interfaces. */
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
    FBX_FLAG_CLAMP = 0x1000,            /* flat beside a key of the same value */
    FBX_FLAG_TIME_INDEPENDENT = 0x2000, /* the chord between the neighbours, and nothing else */
    FBX_FLAG_CLAMP_PROGRESSIVE = 0x4000,
    FBX_FLAG_WEIGHTED_RIGHT = 0x1000000,
    FBX_FLAG_WEIGHTED_NEXT_LEFT = 0x2000000,
};

struct fbx_key_data {
    uint32_t flags;
    uint32_t bits[4]; /* the floats' */
};

/* Completes the keys of a curve, whose times and values are there: interpolations and tangents, of data[key_count].
 * What is not finite counts as 0. */
void fbx_tangents_solve(struct fbx_curve *curve, const struct fbx_key_data *data);

/* Slope of an automatic tangent, from the neighbours of key `key`. At the first and the last key it is the chord's;
 * with one key, or where a neighbour is at the same time, the other one counts. weight[2]: of its left and right
 * tangent. bias: pulls to one side's chord, in percent; beyond 500 it steepens. flags: FBX_FLAG_CLAMP,
 * FBX_FLAG_TIME_INDEPENDENT, FBX_FLAG_CLAMP_PROGRESSIVE. */
double fbx_tangent_auto(const struct fbx_curve *curve, uint32_t key, const double weight[2], double bias,
                        uint32_t flags);
