/* pose_looks.h - the materials of a reply at a time: what a clip and the expressions of given poses change of them.
 * Private to server/wire. Pure. */
#pragma once

#include "anim/pose/appearance.h"
#include "wire/reply/reply_context.h"

/* Evaluates the appearance at a frame of the request. The pose evaluated last has to be that of the frame, exact, if
 * pose_looks_need_pose(). False: the reply is an error. */
bool pose_looks_evaluate(struct reply_context *context, struct appearance *appearance, uint32_t frame);
/* True where expressions look at a place: what they show depends on where the head is. */
bool pose_looks_need_pose(struct reply_context *context, uint32_t frame);

/* Writes ,"materials":[..]: those that differ from the model's, as /v1/model has them. */
void pose_looks_put(struct reply_context *context, const struct appearance *appearance);
/* Upper bound of the bytes of pose_looks_put(). */
uint64_t pose_looks_bytes_most(const struct model *model);
