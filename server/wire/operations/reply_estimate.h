/* reply_estimate.h - how large the reply to a request becomes, before anything of it is evaluated. Private to the
 * makers of replies. Pure; any thread with its own workspace. */
#pragma once

#include "wire/reply/reply_context.h"

/* *bytes: of a reply of frames the size, in binary exactly and as JSON about; of a GLB file about what its arrays and
 * textures take; UINT64_MAX where nothing can be said: it depends on what is found. Operations and arguments as of
 * reply_make(). False: the request has an error that shows without evaluation, which *reply then is. */
bool reply_estimate(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                    const struct request *request, const struct limits *limits, uint64_t *bytes, struct reply *reply);
