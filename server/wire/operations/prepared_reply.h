/* prepared_reply.h - a reply that clients request repeatedly, possibly at a different time each time. It computes
 * everything that does not depend on the time once. Its bytes equal those of reply_make(), whose steps it uses.
 *
 * Pure; one thread at a time. */
#pragma once

#include "wire/reply/reply_context.h"

struct prepared_reply;

/* True for a request that can be prepared: palettes of a clip of the model itself. With is_timed it has one time, which
 * changes from call to call. */
bool prepared_reply_is_possible(const struct request *request, bool is_timed);

/* Prepares such a request. It borrows the request, and with is_timed its time may change by request_set_time(). NULL:
 * the reply is an error, or the request cannot be prepared. */
struct prepared_reply *prepared_reply_new(struct workspace *workspace, const struct model *model,
                                          const struct request *request, bool is_timed, const struct limits *limits);
/* NULL is fine. */
void prepared_reply_free(struct prepared_reply *prepared);

/* Approximate size of the replies; exact for binary ones. */
uint64_t prepared_reply_bytes(const struct prepared_reply *prepared);

/* True when all its replies are binary, have the same size and cannot be an error. This is known after the first reply.
 */
bool prepared_reply_is_steady(const struct prepared_reply *prepared);
/* Appends the body of such a reply to *out, whose size is a multiple of FRAMES_ALIGNMENT, otherwise like
 * prepared_reply_make(). The floats of up to PREPARED_ROW_MAX bodies may be missing until prepared_reply_finish()
 * evaluates them together. That call must follow with the same workspace and buffer. */
enum { PREPARED_ROW_MAX = 16 };
void prepared_reply_append(struct prepared_reply *prepared, struct workspace *workspace, const struct model *model,
                           struct buf *out);
void prepared_reply_finish(struct prepared_reply *prepared, struct workspace *workspace, struct buf *out);

/* Fills *reply with the reply to the request. The caller has called reply_init(); the body may hold memory. `model` has
 * the same content as the model of the preparation. False: *reply is an error. */
bool prepared_reply_make(struct prepared_reply *prepared, struct workspace *workspace, const struct model *model,
                         struct reply *reply);
