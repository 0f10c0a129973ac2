/* request_raycast.h - the content of an OP_RAYCAST: entities, their placement and the rays. The request owns it. Pure.
 */
#pragma once

#include "anim/hits/hit_scene.h"
#include "wire/request/request.h"

/* A target of a binary raycast. Its poses are indices into the entities of request->crowd. */
struct raycast_target {
    uint32_t begin;
    int32_t end; /* or -1 */
};

/* The poses of an entity of a JSON raycast. */
struct raycast_poses {
    const char *model, *hash;      /* path and hash of the entity's model; hash may be NULL */
    struct request_pose begin;     /* pose with one time; it owns model and hash */
    struct request_pose *end;      /* likewise the second pose, or NULL */
    struct dmat4 world, end_world; /* world_from_scene: affine, finite as floats */
};

struct raycast_entity {
    struct raycast_poses *poses; /* NULL in a binary raycast, where a megabyte has tens of thousands of entities */
    uint32_t mask;
    uint32_t source; /* 0: the request's model; n: request->sources[n - 1] */
};

/* Normalises the direction. ERR_BAD_PARAMETER when it is zero. */
int request_finish_ray(struct hit_ray *ray, struct err *err);

struct request_raycast {
    struct raycast_entity *entities;
    struct raycast_target *targets; /* [entity_count] of a binary raycast; otherwise NULL */
    uint32_t entity_count;
    struct hit_ray *rays;
    uint32_t ray_count;
};

#define RAYCAST_CONTENT_TYPE        "application/vnd.posed.raycast"
#define RAYCAST_ANSWER_CONTENT_TYPE "application/vnd.posed.hits"
#define RAYCAST_MAGIC               "PSDR"
#define RAYCAST_ANSWER_MAGIC        "PSDH"
enum { RAYCAST_VERSION = 1 };

/* RAYCAST_AT_RAY_origin is the offset of the field in its record, RAYCAST_RAY_BYTES the record's size. */
enum raycast_offset {
#define FIELD(part, offset, type, name, text) RAYCAST_AT_##part##_##name = (offset),
#include "protocol/raycast.def"
};
enum raycast_record {
#define RECORD(part, bytes, name, text) RAYCAST_##part##_BYTES = (bytes),
#include "protocol/raycast.def"
};

/* True for bytes that begin like a binary raycast. */
bool raycast_is_binary(const char *bytes, size_t size_bytes);

/* Reads a binary raycast into request->raycast and request->crowd. The models of the crowd then need paths, and the
 * request needs request_complete_raycast(). On error *bad_at is the offset of the malformed byte (ERR_BAD_REQUEST), or
 * SIZE_MAX for a wrong value. */
int request_read_raycast(struct request *request, const char *bytes, size_t size_bytes, const struct limits *limits,
                         size_t *bad_at, struct err *err);
/* Completes the request once the models of the crowd have paths or errors. The error of a model is the error of the
 * request. */
int request_complete_raycast(struct request *request, struct err *err);
