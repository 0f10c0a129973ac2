/* request_raycast.h - what an OP_RAYCAST asks: entities, where they stand, and the rays. Owned by the request. Pure. */
#pragma once

#include "anim/hits/hit_scene.h"
#include "wire/request/request.h"

struct raycast_entity {
    struct request begin;          /* OP_ENTITY: its pose, one time; model and hash are the entity's */
    struct request *end;           /* the same for its second pose, or NULL */
    struct dmat4 world, end_world; /* world_from_scene: affine, finite as floats */
    uint32_t mask;
    uint32_t source; /* 0: the request's model; n: request->sources[n - 1] */
};

/* Makes the direction unit; ERR_BAD_PARAMETER where it is 0. */
int request_finish_ray(struct hit_ray *ray, struct err *err);

struct request_raycast {
    struct raycast_entity *entities;
    uint32_t entity_count;
    struct hit_ray *rays;
    uint32_t ray_count;
};
