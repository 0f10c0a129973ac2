/* pace.h - calibrates rough cost estimates by measured durations on this machine. Pure; one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Zeroed, it has no measurements. */
struct pace {
    double factor;  /* mean ratio of measured to expected cost */
    uint32_t count; /* number of measurements */
};

/* Adds a measurement `was` of an expected cost, in the same unit. Both must be above 0, otherwise it is ignored. About
 * the last dozen measurements count. */
void pace_learn(struct pace *pace, double expected, double was);
/* Returns the calibrated cost. */
double pace_apply(const struct pace *pace, double expected);
