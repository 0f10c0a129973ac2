/* body_crowd.h - answers a crowd request (protocol/crowd.md). Pure; any thread with its own workspace. */
#pragma once

#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

/* Makes the answer. A missing model is NULL, and its crowd_model has the reason. An error of one entity is reported in
 * the answer; the reply is an error when the whole answer is too large. */
void body_put_crowd(struct reply_context *context);

cost_fn cost_of_crowd;
least_bytes_fn crowd_least_bytes;

/* The size of an answer. */
struct crowd_size {
    uint64_t steps; /* nodes and morph weights times layers, summed over all entities */
    uint64_t bytes; /* approximate size of the binary form */
};

/* Computes that size; models as above. */
struct crowd_size crowd_size_of(const struct request *request, const struct model *model,
                                const struct model *const *sources);

/* --- private to body_crowd*.c --- */

/* Converts a binary answer to JSON. */
void body_put_crowd_json(const struct request *request, const char *answer, struct buf *out);
