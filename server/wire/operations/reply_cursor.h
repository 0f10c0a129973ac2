/* reply_cursor.h - makes a small reply as a whole and a large one in pieces, by a cursor over its frames.
 *
 * No byte of a reply leaves before all of it is known to be valid. So every frame is evaluated once before the first
 * piece, and a failure is an ordinary error. The first piece holds everything before the frames; the others hold whole
 * frames. Pure; any thread, one at a time. */
#pragma once

#include "wire/reply/reply_context.h"

enum {
    REPLY_PIECE_BYTES = 131072,  /* least size of a piece, except for the first, the last, and slow ones: */
    REPLY_PIECE_STEPS = 4000000, /* pose_steps() of about a second, after which a piece ends, so that clients and
                                    proxies receive data every few seconds */
    REPLY_WHOLE_BYTES = 524288,  /* replies up to this size are made as a whole */
};

struct reply_cursor;

/* retargeted_clips: the store of clips of other files, or NULL. is_stopped: as in struct workspace. The cursor borrows
 * these and all arguments below until it is freed. */
struct reply_cursor *reply_cursor_new(const struct kernel *kernel, struct retargeted_clip_store *retargeted_clips,
                                      const _Atomic bool *is_stopped);
/* Sets the bytes of the textures' own files, before reply_cursor_start(). */
void reply_cursor_use_pictures(struct reply_cursor *cursor, const struct own_pictures *pictures);
void reply_cursor_free(struct reply_cursor *cursor); /* NULL is fine */

/* Like reply_make(). True: the reply is valid and reply->body is its first piece; reply_cursor_next() gives the other
 * reply->rest_bytes bytes. False: *reply is complete, or an error. pieces: REPLY_WHOLE, or what the client accepts. */
bool reply_cursor_start(struct reply_cursor *cursor, const struct model *model, const struct model *const *sources,
                        const struct request *request, const struct limits *limits, enum reply_pieces pieces,
                        struct reply *reply);

/* The cost of the reply, after reply_cursor_start() without an error. */
const struct reply_cost *reply_cursor_cost(const struct reply_cursor *cursor);

/* Appends the next piece to the empty buffer *out. Returns 1 when more follow and 0 after the last one. Late errors,
 * which no client can be told, are ERR_NO_MEMORY and ERR_INTERNAL (the answer was stopped, or differs from its first
 * evaluation). */
int reply_cursor_next(struct reply_cursor *cursor, struct buf *out, struct err *err);

/* The evaluator of its poses, which counts them. */
const struct entity_work *reply_cursor_entities(const struct reply_cursor *cursor);

/* Returns the memory that it holds. */
size_t reply_cursor_held_bytes(const struct reply_cursor *cursor);
