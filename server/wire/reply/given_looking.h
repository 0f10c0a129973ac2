/* given_looking.h - the look of a given pose. Private to wire/reply. Pure; any thread. */
#pragma once

#include "anim/given/given_looks.h"
#include "wire/request/request.h"

/* Fills *out, whose binds the caller frees in any case, with the look of a request. It stays LOOK_NONE where the
 * weights say it all. Returns 0, or ERR_BAD_PARAMETER: the model has no eyes that could look somewhere. */
int given_look_find(struct given_look *out, const struct given_weights *weights, const struct request_look *asked,
                    struct err *err);
