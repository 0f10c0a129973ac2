/* scale_effect.h - finds where NODE_SCALES flags make a difference. Below scales of 1, or uniform ones, they mostly
 * make none, and such a node can be composed like any other. Pure; linear in the nodes and in the keys of scales. */
#pragma once

#include "anim/model/model.h"

/* Sets has_effect[node_count]: 1 where the flag makes a difference at some time of the clip (POSE_REST: at rest), 0 for
 * nodes that may all be composed as plain ones. May be 1 without need. */
void scale_effect_find(const struct model *model, int32_t clip, uint8_t *has_effect);
