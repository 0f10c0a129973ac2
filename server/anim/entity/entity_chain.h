/* entity_chain.h - what of a compiled entity is evaluated in double precision: the nodes above one of its nodes.
 * Private to anim/entity. */
#pragma once

#include "anim/entity/entity.h"

/* Room for the palettes of a skin with so many joints, for its dual quaternions, and for the nodes of a model. False
 * when memory is gone; *work can be used as before. entity_reserve.c has them. */
bool entity_reserve_rows(struct entity_work *work, uint32_t joint_count);
bool entity_reserve_signs(struct entity_work *work, const struct model *model, uint32_t skin);
bool entity_reserve_chain(struct entity_work *work, uint32_t node_count);

/* Of an entity with a motion: work->step, and work->still_from_scene. */
void entity_chain_still(struct entity_work *work);

/* The entity evaluated last, by the exact way from now on: what the compiled one gave is not finite, or not rigid. */
void entity_give_up(struct entity_work *work);

/* work->pose of the entity evaluated last, whichever way that was. */
void entity_complete(struct entity_work *work);
