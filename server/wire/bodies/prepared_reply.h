/* answer_prepared.h - an answer that is asked for again and again, each time at another time: what does not depend on
 * the time is found once. The bytes are those of reply_make(), whose steps these are.
 *
 * Pure; one thread at a time. */
#pragma once

#include "wire/bodies/reply_make.h"

struct prepared_reply;

/* True for what can be prepared: a palette at one time, of a clip of the model itself. */
bool prepared_reply_is_possible(const struct request *request);

/* For such a request, which is kept, borrowed, and may get another time by request_set_time(). NULL: its answer is an
 * error, or the request is of another kind. */
struct prepared_reply *prepared_reply_new(struct workspace *answer, const struct model *model,
                                          const struct request *request, const struct limits *limits);
/* NULL is fine. */
void prepared_reply_free(struct prepared_reply *prepared);

/* About how large the answers are; binary ones exactly. */
uint64_t prepared_reply_bytes(const struct prepared_reply *prepared);

/* Fills *reply, of which reply_init() and no more but memory in its body was made, with the answer at the request's
 * time. `model` has the bytes of that it was prepared for. False: *reply is an error. */
bool prepared_reply_make(struct prepared_reply *prepared, struct workspace *answer, const struct model *model,
                         struct reply *reply);
