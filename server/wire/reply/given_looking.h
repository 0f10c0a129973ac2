/* given_looking.h - finds the eyes that a given pose turns. Private to wire/reply. Pure; any thread. */
#pragma once

#include "anim/given/given_pose.h"
#include "wire/request/request_given.h"

/* Fills *out, whose binds the caller frees in any case. Returns 0, or ERR_BAD_PARAMETER: the model has no eyes that
 * could look somewhere. */
int given_look_find(struct given_look *out, const struct model *model, const struct request_look *asked,
                    struct err *err);
