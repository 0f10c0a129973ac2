/* environment_reply.h - the answer of OP_ENVIRONMENT: the light that pictures of the same parameters have. Pure; any
 * thread. Documents: protocol/http.md. */
#pragma once

#include "anim/model/model.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

#include <stdatomic.h>

/* Fills *reply, but for its ETag. model: the environment that the request names (anim/light/panorama.h), or NULL where
 * it names a light made by formula. Where *is_stopped becomes true the reply is an error. */
void environment_reply_make(const struct request *request, const struct model *model, const struct limits *limits,
                            const _Atomic bool *is_stopped, struct reply *reply);
