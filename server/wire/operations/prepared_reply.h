/* prepared_reply.h - a reply that is asked for again and again, perhaps each time at another time: what does not depend
 * on the time is found once. The bytes are those of reply_make(), whose steps these are.
 *
 * Pure; one thread at a time. */
#pragma once

#include "wire/reply/reply_context.h"

struct prepared_reply;

/* True for what can be prepared: palettes of a clip of the model itself; at one time where it is_timed: asked for at
 * another time each time. */
bool prepared_reply_is_possible(const struct request *request, bool is_timed);

/* For such a request, which is kept, borrowed, and may get another time by request_set_time() where it is_timed. NULL:
 * its reply is an error, or the request is of another kind. */
struct prepared_reply *prepared_reply_new(struct workspace *workspace, const struct model *model,
                                          const struct request *request, bool is_timed, const struct limits *limits);
/* NULL is fine. */
void prepared_reply_free(struct prepared_reply *prepared);

/* About how large the replies are; binary ones exactly. */
uint64_t prepared_reply_bytes(const struct prepared_reply *prepared);

/* True when each of its replies is binary, of the same size, and cannot be an error: as soon as there was one. */
bool prepared_reply_is_steady(const struct prepared_reply *prepared);
/* Appends the body of such a reply to *out, whose size is a multiple of FRAMES_ALIGNMENT, otherwise as
 * prepared_reply_make(). Its floats may be left out until prepared_reply_finish(), which has to follow with the same
 * workspace and buffer, after at most PREPARED_ROW_MAX bodies: those of a row are evaluated together. */
enum { PREPARED_ROW_MAX = 16 };
void prepared_reply_append(struct prepared_reply *prepared, struct workspace *workspace, const struct model *model,
                           struct buf *out);
void prepared_reply_finish(struct prepared_reply *prepared, struct workspace *workspace, struct buf *out);

/* Fills *reply, of which reply_init() and no more but memory in its body was made, with the reply to the request.
 * `model` has the bytes of that it was prepared for. False: *reply is an error. */
bool prepared_reply_make(struct prepared_reply *prepared, struct workspace *workspace, const struct model *model,
                         struct reply *reply);
