/* model_limits.h - the last look at a model before it is baked: readers refuse what they see coming, and here is what
 * they have in common. Pure. */
#pragma once

#include "anim/bake/bake.h"
#include "base/limits.h"

/* After bake_finish(). Returns 0, or ERR_MODEL_LIMIT with a message that names the limit and what goes over it. */
int model_limits_check(const struct bake_builder *builder, const struct limits *limits, struct err *err);
