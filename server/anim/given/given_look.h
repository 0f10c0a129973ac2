/* given_look.h - where the eyes of a given pose look: by angles, or at a point, which depends on where the head is.
 * Pure; any thread. */
#pragma once

#include "anim/humanoid/gaze.h"

#include <stdbool.h>
#include <stdint.h>

enum look_kind { LOOK_NONE, LOOK_ANGLES, LOOK_POINT };

/* What a look at a point adds to a morph weight of the model, or to a material, where the eyes look by expressions. */
enum { LOOK_NO_MATERIAL = -1 };
struct look_bind {
    int32_t material;      /* of the given pose's materials; LOOK_NO_MATERIAL: it moves a morph weight */
    uint32_t weight, node; /* of the model's weights; the node whose mesh has it */
    uint32_t look;         /* of GAZE_LOOK_WORDS */
    float values[4];       /* for a morph weight: the first is what it adds; else what comes into the material */
};

struct given_look {
    uint32_t kind; /* LOOK_ */
    uint32_t bind_count;
    double target[3];            /* yaw and pitch in degrees (gaze.h), or a point in scene space */
    struct gaze gaze;            /* of the model */
    uint32_t head;               /* node */
    int32_t eyes[2];             /* nodes that turn, left and right, or -1 */
    struct mat3 scene_from_head; /* rotation at rest */
    struct gaze_eye eye[2];
    uint32_t share;          /* index of a number of each frame: what other expressions leave of the looks' weights */
    struct look_bind *binds; /* [bind_count], by rising material */
    uint32_t binary_looks;   /* bits of looks whose expressions are 0 or 1 */
    uint32_t padding;
};

/* Finds the angles from where the head is in a pose. */
void given_look_angles(const struct given_look *look, const struct dmat4 *scene_from_head, double *yaw_deg,
                       double *pitch_deg);

/* Finds the weights of the expressions that look, of which other expressions leave a share. */
void given_look_weights(const struct given_look *look, double yaw_deg, double pitch_deg, double share,
                        double out[GAZE_LOOKS]);
