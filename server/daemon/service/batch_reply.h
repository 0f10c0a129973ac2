/* batch_reply.h - builds the answer to POST /v1/query: the answers of the queries in order, and the remaining limits
 * for later queries.
 *
 * One thread at a time. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "wire/encode/reply.h"

struct batch_reply {
    struct reply reply;
    struct limits left; /* what the remaining queries may use together */
    uint32_t count;     /* answers so far */
};

void batch_reply_init(struct batch_reply *batch, const struct limits *limits);
/* Appends the answer or the error of a query; the caller keeps `item`. */
void batch_reply_put(struct batch_reply *batch, const struct reply *item);
void batch_reply_put_error(struct batch_reply *batch, const struct err *err);
/* Ends the answer after the last query. */
void batch_reply_end(struct batch_reply *batch);
