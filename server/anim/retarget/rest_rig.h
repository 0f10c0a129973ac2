/* rest_rig.h - a rig at rest: the places and rotations of its joints, its up and forward axes and the length of its
 * legs. Pure; one thread.
 *
 * Its axes are the orthonormal columns left, up, forward, in scene space. Up points from the feet to the hips, left
 * from the right leg to the left one, forward from the heels to the toes, or along left x up in a rig without toes. No
 * rig is perfectly even, so an axis close to one that the file states, or to one of the scene's, is replaced by that. A
 * rig mirrored by a negative scale has left-handed axes. */
#pragma once

#include "anim/pose/pose.h"
#include "anim/humanoid/gaze.h"
#include "anim/humanoid/humanoid.h"
#include "anim/model/mat3.h"

/* Which of two rigs has left and right swapped. If only one has, the motion is mirrored. */
enum rest_swap { REST_SWAP_NONE, REST_SWAP_MODEL, REST_SWAP_SOURCE };

struct rest_rig {
    const struct model *model;
    struct humanoid humanoid;
    struct pose pose;             /* at rest */
    struct mat3 *scene_from_node; /* [node_count]: orthogonal parts of pose.scene_from_node */
    struct mat3 axes;
    bool has_swapped_sides; /* its left bones are on the right of the body, as its toes, or VRM, say that it faces */
    double leg_length;      /* hip to knee to ankle, mean of both legs; > 0 */
};

/* Fills *rig; call rest_rig_fini() in any case. Returns 0, or ERR_NO_HUMANOID for legs without length. */
int rest_rig_init(struct rest_rig *rig, const struct model *model, const struct humanoid *humanoid, struct err *err);
enum rest_swap rest_rig_swap(const struct rest_rig *model, const struct rest_rig *source);
/* Replaces the pose at rest by one of a clip (POSE_REST: keeps it), and the axes. */
void rest_rig_set_pose(struct rest_rig *rig, int32_t clip, double time_s, const struct mat3 *axes);
void rest_rig_fini(struct rest_rig *rig);

/* Returns the orthogonal part of a node's scene matrix, or the one at rest where the matrix is flat. */
struct mat3 rest_rig_turn(const struct rest_rig *rig, const struct pose *pose, uint32_t node);
/* Returns an eye at rest. */
struct gaze_eye rest_rig_eye(const struct rest_rig *rig, uint32_t node, bool is_right);

/* Returns the place of a node in a pose. */
static inline const double *pose_place(const struct pose *pose, int32_t node)
{
    return &pose->scene_from_node[node].m[12];
}
/* Computes the unit vector from one place to another, and returns their distance. *unit is 0 when the places coincide.
 */
double direction3(const double from[3], const double to[3], double unit[3]);
