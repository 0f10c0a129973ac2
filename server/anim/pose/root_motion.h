/* root_motion.h - how a character moves over the ground, taken out of its pose. Pure; any thread.
 *
 * The root is the node whose movement counts: a root bone, or the hips where a file has none. Its place seen along the
 * up axis, its ground point, is g; where it was at the start, o. Without turning a pose is moved by o - g. With turning
 * the root's rotation since the start is split into a turn about the up axis and the rest, a turn about an axis across
 * it: with the rotation's quaternion (v, w) the turn's is (up (v . up), w) made unit, its angle 2 atan2(v . up, w).
 * Then
 *
 *   scene_from_still = T(g) * R(up, angle) * T(-o)        still = the pose without the movement
 *
 * Only the root and the nodes below it are moved. */
#pragma once

#include "anim/pose/pose.h"

#include <stdint.h>

struct root_motion {
    uint32_t node;
    bool has_turn;
    double up[3];             /* unit vector, scene space */
    double origin[3];         /* o */
    double start_rotation[4]; /* of the root, scene space */
    const uint8_t *is_moved;  /* [node_count]: the root and the nodes below it; the caller's */
};

struct root_step {
    double translation[3]; /* g - o, scene space; perpendicular to up */
    double angle_deg;      /* in (-180, 180]; 0 without has_turn */
    bool is_local_exact;   /* the root's local transform still is T * R * S */
};

/* Marks the root and the nodes below it in is_moved[node_count]. */
void root_motion_mark(const struct model *model, uint32_t node, uint8_t *is_moved);

/* Begins at the evaluated pose: fills *motion. */
void root_motion_start(struct root_motion *motion, const struct pose *pose, const struct model *model, uint32_t node,
                       bool has_turn, const uint8_t *is_moved);

/* The movement from the start to the evaluated pose. */
void root_motion_measure(const struct root_motion *motion, const struct pose *pose, struct root_step *step);

/* The same, and takes it out of *pose: scene_from_node of what moves, and the root's local transform. */
void root_motion_remove(const struct root_motion *motion, struct pose *pose, const struct model *model,
                        struct root_step *step);
/* The same of some nodes alone, of which the root is one. Returns still_from_scene: what all moved nodes get in front.
 */
struct dmat4 root_motion_remove_nodes(const struct root_motion *motion, struct pose *pose, const struct model *model,
                                      const struct node_list *list, struct root_step *step);
