/* leg_ik.h - moves the ankle of a leg to a target by turning thigh and shin: two-bone inverse kinematics. Pure.
 *
 * With H the hip, N the target of the ankle, a and b the lengths of thigh and shin and d = |N - H|, the knee's angle at
 * the hip is acos((a^2 + d^2 - b^2) / (2 a d)) by the law of cosines. The plane of the knee through H and N is the
 * plane before, turned by the smallest rotation from the old to the new line from hip to ankle. A straight leg bends
 * forward. A target out of reach is approached. The foot keeps its rotation in the scene. */
#pragma once

#include "anim/retarget/rest_rig.h"

/* Nodes of a leg from the top: thigh, shin, foot. */
struct leg {
    int32_t upper, lower, foot;
    bool is_loose; /* the foot does not hang below the shin: its caller carries it */
};

/* Returns the greatest distance of the ankle from the hip in this pose. */
double leg_reach(const struct leg *leg, const struct pose *pose);

/* ankle: the target in scene space. forward: the direction in which a straight leg's knee bends. turns: [node_count],
 * the orthogonal parts of the pose's scene matrices. Changes local rotations of the leg's nodes; the caller must
 * compose the pose again. */
void leg_put(const struct leg *leg, const struct model *model, const struct mat3 *turns, const double ankle[3],
             const double forward[3], struct pose *pose);
