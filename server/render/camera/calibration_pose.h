/* calibration_pose.h - recognizes the pose in which an actor stands while a capture system is calibrated: upright, both
 * arms stretched to the sides (T) or obliquely down (A). Pure; any thread. */
#pragma once

#include "anim/pose/pose.h"

/* The joints that decide; the left one, then the right one. */
struct calibration_joints {
    bool is_known; /* the model has them all */
    uint32_t upper_arms[2], lower_arms[2], hands[2], upper_legs[2], lower_legs[2], feet[2];
};

/* Finds the joints by their roles (anim/humanoid/humanoid.h). */
void calibration_joints_find(struct calibration_joints *joints, const struct model *model);
/* How the evaluated pose calibrates: not at all; with spread arms only, as on the way to or from such a pose; or fully.
 * up: unit vector. */
enum calibration { CALIBRATION_NONE, CALIBRATION_NEAR, CALIBRATION_FULL };
enum calibration calibration_of_pose(const struct calibration_joints *joints, const struct pose *pose,
                                     const float up[3]);
