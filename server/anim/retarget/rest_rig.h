/* rest_rig.h - a rig at rest: where its joints are and how they are turned, which way it stands and faces, how long its
 * legs are. Pure; one thread.
 *
 * Its axes are orthonormal columns left, up, forward, in scene space. Up leads from the feet to the hips, left from the
 * right leg to the left one, forward from the heels to the toes, or left x up in a rig without toes. No rig is even to
 * the last digit, so an axis that is nearly one that the file says, or one of the scene's, is taken for that. A rig
 * that a negative scale mirrors has left-handed axes. */
#pragma once

#include "anim/pose/pose.h"
#include "anim/retarget/humanoid.h"
#include "anim/model/mat3.h"

struct rest_rig {
    const struct model *model;
    struct humanoid humanoid;
    struct pose pose;             /* at rest */
    struct mat3 *scene_from_node; /* [node_count]: orthogonal parts of pose.scene_from_node */
    struct mat3 axes;
    double leg_length; /* hip to knee to ankle, the mean of both; > 0 */
};

/* Fills *rig; rest_rig_fini() in any case. Returns 0, or ERR_NO_HUMANOID for legs without length. */
int rest_rig_init(struct rest_rig *rig, const struct model *model, const struct humanoid *humanoid, struct err *err);
void rest_rig_fini(struct rest_rig *rig);

/* The orthogonal part of a scene matrix of a node, or as at rest where it is flat. */
struct mat3 rest_rig_turn(const struct rest_rig *rig, const struct pose *pose, uint32_t node);
/* Where a node is in a pose. */
static inline const double *pose_place(const struct pose *pose, int32_t node)
{
    return &pose->scene_from_node[node].m[12];
}
/* The vector from one place to another, and its length; *unit is 0 where there is none. */
double direction3(const double from[3], const double to[3], double unit[3]);
