/* given_looks.h - the expressions of a VRM file that look somewhere, in a given pose. Pure; any thread. */
#pragma once

#include "anim/given/given_look.h"
#include "anim/given/given_weights.h"

/* Returns how many binds the expressions have that the look sets. */
uint32_t given_looks_binds(const struct given_weights *weights);

/* Finishes the look that rest_look_find() began: its kind, LOOK_ANGLES or LOOK_POINT, its target, and what these
 * expressions add to morph weights and materials, in out->binds, which has room for all their binds. A morph target
 * that is given itself is not moved by them. The look becomes LOOK_NONE where the weights say it all. */
void given_looks_find(struct given_look *out, const struct given_weights *weights, uint32_t kind,
                      const double target[3]);
