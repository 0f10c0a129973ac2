/* expression.h - how the expressions of a VRM file's human act on each other (VRMC_vrm-1.0, expressions.md).
 *
 * A weight is cut to 0..1, and is 0 or 1 if the expression is binary; expressions that override the mouth, the blinking
 * or the gaze multiply the weights of these presets by
 *
 *   max(0, 1 - sum of (block: 1 where the overriding weight is not 0; blend: that weight))
 *
 * where a binary weight that is overridden at all becomes 0. A morph weight is the sum of expression weight times bind.
 * Pure; any thread. */
#pragma once

#include "anim/model/model.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the index of the expression with this name, or -1. */
int32_t expression_find(const struct model *model, const char *name, size_t size_bytes);

/* The kinds of presets that others override, or -1 for an expression that is none of them. */
enum expression_part { EXPRESSION_MOUTH, EXPRESSION_BLINK, EXPRESSION_GAZE, EXPRESSION_PART_COUNT };
int8_t expression_part(const struct model *model, uint32_t expression);

/* Returns the share that expressions of these weights, 0..1, leave of a part: at most 1; none where it is not above 0.
 */
double expressions_left(const struct model *model, const int8_t *parts, const float *weights,
                        enum expression_part part);

/* Makes what is shown, [expression_count], of the weights that are wanted, in place: cuts, rounds and overrides them.
 * parts: [expression_count] of expression_part(). */
void expressions_show(const struct model *model, const int8_t *parts, float *weights);
