/* request_raycast.h - the content of an OP_RAYCAST: entities, their placement and the rays. A raycast in JSON has the
 * records of a binary one. The request owns it. Pure. */
#pragma once

#include "anim/hits/hit_scene.h"
#include "wire/request/request.h"

/* An entity. Its poses are indices into the entities of request->crowd, which have its model and places. */
struct raycast_target {
    uint32_t begin;
    int32_t end; /* or -1 */
    uint32_t mask;
};

/* Normalises the direction. ERR_BAD_PARAMETER when it is zero. */
int request_finish_ray(struct hit_ray *ray, struct err *err);

struct request_raycast {
    struct raycast_target *targets;
    uint32_t entity_count;
    struct request_pose *poses; /* [crowd->entity_count]: what each pose plays, in the words of JSON. Its clips and
                                   joints are known once the model is. NULL: the layers of the crowd's records */
    uint32_t pose_count;
    struct hit_ray *rays;
    uint32_t ray_count;
};

/* True for a body of records. A JSON raycast has a crowd, too. */
static inline bool request_is_binary(const struct request *request)
{
    return request->crowd != NULL && (request->hits.raycast == NULL || request->hits.raycast->poses == NULL);
}

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
