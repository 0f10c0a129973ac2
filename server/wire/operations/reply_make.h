/* reply_make.h - makes a reply from a model and a request. It evaluates and encodes together, so frames go from the
 * pose directly into the reply's body.
 *
 * Documents: protocol/answers.md (fields), protocol/frames.md (binary). Pure; any thread with its own workspace. */
#pragma once

#include "wire/reply/reply_context.h"

/* Fills *reply for a request whose operation has a body (operations.def). `model` is the model of request->model, and
 * sources[request->source_count] are the models of request->sources; for a crowd any of them may be NULL. A failure
 * makes *reply an error. reply->unmatched reports the unmatched parts of other models' clips. It does not set the ETag.
 */
void reply_make(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                const struct request *request, const struct limits *limits, struct reply *reply);

/* --- steps for the other makers of replies in this folder --- */

/* Resolves the clips and layers of a request that selects some, and fills *reply except for its body. It borrows all
 * arguments. False: the reply is an error. */
bool context_start(struct reply_context *context, struct workspace *workspace, const struct model *model,
                   struct clip_sources *clips, const struct request *request, const struct limits *limits,
                   struct reply *reply);
