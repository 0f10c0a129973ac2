/* key_reduction.h - finds keys of a channel that its other keys give.
 *
 * Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The keys of a channel with LINEAR or STEP interpolation. */
struct key_curve {
    const double *times; /* [count], ascending */
    const float *values; /* [count * width] */
    uint32_t count, width;
    bool is_rotation; /* unit quaternions: interpolated along the shorter arc, and q is the same as -q */
    bool is_step;
};

/* Writes the keys to keep to kept[count], ascending, and returns their number: 1 when no key is further than
 * `tolerance` from the first, otherwise the first and the last key are among them. Every other key is within
 * `tolerance` of what its neighbours in `kept` give: of rotations an angle in radians, along the arc and along its
 * chord; otherwise the largest difference of a component. With tolerance 0 only keys with equal values fall away. Sets
 * *looks to the number of keys that it looked at, about count * log(count) at most; once it exceeds looks_most, all
 * further keys are kept. */
uint32_t keys_reduce(const struct key_curve *curve, double tolerance, uint64_t looks_most, uint32_t *kept,
                     uint64_t *looks);
