/* request_given.h - a given pose as a request writes it: its nodes are not looked up yet, and rotations may be relative
 * to rest. protocol/blending.md says how it is written. wire/reply/given_resolve.h makes a struct given_pose of it.
 *
 * Pure; any thread. It owns all its memory. */
#pragma once

#include "wire/request/request.h"

/* What a node of the pose gives. Its numbers follow each other in each frame: translation, rotation x y z w, scale. */
struct request_given_node {
    struct selector node; /* SELECT_INDEX, or SELECT_NAME of a node or a role */
    uint32_t parts;       /* GIVEN_ bits (anim/given/given_pose.h) */
};

/* A number of each frame that is not of a node: a morph weight, or the weight of an expression. */
struct request_given_weight {
    const char *name; /* of the morph target, or of the expression */
    const char *mesh; /* only the target of meshes and nodes of this name; NULL: of all that have it */
    bool is_expression;
};

struct request_given {
    bool is_from_rest; /* numbers are relative to the rest pose */
    struct request_given_node *nodes;
    struct request_given_weight *weights;
    uint32_t node_count, weight_count;
    uint32_t frame_count, frame_values; /* at least 1; at least 1 */
    struct request_look look;           /* of all frames */
    double *times_s;                    /* [frame_count], from 0 on, rising */
    double *values;                     /* [frame_count][frame_values]: of all nodes, then one for each weight */
    uint64_t hash;                      /* of everything */
    size_t held_bytes;
    char *texts;
};

/* Reads the member "pose" of a layer. Returns 0 with a new *out, or ERR_BAD_PARAMETER, ERR_UNKNOWN_PARAMETER,
 * ERR_MISSING_PARAMETER, ERR_TOO_MANY_FRAMES or ERR_NO_MEMORY, naming frame, part and node. */
struct cJSON;
int request_given_read_json(struct request_given **out, const struct cJSON *pose, const struct limits *limits,
                            struct err *err);

/* Reads a binary answer of /v1/pose?what=local (protocol/frames.md), of which it takes the local transforms. Returns
 * likewise, or ERR_BAD_REQUEST, naming the byte. */
int request_given_read_frames(struct request_given **out, const char *bytes, size_t size_bytes,
                              const struct limits *limits, struct err *err);

/* Fills request->on_top from the short forms turn=, morph= and expression=. Returns 0, ERR_DUPLICATE_PARAMETER or
 * ERR_NO_MEMORY. */
int request_given_of_short(struct request *request, struct err *err);

/* Returns how many nodes, morph targets and expressions it names, rather than by index. */
uint64_t request_given_names(const struct request_given *given);
void request_given_free(struct request_given *given); /* NULL is fine */
