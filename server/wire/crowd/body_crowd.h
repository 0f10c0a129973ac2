/* body_crowd.h - the answer to a crowd (protocol/crowd.md). Pure; any thread with its own workspace. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

/* A model is NULL where it is not there, and its crowd_model says why. What is wrong with one entity is told in the
 * answer; the reply is an error where all of it is too large. */
void body_put_crowd(struct reply_context *context);

cost_fn cost_of_crowd;
least_bytes_fn crowd_least_bytes;

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
