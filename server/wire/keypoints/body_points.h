/* body_points.h - the 18 points of OpenPose's body on a humanoid. Pure; any thread.
 *
 * Shoulders, elbows, wrists, hips, knees and ankles are joints; the neck is the middle between the shoulders, as
 * OpenPose has it. Eyes are joints where the model has both; nose and ears are then where they are on a face of that
 * width. Otherwise the face is estimated from the vertices that the head's joint leads, or without any from the width
 * of the shoulders. Nose, ears and estimated eyes are fixed to the head's joint. */
#pragma once

#include "anim/humanoid/humanoid.h"

enum { BODY_POINTS = 18 };

/* A point of a body: a place in the space of node `first`, or where `second` is a node the middle between the origins
 * of both. first -1: the model lacks it. */
struct body_point {
    int32_t first, second;
    double place[3];
};

/* In OpenPose's order: nose, neck, right shoulder, elbow and wrist, left ones, right hip, knee and ankle, left ones,
 * right and left eye, right and left ear. */
extern const char *const BODY_POINT_WORDS[BODY_POINTS];

void body_points_find(const struct model *model, const struct humanoid *humanoid, struct body_point out[BODY_POINTS]);
