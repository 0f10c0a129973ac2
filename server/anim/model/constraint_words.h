/* constraint_words.h - the words of VRMC_node_constraint 1.0 for node_constraint.h. Pure; any thread. */
#pragma once

#include "anim/model/node_constraint.h"

/* Returns the member of the extension that has a constraint of this kind: "roll". kind: < CONSTRAINT_KIND_COUNT. */
const char *constraint_kind_word(uint32_t kind);
/* Returns the member that has the axis: "rollAxis"; NULL for a kind without an axis. */
const char *constraint_axis_member(uint32_t kind);
/* Returns the value of that member: "X", "PositiveX"; NULL for a kind without an axis. axis: <
 * constraint_axis_count(kind). */
const char *constraint_axis_word(uint32_t kind, uint32_t axis);
