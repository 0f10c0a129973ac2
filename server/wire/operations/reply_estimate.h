/* reply_estimate.h - estimates the size of a reply before evaluating anything. Private to the makers of replies. Pure;
 * any thread with its own workspace. */
#pragma once

#include "wire/reply/reply_context.h"

/* Estimates *bytes. For a reply of frames it is exact in binary and approximate in JSON; for a GLB file it is the
 * approximate size of arrays and textures. It is UINT64_MAX when the size depends on the result. Operations and
 * arguments as for reply_make(). False: *reply is an error that needs no evaluation to detect. */
bool reply_estimate(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                    const struct request *request, const struct limits *limits, uint64_t *bytes, struct reply *reply);
