/* posed_file_share.h - stores equal keys once. For posed_file_write.c. Pure; any thread. */
#pragma once

#include "anim/model/bake_builder.h"

/* Adds the model's channels to the builder, with the keys that they use: equal lists of times once, equal values once,
 * and values that repeat one key as often as the longest channel that does. Ranges of channels then overlap, and
 * channels keep their bits. Sets builder->is_failed when memory runs out. */
void posed_file_share_keys(struct bake_builder *builder, const struct model *model);
