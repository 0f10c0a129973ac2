/* answer_prepared.h - an answer that is asked for again and again, each time at another time: what does not depend on
 * the time is found once. The bytes are those of answer_make(), whose steps these are.
 *
 * Pure; one thread at a time. */
#pragma once

#include "wire/answer/answer.h"

struct answer_prepared;

/* True for what can be prepared: a palette at one time, of a clip of the model itself. */
bool answer_is_preparable(const struct request *request);

/* For such a request, which is kept, borrowed, and may get another time by request_set_time(). NULL: its answer is an
 * error, or the request is of another kind. */
struct answer_prepared *answer_prepare(struct answer *answer, const struct model *model, const struct request *request,
                                       const struct limits *limits);
/* NULL is fine. */
void answer_prepared_free(struct answer_prepared *prepared);

/* About how large the answers are; binary ones exactly. */
uint64_t answer_prepared_bytes(const struct answer_prepared *prepared);

/* Fills *reply, of which reply_init() and no more but memory in its body was made, with the answer at the request's
 * time. `model` has the bytes of that it was prepared for. False: *reply is an error. */
bool answer_make_prepared(struct answer_prepared *prepared, struct answer *answer, const struct model *model,
                          struct reply *reply);
