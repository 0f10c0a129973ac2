/* rest_select.h - resolves retarget=rest of a request against its models. Pure; any thread. */
#pragma once

#include "wire/request/request.h"

/* The humanoid that each file of a request contains. */
struct resolved_rest {
    struct humanoid model, sources[REQUEST_SOURCES_MAX];
};

/* True when the clips of a source are retargeted by rest pose. The model's own clips never are. */
bool rest_is_of(const struct request *request, uint32_t source);
/* Returns the work limit of each source for this (anim/retarget/rest_clip.h). */
uint64_t rest_max_steps(const struct request *request, const struct limits *limits);

/* Resolves a request with retarget=rest. model: the model to move; sources: [request->source_count]. Returns 0, or
 * ERR_NO_HUMANOID, ERR_JOINT_NOT_FOUND or ERR_AMBIGUOUS_NAME with a message that names the file. */
int rest_resolve(struct resolved_rest *rest, const struct request *request, const struct model *model,
                 const struct model *const *sources, struct err *err);
