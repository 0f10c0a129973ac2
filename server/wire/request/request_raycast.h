/* request_raycast.h - what an OP_RAYCAST asks: entities, where they stand, and the rays. Owned by the request. Pure. */
#pragma once

#include "anim/hits/hit_scene.h"
#include "wire/request/request.h"

/* A target of a binary raycast; its poses are entities of request->crowd. */
struct raycast_target {
    uint32_t begin;
    int32_t end; /* or -1 */
};

/* The poses of an entity of a JSON raycast. */
struct raycast_poses {
    const char *model, *hash;      /* of the entity; hash or NULL */
    struct request_pose begin;     /* of one time; it owns model and hash */
    struct request_pose *end;      /* the same for its second pose, or NULL */
    struct dmat4 world, end_world; /* world_from_scene: affine, finite as floats */
};

struct raycast_entity {
    struct raycast_poses *poses; /* NULL in a binary raycast, of which a megabyte has tens of thousands of entities */
    uint32_t mask;
    uint32_t source; /* 0: the request's model; n: request->sources[n - 1] */
};

/* Makes the direction unit; ERR_BAD_PARAMETER where it is 0. */
int request_finish_ray(struct hit_ray *ray, struct err *err);

struct request_raycast {
    struct raycast_entity *entities;
    struct raycast_target *targets; /* [entity_count] of a binary raycast; else NULL */
    uint32_t entity_count;
    struct hit_ray *rays;
    uint32_t ray_count;
};

#define RAYCAST_CONTENT_TYPE        "application/vnd.posed.raycast"
#define RAYCAST_ANSWER_CONTENT_TYPE "application/vnd.posed.hits"
#define RAYCAST_MAGIC               "PSDR"
#define RAYCAST_ANSWER_MAGIC        "PSDH"
enum { RAYCAST_VERSION = 1 };

/* RAYCAST_AT_RAY_origin is where the field lies in its record, RAYCAST_RAY_BYTES the record's size. */
enum raycast_offset {
#define FIELD(part, offset, type, name, text) RAYCAST_AT_##part##_##name = (offset),
#include "protocol/raycast.def"
};
enum raycast_record {
#define RECORD(part, bytes, name, text) RAYCAST_##part##_BYTES = (bytes),
#include "protocol/raycast.def"
};

/* True for bytes that begin as a binary raycast does. */
bool raycast_is_binary(const char *bytes, size_t size_bytes);

/* Reads a binary raycast into request->raycast and request->crowd, whose models then need paths and
 * request_complete_raycast(). *bad_at: of an error, the byte that breaks the form (ERR_BAD_REQUEST), or SIZE_MAX where
 * a value is wrong. */
int request_read_raycast(struct request *request, const char *bytes, size_t size_bytes, const struct limits *limits,
                         size_t *bad_at, struct err *err);
/* Once the models of the crowd have paths or errors; an error of one is that of the request. */
int request_complete_raycast(struct request *request, struct err *err);
