/* raycast.h - answers about volumes and rays, and what they cost. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

/* The model of an entity. */
const struct model *raycast_model(const struct request *request, uint32_t entity, const struct model *model,
                                  const struct model *const *sources);

/* The volumes of a model. */
void body_put_hitboxes(struct reply_context *context);

/* Poses the entities of the request, casts its rays, and tells the hits. */
void body_put_raycast(struct reply_context *context);

cost_fn cost_of_hitboxes, cost_of_raycast;

/* The hits as bytes (protocol/raycast.def) or as JSON; sets: of each entity. */
void raycast_put_binary(const struct request *request, const struct model *model, const struct model *const *sources,
                        const struct hit_set *const *sets, const struct hit_list *hits, struct buf *out);
void raycast_put_json(const struct request *request, const struct model *model, const struct model *const *sources,
                      const struct hit_set *const *sets, const struct hit_list *hits, struct buf *out);
