/* crowd_request.h - reads a request for many entities from bytes (protocol/crowd.md).
 *
 * Pure: bytes in, struct out, without access to models. Any thread. Offsets come from protocol/crowd.def. Malformed
 * bytes are an error of the whole request. A wrong value is an error of its entity; wire/crowd/body_crowd.c finds it
 * once the entity's model is known. */
#pragma once

#include "anim/entity/crowd.h"
#include "anim/pose/clip_time.h"
#include "base/err.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CROWD_MAGIC               "PSDC"
#define CROWD_ANSWER_MAGIC        "PSDE"
#define CROWD_CONTENT_TYPE        "application/vnd.posed.crowd"
#define CROWD_ANSWER_CONTENT_TYPE "application/vnd.posed.entities"

enum { CROWD_VERSION = 1, CROWD_MODELS_MAX = 64 };

/* CROWD_AT_ENTITY_model is the offset of the field in its record, CROWD_ENTITY_BYTES the record's size. */
enum crowd_offset {
#define FIELD(part, offset, type, name, text) CROWD_AT_##part##_##name = (offset),
#include "protocol/crowd.def"
};
enum crowd_record {
#define RECORD(part, bytes, name, text) CROWD_##part##_BYTES = (bytes),
#include "protocol/crowd.def"
};

struct crowd_entity {
    uint16_t model, wanted; /* indices into the request's lists */
    uint16_t layer_count;
    enum layout layout;
    uint32_t first_layer;
    int32_t world; /* index, or -1 */
};

/* A layer as requested; its clips may not exist. */
struct crowd_layer {
    int32_t clip;        /* or POSE_REST */
    int32_t pose;        /* index of the given pose in place of a clip, or -1 */
    uint32_t clip_model; /* model whose clips these are: 0 is the entity's own, n is models[n - 1] */
    int32_t mask;        /* index, or -1 */
    double time_s, weight;
    enum wrap wrap;
    bool is_additive;
    int32_t reference_clip; /* of an additive layer */
    double reference_time_s;
};

struct crowd_model {
    const char *path; /* UTF-8 without NUL, not validated otherwise; NULL: `handle` identifies the model */
    char hash[65];    /* hex hash of the required content; "": any content */
    uint32_t handle;  /* as requested; 0: no handle */
    uint32_t slot; /* of a model with a path and no error, once the request is complete: 0 is the request's own model, n
                      is sources[n - 1] */
    struct err err; /* code 0, or why the model is unavailable; set by the code that looks the model up */
};

struct crowd_mask {
    const struct blend_mask *nodes; /* [count] */
    uint32_t count;
    uint32_t most_node; /* largest node index, if a layer uses the mask */
};

/* What a given pose gives of a node: GIVEN_ bits (anim/given/given_pose.h). Its numbers follow those of the node
 * before.
 */
struct crowd_pose_node {
    uint32_t node;
    uint32_t parts;
};

/* A given pose as requested; its nodes may not exist, and its numbers may be anything. */
struct crowd_pose {
    const struct crowd_pose_node *nodes; /* [node_count], by rising node; at least 1 */
    const float *numbers;                /* [number_count], translation, rotation x y z w, scale of each node */
    uint32_t node_count, number_count;
};

/* The request owns all lists. */
struct crowd_request {
    struct crowd_entity *entities;
    struct crowd_layer *layers;
    struct dmat4 *worlds; /* affine, possibly not finite */
    struct crowd_model *models;
    struct crowd_mask *masks;
    struct blend_mask *mask_nodes;
    struct crowd_wanted *wanted;
    uint32_t *items;
    struct crowd_pose *poses;
    struct crowd_pose_node *pose_nodes;
    float *pose_numbers;
    char *paths;
    uint32_t entity_count, layer_count, world_count, model_count, mask_count, mask_node_count, wanted_count, item_count;
    uint32_t pose_count, pose_node_count, pose_number_count;
};

/* True for bytes that begin like a binary crowd. */
bool crowd_is_binary(const char *bytes, size_t size_bytes);

/* Reads a binary crowd into *out; the caller frees it with crowd_request_free(). On error *bad_at is the offset of the
 * malformed byte (ERR_BAD_REQUEST), or SIZE_MAX for a wrong value. Returns 0, ERR_BAD_REQUEST, ERR_BAD_PARAMETER,
 * ERR_BAD_PATH or ERR_NO_MEMORY. */
int crowd_request_read(struct crowd_request **out, const char *bytes, size_t size_bytes, const struct limits *limits,
                       size_t *bad_at, struct err *err);
/* NULL is fine. */
void crowd_request_free(struct crowd_request *crowd);
