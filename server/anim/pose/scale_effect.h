/* scale_effect.h - where NODE_SCALES flags make a difference: of a node below scales of 1, or below ones that are alike
 * along all axes, they mostly make none, and it may be composed like any other. Pure; linear in the nodes and in the
 * keys of scales. */
#pragma once

#include "anim/model/model.h"

/* Sets has_effect[node_count]: 1 for nodes whose flag makes a difference at some time of the clip (POSE_REST: at rest),
 * 0 for those that may be composed as plain ones all together. May say 1 of a node where there is none. */
void scale_effect_find(const struct model *model, int32_t clip, uint8_t *has_effect);
