/* entity_chain.h - evaluates parts of a compiled entity in double precision: one node and its ancestors. Private to
 * anim/entity. */
#pragma once

#include "anim/entity/entity.h"

/* Make room for the palette of a skin with `joint_count` joints, for its dual quaternions, and for the nodes of a
 * model. False when memory runs out; *work stays usable. In entity_reserve.c. */
bool entity_reserve_rows(struct entity_work *work, uint32_t joint_count);
bool entity_reserve_signs(struct entity_work *work, const struct model *model, uint32_t skin);
bool entity_reserve_chain(struct entity_work *work, uint32_t node_count);

/* Sets work->step and work->still_from_scene of an entity with a motion. */
void entity_chain_still(struct entity_work *work);

/* Switches the last entity to exact evaluation, because its compiled result is not finite or not rigid. */
void entity_give_up(struct entity_work *work);

/* Fills work->pose of the last entity, whichever way it was evaluated. */
void entity_complete(struct entity_work *work);
