/* rest_select.h - what retarget=rest of a request means together with its models. Pure; any thread. */
#pragma once

#include "wire/request/request.h"

/* Who of a request's files is what human. */
struct resolved_rest {
    struct humanoid model, sources[REQUEST_SOURCES_MAX];
};

/* True where the clips of a source are retargeted by rest. Those of the model itself never are. */
bool rest_is_of(const struct request *request, uint32_t source);
/* How much work each source may take for that (anim/retarget/rest_clip.h). */
uint64_t rest_max_steps(const struct request *request, const struct limits *limits);

/* Of a request with retarget=rest. model: the one that moves; sources: [request->source_count]. Returns 0,
 * ERR_NO_HUMANOID, ERR_JOINT_NOT_FOUND or ERR_AMBIGUOUS_NAME, whose message names the file. */
int rest_resolve(struct resolved_rest *rest, const struct request *request, const struct model *model,
                 const struct model *const *sources, struct err *err);
