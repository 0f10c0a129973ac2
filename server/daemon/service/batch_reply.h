/* batch_reply.h - the answer to POST /v1/query while it grows: the answers of the queries in their order, and what the
 * rest may still use of the limits of one answer.
 *
 * One thread at a time. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "wire/encode/reply.h"

struct batch_reply {
    struct reply reply;
    struct limits left; /* what the queries to come may use together */
    uint32_t count;     /* answers so far */
};

void batch_reply_init(struct batch_reply *batch, const struct limits *limits);
/* Appends a query's answer, also one that is an error; the caller keeps it. */
void batch_reply_put(struct batch_reply *batch, const struct reply *item);
void batch_reply_put_error(struct batch_reply *batch, const struct err *err);
/* There are no further queries. */
void batch_reply_end(struct batch_reply *batch);
