/* given_materials.h - what the expressions of a given pose do to materials. Private to anim/given. Pure; any thread. */
#pragma once

#include "anim/given/given_weights.h"

/* Lists the materials that the expressions change, then the expressions' shares in them. */
void given_materials_add(struct given_weights *weights);

/* Returns the place of what a bind changes among weights->materials, or -1: pictures do not show it. */
int32_t given_materials_place(const struct given_weights *weights, const struct expression_bind *bind);

/* Fills out[material_count * GIVEN_MATERIAL_VALUES] with what weights->shown makes of them. */
void given_materials_put(const struct given_weights *weights, double *out);
