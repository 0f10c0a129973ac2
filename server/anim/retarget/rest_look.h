/* rest_look.h - how the human of a model looks somewhere: its head and eyes at rest. Pure; any thread. */
#pragma once

#include "anim/given/given_look.h"
#include "base/err.h"

/* Fills *out but for its kind and target, the share and the binds, which depend on the pose. Returns 0,
 * ERR_BAD_PARAMETER for a model that does not say how it looks somewhere, or ERR_NO_HUMANOID for legs without length.
 */
int rest_look_find(struct given_look *out, const struct model *model, struct err *err);
