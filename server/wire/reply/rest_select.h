/* rest_select.h - what retarget=rest of a request means together with its models. Pure; any thread. */
#pragma once

#include "wire/request/request.h"

/* Who of a request's files is what human. */
struct resolved_rest {
    bool is_by_rest[REQUEST_SOURCES_MAX]; /* false of the model itself, whose clips are its own */
    struct humanoid model, sources[REQUEST_SOURCES_MAX];
    uint64_t max_steps; /* of work for each source (anim/retarget/rest_clip.h) */
};

/* model: the one that moves; sources: [request->source_count]. Of a request without retarget=rest all is false. Returns
 * 0, ERR_NO_HUMANOID, ERR_JOINT_NOT_FOUND or ERR_AMBIGUOUS_NAME, whose message names the file. */
int rest_resolve(struct resolved_rest *rest, const struct request *request, const struct model *model,
                 const struct model *const *sources, const struct limits *limits, struct err *err);
