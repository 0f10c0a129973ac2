/* answer_source.h - one answer made by a work thread: whole, or piece by piece as its client takes it
 * (wire/bodies/reply_cursor.h), with what it is made from held for as long. */
#pragma once

#include "daemon/service/evaluator.h"

struct reply_stream;

/* Holds the models; borrows the request. Loop thread. */
struct reply_stream *reply_stream_new(const struct evaluation *evaluation, const struct kernel *kernel);
/* Lets the models go; not while a thread is at work on it. NULL is fine. */
void reply_stream_free(struct reply_stream *source);

/* Fills *reply, and *cost when it is no error. When more follows, reply->source is the answer_source, which is the
 * reply's from then on. Any thread. limits: borrowed until the source is freed. */
void reply_stream_start(struct reply_stream *source, enum reply_pieces pieces, const struct limits *limits,
                        struct reply *reply, struct reply_cost *cost);

/* Lets the thread that is at work on it end soon. */
void reply_stream_stop(struct reply_stream *source);
