/* clip_rig.h - makes the rig of a model: the nodes that its skins need. Pure; any thread. For clip_compile.c. */
#pragma once

#include "anim/model/bake_builder.h"

/* Makes rig_nodes, rig_skins and rig_outputs. Fills rig_of_node[node_count], UINT32_MAX for nodes that move no joint.
 */
void clip_rig_add(struct bake_builder *builder, uint32_t *rig_of_node);
