/* reply_cursor.h - one reply, made whole when it is small and in pieces when it is not: a cursor over its frames.
 *
 * Pure; any thread, one at a time. Nothing of a reply is told before all of it is known to be good: before the first
 * piece every frame is evaluated once, so that what goes wrong is an error like any other. Pieces are whole frames; the
 * first is what stands before them. */
#pragma once

#include "wire/reply/reply_context.h"

enum {
    REPLY_PIECE_BYTES = 131072,  /* a piece has at least so many, but the first and the last, and slow ones: */
    REPLY_PIECE_STEPS = 4000000, /* pose_steps() of about a second, after which a piece ends: who waits for an answer
                                    in pieces, as proxies do, gets some of it every few seconds */
    REPLY_WHOLE_BYTES = 524288,  /* replies up to here are made whole */
};

struct reply_cursor;

/* retargeted_clips: where clips of other files are kept, or NULL; is_stopped: as that of struct workspace. Borrowed,
 * like all below, until the cursor is freed. */
struct reply_cursor *reply_cursor_new(const struct kernel *kernel, struct retargeted_clip_store *retargeted_clips,
                                      const _Atomic bool *is_stopped);
void reply_cursor_free(struct reply_cursor *cursor); /* NULL is fine */

/* As reply_make(). True: the reply is good and reply->body its first piece; the rest, reply->rest_bytes of it,
 * comes by reply_cursor_next(). False: it is whole in *reply, or an error. pieces: REPLY_WHOLE, or what the asker
 * takes. */
bool reply_cursor_start(struct reply_cursor *cursor, const struct model *model, const struct model *const *sources,
                        const struct request *request, const struct limits *limits, enum reply_pieces pieces,
                        struct reply *reply);

/* What it took; after reply_cursor_start() without an error. */
const struct reply_cost *reply_cursor_cost(const struct reply_cursor *cursor);

/* Appends the next piece to the empty buffer *out. Returns 1 when more follow, 0 when it was the last, or what there is
 * but nobody can be told any more: ERR_NO_MEMORY, ERR_INTERNAL (the answer was stopped, or is not what it was). */
int reply_cursor_next(struct reply_cursor *cursor, struct buf *out, struct err *err);

/* What evaluates its poses, and has counted them. */
const struct entity_work *reply_cursor_entities(const struct reply_cursor *cursor);

/* Memory that it holds. */
size_t reply_cursor_held_bytes(const struct reply_cursor *cursor);
