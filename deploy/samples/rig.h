/* rig.h - skeletons of the sample models and the poses their clips put them in.
 *
 * Joints have no rest rotation: a joint's rest transform is the step from its parent's head to its own, in metres,
 * Y up, facing +Z, as glTF has it. Quaternions are x, y, z, w. */
#pragma once

#include <stdbool.h>

struct v3 {
    double x, y, z;
};

static inline struct v3 v3_of(double x, double y, double z) { return (struct v3){x, y, z}; }
struct v3 v3_add(struct v3 a, struct v3 b);
struct v3 v3_sub(struct v3 a, struct v3 b);
struct v3 v3_scale(struct v3 a, double s);
struct v3 v3_cross(struct v3 a, struct v3 b);
double v3_dot(struct v3 a, struct v3 b);
struct v3 v3_unit(struct v3 a); /* the zero vector stays */
struct v3 v3_mix(struct v3 a, struct v3 b, double share_of_b);

enum { RIG_JOINTS_MAX = 96 };

struct rig_joint {
    char name[24];
    int parent;      /* or -1 */
    struct v3 head;  /* at rest, scene space */
    bool is_stepped; /* its channels are STEP: it jumps, as an eye that blinks */
};

struct rig {
    struct rig_joint joints[RIG_JOINTS_MAX];
    int joint_count;
};

/* Returns the new joint's index. The name is formatted as by printf. */
int rig_add(struct rig *rig, int parent, struct v3 head, const char *format, ...) __attribute__((format(printf, 4, 5)));

struct joint_pose {
    struct v3 translation;
    double rotation[4];
    struct v3 scale;
};

/* poses[joint_count] = rest. */
void rig_rest(const struct rig *rig, struct joint_pose *poses);
/* Turns a joint about an axis through its head, after what it already does. */
void pose_turn(struct joint_pose *pose, struct v3 axis, double angle_deg);
/* Sets the turns of leg[3] (thigh, shin, foot), the second and third of which are at rest, so that the ankle is at this
 * place of the scene and the sole is level. The knee bends forwards, about X. `hips` is the parent of leg[0], and
 * nothing above it turns. The leg must be long enough. */
void pose_plant(const struct joint_pose *hips, struct joint_pose leg[3], struct v3 ankle);
void pose_move(struct joint_pose *pose, double x, double y, double z);

/* One clip: `pose` gets phase 0..1 of a loop (phase 1 equals phase 0) and changes rest poses. */
struct clip_def {
    const char *name;
    double duration_s;
    int key_count;             /* of joints that are not stepped */
    int step_count;            /* of those that are */
    const char *interpolation; /* LINEAR or CUBICSPLINE, of joints that are not stepped */
    void (*pose)(double phase, struct joint_pose *poses);
};

/* sin and cos of a whole turn: wave(0.25) = 1. */
double wave(double phase);
/* 1 within `width` of `center` (phases, wrapping), else 0. */
double pulse(double phase, double center, double width);
