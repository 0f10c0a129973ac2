/* rest_correction.h - the rotations C_j that bring a rig's rest to another's; see rest_motion.h for the formulas. Pure;
 * one thread. */
#pragma once

#include "anim/retarget/rest_motion.h"

/* Returns C_j of the joint that has `role`, in the scene of the model. above: that of the joint above. Needs both rigs,
 * model_from_source and the reference of *motion. */
struct mat3 rest_correct(const struct rest_motion *motion, int role, const struct mat3 *above);
/* Returns C_j of the hips, or of the chest, where the reference is a pose of its own. */
struct mat3 rest_correct_trunk(const struct rest_motion *motion, bool is_chest);
