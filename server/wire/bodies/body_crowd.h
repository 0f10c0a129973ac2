/* body_crowd.h - the answer to a crowd (protocol/crowd.md). Pure; any thread with its own workspace. */
#pragma once

#include "wire/reply/workspace.h"

/* Fills *reply. model: the request's own, sources[request->source_count]: the others; NULL where it is not there, whose
 * crowd_model says why. What is wrong with one entity is told in the answer; *reply is an error where all of it is too
 * large. */
void body_put_crowd(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                    const struct request *request, const struct limits *limits, struct reply *reply);

/* What the answer takes. */
struct crowd_size {
    uint64_t steps; /* nodes and morph weights times layers, of all entities */
    uint64_t bytes; /* of its binary form, nearly */
};

/* Models as above. */
struct crowd_size crowd_size_of(const struct request *request, const struct model *model,
                                const struct model *const *sources);

/* --- private to body_crowd*.c --- */

/* The JSON form of a binary answer. */
void body_put_crowd_json(const struct request *request, const char *answer, struct buf *out);
