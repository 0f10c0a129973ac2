/* crowd_poses.h - makes the given poses of a crowd (anim/given/given_pose.h) for its models, each pair once. Pure; one
 * thread. */
#pragma once

#include "anim/given/given_pose.h"
#include "base/limits.h"
#include "wire/request/crowd_request.h"

struct crowd_poses {
    struct err ended; /* a code other than 0 is the error of the whole request */
    /* private */
    const struct crowd_request *crowd;
    struct crowd_pose_made **first; /* [pose_count]: what is made of a pose, a list; or NULL */
    uint64_t numbers, numbers_most; /* of all that is made */
};

void crowd_poses_init(struct crowd_poses *poses, const struct crowd_request *crowd, const struct limits *limits);
/* Frees all poses. Afterwards no entity of the request may be evaluated. */
void crowd_poses_fini(struct crowd_poses *poses);

/* Returns pose `pose` of the request for the model, valid until crowd_poses_fini(). NULL: the model does not have its
 * nodes or its numbers are wrong (ERR_JOINT_NOT_FOUND, ERR_BAD_PARAMETER), or poses->ended is set: all of them have
 * more numbers than LIMIT_GIVEN_VALUES, or memory ran out. */
const struct given_pose *crowd_poses_find(struct crowd_poses *poses, const struct model *model, uint32_t pose,
                                          struct err *err);
