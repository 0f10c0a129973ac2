/* raycast.h - answers about hit volumes and raycasts, and their cost. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"
#include "wire/request/crowd_request.h"
#include "wire/request/request_raycast.h"

/* Returns where the model of an entity is: 0 is the request's, n is request->sources[n - 1]. */
static inline uint32_t raycast_slot(const struct request *request, uint32_t index)
{
    const struct crowd_request *crowd = request->crowd;
    return crowd->models[crowd->entities[request->hits.raycast->targets[index].begin].model].slot;
}

/* Returns the model of an entity. */
static inline const struct model *raycast_model(const struct request *request, uint32_t index,
                                                const struct model *model, const struct model *const *sources)
{
    const uint32_t slot = raycast_slot(request, index);
    return slot == 0 ? model : sources[slot - 1];
}

/* Returns the number of layers of a pose, 0 for a single clip in JSON. place: its record in the crowd. */
static inline uint32_t raycast_layers(const struct request *request, uint32_t place)
{
    const struct request_pose *poses = request->hits.raycast->poses;
    return poses != NULL ? poses[place].layer_count : request->crowd->entities[place].layer_count;
}

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
