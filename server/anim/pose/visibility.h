/* visibility.h - which nodes a clip shows, where it says so (KHR_animation_pointer at KHR_node_visibility). Pure; any
 * thread. */
#pragma once

#include "anim/model/model.h"

/* Whether a channel of the clip (an index, or POSE_REST) changes the visibility of nodes. Where none does, a node is
 * shown unless it has NODE_HIDDEN. */
bool visibility_is_animated(const struct model *model, int32_t clip);

/* is_shown[node_count]: 1 where neither the node nor one above it is hidden at this time of the clip. What the clip
 * does not say of a node is as in the file: NODE_HIDES. The clip has such a channel. */
void visibility_evaluate(const struct model *model, uint32_t clip, double clip_time_s, uint8_t *is_shown);
