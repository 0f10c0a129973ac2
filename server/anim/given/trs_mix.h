/* trs_mix.h - changes one local transform by another: what additive layers and given poses do at a node
 * (anim/pose/blend.h). Pure; any thread. */
#pragma once

#include "anim/model/mat.h"

#include <stdint.h>

/* Takes `weight`, 0..1, of the parts (GIVEN_) of `of` in place of what is there: translations and scales linearly,
 * rotations on the shorter arc. Weight 1 gives exactly those of `of`. */
void trs_replace(const struct trs *of, uint32_t parts, double weight, struct trs *out);

/* Adds `weight` times the difference of `pose` from `reference`, in these parts, as blend.h has it. */
void trs_add(const struct trs *pose, const struct trs *reference, uint32_t parts, double weight, struct trs *out);
