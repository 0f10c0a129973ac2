/* leg_ik.h - puts the ankle of a leg somewhere by turning thigh and shin: two-bone inverse kinematics. Pure.
 *
 * With H the hip, N the ankle to be reached, a and b the lengths of thigh and shin and d = |N - H| the knee lies in the
 * plane through H and N that it lay in before, turned with the line from hip to ankle by the smallest rotation; by the
 * law of cosines its angle at the hip is acos((a^2 + d^2 - b^2) / (2 a d)). A leg that is straight bends forward. What
 * is out of reach is approached. The foot keeps how it is turned in the scene. */
#pragma once

#include "anim/retarget/rest_rig.h"

/* Nodes of a leg, from above: thigh, shin, foot. */
struct leg {
    int32_t upper, lower, foot;
};

/* How far the ankle can be from the hip in this pose. */
double leg_reach(const struct leg *leg, const struct pose *pose);

/* ankle: where it is to be, scene space. forward: where a straight leg's knee goes. turns: [node_count], the orthogonal
 * parts of the pose's scene matrices. Changes local rotations of the leg's nodes; the pose is to be composed again. */
void leg_put(const struct leg *leg, const struct model *model, const struct mat3 *turns, const double ankle[3],
             const double forward[3], struct pose *pose);
