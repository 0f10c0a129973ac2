/* given_looks.h - the expressions of a VRM file that look somewhere, in a given pose. Private to wire. Pure; any
 * thread.
 */
#pragma once

#include "anim/given/given_look.h"
#include "wire/given/given_weights.h"

/* Returns true when the look sets expressions that change something. */
bool given_looks_are_any(const struct given_weights *weights);

/* Lists what these expressions add to morph weights and materials. A morph target that is asked for itself is not moved
 * by them. */
void given_looks_find(struct given_look *out, const struct given_weights *weights);
