/* t_pose.h - retargeting between two files that promise VRM's T-pose at rest (vrm-specification,
 * VRMC_vrm_animation-1.0/how_to_transform_human_pose.md). Pure; any thread.
 *
 * There a rotation L of a bone with the scene's rest rotation W and the local one L0 is normalized to N = W L0^-1 L
 * W^-1 and becomes L0' W'^-1 N W' for the other rig. These are the rotations of rest_motion.h with C_j = 1: the product
 * of all N down to a joint is its turn since rest, in the scene. The specification also says what follows for bones
 * that only one rig has: the joints below keep the source's orientation. The places of the hips are scaled by their
 * heights at rest, as places in the scene and not as ways from rest: 0 0 0 stays the point between the feet. */
#pragma once

#include "anim/retarget/rest_rig.h"

bool t_pose_is_of_both(const struct model *model, const struct model *source);

/* Returns the height of the model's hips divided by that of the source's, or the ratio of their legs where hips do not
 * stand above the scene's ground. */
double t_pose_scale(const struct rest_rig *model, const struct rest_rig *source);

/* Computes where hips at a place of the source's scene are in the model's. */
void t_pose_place(const struct mat3 *model_from_source, double scale, const double source[3], double out[3]);
