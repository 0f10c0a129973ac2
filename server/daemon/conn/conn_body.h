/* conn_body.h - the body of a reply that is made and sent in pieces.
 *
 * Work threads make one piece at a time, a few for each loop. The next is made once the client has taken in most of
 * what went before: a slow client costs the memory of a piece or two, and no thread. Nothing else is answered on the
 * connection meanwhile (CONN_STREAMING). Loop thread only. */
#pragma once

#include "wire/encode/reply.h"

#include <stdbool.h>
#include <stddef.h>

struct conn;
struct conn_body;

/* How a protocol frames the pieces. */
struct conn_body_framing {
    /* Queues a piece, whose memory it may take. */
    void (*put)(struct conn *conn, struct buf *piece, bool is_last);
    /* The body is queued to its end. Or, not whole: the connection closes, and what the client has of the body must not
     * look whole. */
    void (*over)(struct conn *conn, bool is_whole);
};

/* The bodies of one loop. */
struct conn_bodies {
    struct conn_body *waiting; /* for a thread */
    uint32_t working_count, open_count;
};

/* Queues the first piece, reply->body, and takes over reply->rest. conn->call.request stays as it is until the body
 * is over. */
void conn_body_start(struct conn *conn, struct reply *reply, const struct conn_body_framing *framing);
/* Has the next piece made if it is time for it; there is a body. */
void conn_body_resume(struct conn *conn);
/* The connection closes. */
void conn_body_stop(struct conn *conn);
/* Of the body, which is there: memory that it holds, without what is queued. */
size_t conn_body_held_bytes(const struct conn *conn);
/* How many of its bytes were queued, and how long making them took. */
uint64_t conn_body_sent_bytes(const struct conn *conn);
uint64_t conn_body_work_ns(const struct conn *conn);
