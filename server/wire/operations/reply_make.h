/* reply_make.h - a model and a request to a reply: evaluation and encoding together, so that frames go from the pose
 * straight into the reply's body.
 *
 * Pure; any thread with its own workspace. Documents: protocol/answers.md (fields), protocol/frames.md (binary). */
#pragma once

#include "wire/reply/reply_context.h"

/* Fills *reply with the answer to a request of an operation that has a body (operations.def) for `model`, which is
 * called request->model; of a crowd it may be NULL, like sources. sources[request->source_count]: the models of
 * request->sources. Never fails otherwise than by making *reply an error. Says in reply->unmatched what of the clips of
 * other models has no partner. Does not set the ETag. */
void reply_make(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                const struct request *request, const struct limits *limits, struct reply *reply);

/* --- steps, for the other makers of replies in this folder --- */

/* Finds the clips and layers of a request of an operation that selects some, and fills *reply but for its body. All is
 * borrowed. False: the reply is an error. */
bool context_start(struct reply_context *context, struct workspace *workspace, const struct model *model,
                   struct clip_sources *clips, const struct request *request, const struct limits *limits,
                   struct reply *reply);
