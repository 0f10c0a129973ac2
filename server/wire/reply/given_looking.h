/* given_looking.h - finds the eyes that a given pose turns. Private to wire/reply. Pure; any thread. */
#pragma once

#include "wire/given/given_looks.h"

/* Fills *out, whose binds the caller frees in any case, with the look that the request of the weights has. It stays
 * LOOK_NONE where the weights say it all. Returns 0, or ERR_BAD_PARAMETER: the model has no eyes that could look
 * somewhere. */
int given_look_find(struct given_look *out, const struct given_weights *weights, struct err *err);
