/* constraint_order.h - the order in which constraints can be evaluated (anim/model/node_constraint.h). Pure. */
#pragma once

#include "anim/model/bake_builder.h"

/* Sorts so that each constraint stands after those that it depends on, and moves those that depend on themselves, by
 * way of others or of the hierarchy, to the end. Nodes of the builder have their parents, and each has one constraint
 * at most. Returns how many are in front. It takes time and memory for each node and constraint once (R. Tarjan,
 * "Depth-first search and linear graph algorithms", 1972). */
uint32_t constraint_order(const struct bake_builder *builder, struct node_constraint *constraints, uint32_t count);
