/* scale_effect.h - finds where NODE_SCALES flags make a difference. Below scales of 1, or uniform ones, they mostly
 * make none, and such a node can be composed like any other. Pure; linear in the nodes and in the keys of scales. */
#pragma once

#include "anim/model/model.h"

enum scale_effect {
    SCALE_EFFECT_NONE,  /* the node may be composed as a plain one */
    SCALE_EFFECT_ALIKE, /* only by uniform scales of the parent: scene_from_parent times some T * R * S is its matrix */
    SCALE_EFFECT_BY_AXIS, /* also by other scales of the parent */
};

/* Sets effects[node_count] to SCALE_EFFECT_: the greatest difference that the flag makes at any time of the clip
 * (POSE_REST: at rest). All nodes without one may be plain at once. May be more than needed. */
void scale_effect_find(const struct model *model, int32_t clip, uint8_t *effects);
