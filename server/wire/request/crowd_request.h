/* crowd_request.h - many entities asked for at once, from bytes (protocol/crowd.md).
 *
 * Pure: bytes in, struct out; no model is looked at. Any thread. Offsets are those of protocol/crowd.def. What breaks
 * the form of the request is an error of all of it; a value that is wrong is the error of its entity, which
 * wire/crowd/body_crowd.c finds once the entity's model is known. */
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

/* CROWD_AT_ENTITY_model is where the field lies in its record, CROWD_ENTITY_BYTES the record's size. */
enum crowd_offset {
#define FIELD(part, offset, type, name, text) CROWD_AT_##part##_##name = (offset),
#include "protocol/crowd.def"
};
enum crowd_record {
#define RECORD(part, bytes, name, text) CROWD_##part##_BYTES = (bytes),
#include "protocol/crowd.def"
};

struct crowd_entity {
    uint16_t model, wanted; /* places in the request's lists */
    uint16_t layer_count;
    enum layout layout;
    uint32_t first_layer;
    int32_t world; /* a place, or -1 */
};

/* As the request has it: the clips may not be there. */
struct crowd_layer {
    int32_t clip;        /* or POSE_REST */
    uint32_t clip_model; /* whose clips they are: 0 the entity's own, n models[n - 1] */
    int32_t mask;        /* a place, or -1 */
    double time_s, weight;
    enum wrap wrap;
    bool is_additive;
    int32_t reference_clip; /* of an additive layer */
    double reference_time_s;
};

struct crowd_model {
    const char *path; /* UTF-8 without NUL, not checked otherwise; NULL: `handle` says which */
    char hash[65];    /* hex: the content that is meant; "": any */
    uint32_t handle;  /* as asked; 0: none */
    uint32_t slot;    /* of a model with a path and without err, once the request is complete: 0 its own, n
                         sources[n - 1] */
    struct err err;   /* code 0, or why the model is not there: whoever looks for it says so */
};

struct crowd_mask {
    const struct blend_mask *nodes; /* [count] */
    uint32_t count;
    uint32_t most_node; /* the largest index of a node, where a layer has the mask */
};

/* All lists are the request's own. */
struct crowd_request {
    struct crowd_entity *entities;
    struct crowd_layer *layers;
    struct dmat4 *worlds; /* affine, perhaps not finite */
    struct crowd_model *models;
    struct crowd_mask *masks;
    struct blend_mask *mask_nodes;
    struct crowd_wanted *wanted;
    uint32_t *items;
    char *paths;
    uint32_t entity_count, layer_count, world_count, model_count, mask_count, mask_node_count, wanted_count, item_count;
};

/* True for bytes that begin as a binary crowd does. */
bool crowd_is_binary(const char *bytes, size_t size_bytes);

/* Reads a binary crowd into *out, which crowd_request_free() frees. *bad_at: of an error, the byte that breaks the form
 * (ERR_BAD_REQUEST), or SIZE_MAX where a value is wrong.
 * Returns 0, ERR_BAD_REQUEST, ERR_BAD_PARAMETER, ERR_BAD_PATH or ERR_NO_MEMORY. */
int crowd_request_read(struct crowd_request **out, const char *bytes, size_t size_bytes, const struct limits *limits,
                       size_t *bad_at, struct err *err);
/* NULL is fine. */
void crowd_request_free(struct crowd_request *crowd);
