/* rest_pairs.h - which joint of a model follows which of another: by role, and by name where neither has a role.
 * Pure; any thread. */
#pragma once

#include "anim/retarget/humanoid.h"

/* partners: [node_count of the source]: in, by name, as retarget.h has them; out: those by role, and by a like name
 * (alike_names.h) where the very name is not there. A node of the model is the partner of one at most. */
void rest_pairs_find(const struct model *model, const struct humanoid *model_humanoid, const struct model *source,
                     const struct humanoid *source_humanoid, int32_t *partners);
