/* visibility.h - evaluates the visibility of nodes that a clip animates (KHR_animation_pointer at KHR_node_visibility).
 * Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* True when a channel of the clip (an index, or POSE_REST) changes the visibility of nodes. Otherwise a node is shown
 * unless it has NODE_HIDDEN. */
bool visibility_is_animated(const struct model *model, int32_t clip);

/* Sets is_shown[node_count] to 1 where neither the node nor an ancestor is hidden at this time of the clip. Nodes that
 * the clip does not animate follow the file: NODE_HIDES. The clip must have such a channel. */
void visibility_evaluate(const struct model *model, uint32_t clip, double clip_time_s, uint8_t *is_shown);
