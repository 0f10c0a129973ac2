/* keys.h - the answer of OP_KEYS: the keys of clips as the model keeps them. Private to server/wire. Pure; any thread.
 */
#pragma once

#include "wire/reply/reply_context.h"

/* Puts the channels of the context's clip, or of all clips where the request names none, that move one of `nodes` and
 * have one of the request's paths; as JSON or binary frames. Times are doubles. The reply is an error when that is more
 * than an answer may have. */
void body_put_keys(struct reply_context *context, const uint32_t *nodes, uint32_t node_count);
