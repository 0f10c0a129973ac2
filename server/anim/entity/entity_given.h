/* entity_given.h - given poses (anim/given/given_pose.h) on top of compiled clips. Private to anim/entity.
 *
 * The kernels leave parent_from_node of each rig node; those of given nodes are changed here, in double precision and
 * rounded to float like the others. All kernels give the same bits before, and so after. */
#pragma once

#include "anim/entity/entity.h"

/* Takes the layers apart into clips[*clip_count] and given poses. False where only exact evaluation will do: a given
 * pose is not modest or has a mask, or an additive clip follows it. */
bool entity_given_split(const struct entity *entity, struct blend_layer clips[BLEND_LAYERS_MAX], uint32_t *clip_count);

/* Changes work->compiled by the given poses of the entity. False: some matrix cannot be taken apart (shear), and the
 * entity is left to exact evaluation. */
bool entity_given_apply(struct entity_work *work, const struct entity *entity);
