/* key_reduction.h - finds keys of a channel that its other keys give.
 *
 * Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The keys of a channel. */
struct key_curve {
    const double *times; /* [count], ascending */
    const float *values; /* [count * width]; of CUBICSPLINE [count * 3 * width]: in-tangent, value, out-tangent */
    uint32_t count, width;
    bool is_rotation;       /* unit quaternions: interpolated along the shorter arc, and q is the same as -q */
    bool is_step, is_cubic; /* otherwise LINEAR */
};

/* Writes the keys to keep to kept[count], ascending, and returns their number: 1 when no key is further than
 * `tolerance` from the first, otherwise the first and the last key are among them. Every other key is within
 * `tolerance` of what its neighbours in `kept` give: of rotations an angle in radians, along the arc and along its
 * chord; otherwise the largest difference of a component. A cubic is within it also at three times between two keys;
 * tangents stay as they are, since glTF's are slopes. With tolerance 0 only keys with equal values fall away. Sets
 * *looks to the number of keys that it looked at, about count * log(count) at most; once it exceeds looks_most, all
 * further keys are kept. */
uint32_t keys_reduce(const struct key_curve *curve, double tolerance, uint64_t looks_most, uint32_t *kept,
                     uint64_t *looks);
