/* environment_reply.h - answers OP_ENVIRONMENT: the light of pictures with the same parameters. Documents:
 * protocol/http.md. Pure; any thread. */
#pragma once

#include "anim/model/model.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

#include <stdatomic.h>

/* Fills *reply, except for its ETag. model: the environment of the request (anim/light/panorama.h), or NULL for a light
 * defined by a formula. If *is_stopped becomes true, the reply is an error. */
void environment_reply_make(const struct request *request, const struct model *model, const struct limits *limits,
                            const _Atomic bool *is_stopped, struct reply *reply);
