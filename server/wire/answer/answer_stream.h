/* answer_stream.h - one answer, made whole when it is small and in pieces when it is not: a cursor over its frames.
 *
 * Pure; any thread, one at a time. Nothing of an answer is told before all of it is known to be good: before the first
 * piece every frame is evaluated once, so that what goes wrong is an error like any other. Pieces are whole frames; the
 * first is what stands before them. */
#pragma once

#include "wire/answer/answer.h"

enum {
    ANSWER_PIECE_BYTES = 131072, /* a piece has at least so many, but the first and the last */
    ANSWER_WHOLE_BYTES = 524288, /* answers up to here are made whole */
};

struct answer_stream;

/* is_stopped: as that of struct answer; borrowed, like all below, until the stream is freed. */
struct answer_stream *answer_stream_new(const struct kernel *kernel, const _Atomic bool *is_stopped);
void answer_stream_free(struct answer_stream *stream); /* NULL is fine */

/* As answer_make_with(). True: the answer is good and reply->body its first piece; the rest, reply->rest_bytes of it,
 * comes by answer_stream_next(). False: it is whole in *reply, or an error. pieces: REPLY_WHOLE, or what the asker
 * takes. */
bool answer_stream_start(struct answer_stream *stream, const struct model *model, const struct model *const *sources,
                         const struct request *request, const struct limits *limits, enum reply_pieces pieces,
                         struct reply *reply);

/* What it took; after answer_stream_start() without an error. */
const struct answer_cost *answer_stream_cost(const struct answer_stream *stream);

/* Appends the next piece to the empty buffer *out. Returns 1 when more follow, 0 when it was the last, or what there is
 * but nobody can be told any more: ERR_NO_MEMORY, ERR_INTERNAL (the answer was stopped, or is not what it was). */
int answer_stream_next(struct answer_stream *stream, struct buf *out, struct err *err);

/* Memory that it holds. */
size_t answer_stream_held_bytes(const struct answer_stream *stream);
