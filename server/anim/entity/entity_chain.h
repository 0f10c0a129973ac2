/* entity_chain.h - what of a compiled entity is evaluated in double precision: the nodes above one of its nodes. Private
 * to anim/entity. */
#pragma once

#include "anim/entity/entity.h"

/* Of an entity with a motion: work->step, and work->still_from_scene. */
void entity_chain_still(struct entity_work *work);

/* The entity evaluated last, by the exact way from now on: what the compiled one gave is not finite, or not rigid. */
void entity_give_up(struct entity_work *work);

/* work->pose of the entity evaluated last, whichever way that was. */
void entity_complete(struct entity_work *work);
