/* gaze.h - what a VRM file's human does with its eyes to look somewhere (vrm-specification: VRMC_vrm-1.0/lookAt.md).
 *
 * Angles are degrees: yaw to the human's left, pitch down. The model's ranges make angles of the eyes of them, about
 * the up and left axes of its T-pose, or weights of lookLeft, lookRight, lookDown, lookUp. Pure; any thread. */
#pragma once

#include "anim/model/mat3.h"
#include "anim/model/model.h"

/* The presets that a gaze moves, in this order. */
enum { GAZE_LOOKS = 4 };
extern const char *const GAZE_LOOK_WORDS[GAZE_LOOKS];

/* The eye of a human at rest. */
struct gaze_eye {
    struct mat3 axes;              /* left, up, forward of the T-pose, in scene space */
    struct mat3 scene_from_parent; /* rotation of the eye's parent at rest */
    double rotation[4];            /* its own, within the parent */
    uint32_t is_right;
};

/* Computes the local rotation of an eye, x y z w. */
void gaze_turn_eye(const struct gaze *gaze, const struct gaze_eye *eye, double yaw_deg, double pitch_deg,
                   double out[4]);

/* Computes the weights of the looks, 0..1. */
void gaze_weigh_looks(const struct gaze *gaze, double yaw_deg, double pitch_deg, double out[GAZE_LOOKS]);

/* Returns atan2(y, x) in degrees. */
double gaze_atan_deg(double y, double x);
