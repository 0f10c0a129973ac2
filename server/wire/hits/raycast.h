/* raycast.h - answers about hit volumes and raycasts, and their cost. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

/* Returns the model of an entity. */
const struct model *raycast_model(const struct request *request, uint32_t entity, const struct model *model,
                                  const struct model *const *sources);

/* Lists the hit volumes of a model. */
void body_put_hitboxes(struct reply_context *context);

/* Poses the entities of the request, casts its rays, and reports the hits. */
void body_put_raycast(struct reply_context *context);

cost_fn cost_of_hitboxes, cost_of_raycast;

/* Write the hits as bytes (protocol/raycast.def) or as JSON. sets: one per entity. */
void raycast_put_binary(const struct request *request, const struct model *model, const struct model *const *sources,
                        const struct hit_set *const *sets, const struct hit_list *hits, struct buf *out);
void raycast_put_json(const struct request *request, const struct model *model, const struct model *const *sources,
                      const struct hit_set *const *sets, const struct hit_list *hits, struct buf *out);
