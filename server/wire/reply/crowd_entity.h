/* crowd_entity.h - an entity of a crowd, once its model is known: its clips, times, masks and place. Pure; any thread.
 */
#pragma once

#include "anim/entity/entity.h"
#include "wire/crowd/crowd_request.h"

/* Fills *out, but not what it has of others; layers[asked->layer_count], the caller's, are what it plays. Returns 0,
 * ERR_CLIP_NOT_FOUND, ERR_JOINT_NOT_FOUND or ERR_BAD_PARAMETER, naming the layer. */
int crowd_entity_resolve(const struct crowd_request *crowd, const struct crowd_entity *asked, const struct model *model,
                         struct blend_layer *layers, struct entity *out, struct err *err);
