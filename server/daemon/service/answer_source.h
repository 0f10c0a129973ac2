/* answer_source.h - one answer made by a work thread: whole, or piece by piece as its client takes it
 * (wire/answer/answer_stream.h), with what it is made from held for as long. */
#pragma once

#include "daemon/service/evaluator.h"

struct answer_source;

/* Holds the models; borrows the request. Loop thread. */
struct answer_source *answer_source_new(const struct evaluation *evaluation, const struct kernel *kernel);
/* Lets the models go; not while a thread is at work on it. NULL is fine. */
void answer_source_free(struct answer_source *source);

/* Fills *reply, and *cost when it is no error. When more follows, reply->source is the answer_source, which is the
 * reply's from then on. Any thread. limits: borrowed until the source is freed. */
void answer_source_start(struct answer_source *source, enum reply_pieces pieces, const struct limits *limits,
                         struct reply *reply, struct answer_cost *cost);

/* Lets the thread that is at work on it end soon. */
void answer_source_stop(struct answer_source *source);
