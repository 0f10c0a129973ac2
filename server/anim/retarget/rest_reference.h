/* rest_reference.h - chooses the pose of a clips' file that stands for its rest. Pure; one thread.
 *
 * Retargeting by rest needs a pose in which a human stands. Some files have no such rest: all offsets of a motion
 * capture point along one axis, or the rest sits, lies or hangs upside down. In those a frame of the motion takes its
 * place. */
#pragma once

#include "anim/retarget/rest_rig.h"

enum rest_kind { REST_AUTO = 0, REST_ZERO = 1, REST_FRAME = 2 };

/* clip_rest= of a request. */
struct rest_choice {
    uint32_t kind;  /* enum rest_kind */
    uint32_t frame; /* of REST_FRAME: index of a key of the file's first clip */
};

struct rest_reference {
    int32_t clip; /* POSE_REST: the file's rest */
    uint32_t frame;
    double time_s;
    int32_t stance_clip; /* with is_posed: the pose whose ankles are as high as those of the model's rest */
    double stance_time_s;
    bool is_posed;    /* the trunk is matched by direction: the pose does not stand as a rest does */
    bool is_warned;   /* nobody chose this: the file's rest does not stand */
    struct mat3 axes; /* with is_posed or is_warned: left, up and forward of the file's scene */
    double lowering;  /* the rest floats this much above the ground of the motion, scene units */
    uint64_t steps;   /* work of the choice; a step is about one node or channel at one time */
};

/* Chooses a pose of the file. `rig` is at the file's rest. The file's rest is chosen where it stands. Otherwise the
 * choice is the best of 16 keys of each of the first 16 clips. max_steps: limit on the work; 0: no limit. Returns 0,
 * ERR_BAD_PARAMETER for a frame that the file lacks, or ERR_TOO_MANY_FRAMES beyond max_steps. */
int rest_reference_find(struct rest_reference *reference, const struct rest_rig *rig, const struct rest_choice *choice,
                        uint64_t max_steps, struct err *err);

/* Finds the direction of the trunk (up from the hips) and of the line from the right to the left of a pair of roles.
 * False: the rig has no trunk, or no such pair. */
bool rest_trunk(const struct rest_rig *rig, const struct pose *pose, enum humanoid_role left, enum humanoid_role right,
                double up[3], double across[3]);
