/* root_motion.h - takes a character's motion over the ground out of its pose. Pure; any thread.
 *
 * The root is the node whose motion counts: a root bone, or the hips where a file has none. Its ground point g is its
 * place projected along the up axis, and o is g at the start. Without turning, a pose is moved by o - g. With turning,
 * the root's rotation since the start is split into a turn about the up axis and a rest, which turns about an axis
 * perpendicular to it: with the rotation's quaternion (v, w), the turn's is (up (v . up), w) made unit, and its angle
 * is 2 atan2(v . up, w). Then
 *
 *   scene_from_still = T(g) * R(up, angle) * T(-o)        still = the pose without the motion
 *
 * Only the root and its descendants are moved. */
#pragma once

#include "anim/pose/pose.h"

#include <stdint.h>

struct root_motion {
    uint32_t node;
    bool has_turn;
    double up[3];             /* unit vector, scene space */
    double origin[3];         /* o */
    double start_rotation[4]; /* of the root, scene space */
    const uint8_t *is_moved;  /* [node_count]: the root and its descendants; owned by the caller */
};

struct root_step {
    double translation[3]; /* g - o, scene space; perpendicular to up */
    double angle_deg;      /* in (-180, 180]; 0 without has_turn */
    bool is_local_exact;   /* the root's local transform is still T * R * S */
};

/* Returns the default root: the only joint without a joint above it. In a model without skins, such as a motion file,
 * the nodes that clips move take the place of joints. Without such a node, the only root of the scene; otherwise -1.
 * marks: scratch of [node_count]. */
int32_t root_motion_find_root(const struct model *model, uint8_t *marks);

/* Marks the root and its descendants in is_moved[node_count]. */
void root_motion_mark(const struct model *model, uint32_t node, uint8_t *is_moved);

/* Fills *motion with the evaluated pose as its start. */
void root_motion_start(struct root_motion *motion, const struct pose *pose, const struct model *model, uint32_t node,
                       bool has_turn, const uint8_t *is_moved);

/* Measures the motion from the start to the evaluated pose. */
void root_motion_measure(const struct root_motion *motion, const struct pose *pose, struct root_step *step);

/* The same, and takes the motion out of *pose: from scene_from_node of what moves and from the root's local transform.
 */
void root_motion_remove(const struct root_motion *motion, struct pose *pose, const struct model *model,
                        struct root_step *step);
/* The same for some nodes, which must include the root. Returns still_from_scene, which is multiplied to all moved
 * nodes from the left. */
struct dmat4 root_motion_remove_nodes(const struct root_motion *motion, struct pose *pose, const struct model *model,
                                      const struct node_list *list, struct root_step *step);
