/* entity_given.h - given poses (anim/given/given_pose.h) on top of compiled clips. Private to anim/entity.
 *
 * The kernels leave parent_from_node of each rig node; those of given nodes are changed after that, in double precision
 * and rounded to float like the others (anim/pose/give_rows.h). All kernels give the same bits before, and so after. */
#pragma once

#include "anim/entity/entity.h"

/* Does what clip_blend_choose() does for an entity with given poses: chooses how the clips below them are evaluated.
 * CLIP_BLEND_EXACT where only exact evaluation will do: a given pose is not modest or has a mask, an additive clip
 * follows it, or a clip changes a scale that it lets be. */
enum clip_blend_way entity_given_choose(const struct entity *entity, struct clip_blend_plan *plan);

/* Changes work->compiled by the given poses of the entity. False: some matrix cannot be taken apart, and the entity is
 * left to exact evaluation. */
bool entity_given_apply(struct entity_work *work, const struct entity *entity);
