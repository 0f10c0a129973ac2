/* rest_pairs.h - pairs the joints of a model with those of another: by role, or by name where neither has a role. Pure;
 * any thread. */
#pragma once

#include "anim/humanoid/humanoid.h"

/* partners: [node_count of the source]. In: partners by name, as in retarget.h. Out: partners by role, and by a similar
 * name (alike_names.h) where the exact name is missing. A node of the model has at most one partner. */
void rest_pairs_find(const struct model *model, const struct humanoid *model_humanoid, const struct model *source,
                     const struct humanoid *source_humanoid, int32_t *partners);
