/* pace.h - how a rough cost turns into what a thing really takes on this machine: learned from those that were done.
 * Pure; one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing was learned. */
struct pace {
    double factor;  /* of what was expected */
    uint32_t count; /* things that it was learned from */
};

/* A thing of an expected cost took `was`, in the same unit; both above 0, else nothing is learned. The last dozen or so
 * count. */
void pace_learn(struct pace *pace, double expected, double was);
/* What a thing of this expected cost will take. */
double pace_apply(const struct pace *pace, double expected);
