/* constraint.h - evaluates the constraints of a model (anim/model/node_constraint.h). A step of pose_compose(), between
 * local transforms and scene matrices.
 *
 * Pure; any thread, one struct pose per thread. The formulas are those of vrm-specification, VRMC_node_constraint-1.0,
 * in double. Each constraint replaces the node's local rotation by
 *
 *   slerp(rest rotation of the node, what the kind of constraint says, weight)
 *
 * whatever a clip or a blend gave the node, so that evaluating twice changes nothing. Translation and scale stay. The
 * scene rotation of a node is the product of the local rotations from its root down, without scales. */
#pragma once

#include "anim/pose/pose.h"

/* Makes room for the model's constraints. False when memory runs out; *pose stays usable. */
bool constraints_reserve(struct pose *pose, const struct model *model);

/* Says that a given pose alone decides the node's rotation. Where it is the constraint's but for rounding, it stays as
 * it is given, so that an answer that is sent back comes again with the same bits. Forgotten when the pose is sampled.
 */
void constraints_note_given(struct pose *pose, const struct model *model, uint32_t node);
void constraints_forget_given(struct pose *pose, const struct model *model);

/* Sets local[].rotation and is_animated of all nodes with constraints, from the others' local transforms. The model has
 * constraints. It takes time for each constraint, and at most once for each node, however deep the hierarchy is. Where
 * an aim has no direction, because source and node are at the same place or not finite, the node rests. */
void constraints_apply(struct pose *pose, const struct model *model);
