/* conn_body.h - the body of an answer that comes in pieces, while it is under way on its connection.
 *
 * Work threads make a piece at a time, a few for each loop; the next is asked for once the client has taken in most of
 * what went before, so a slow one costs the memory of a piece or two and no thread. Nothing else is answered on the
 * connection meanwhile. Loop thread only. */
#pragma once

#include "wire/encode/reply.h"

#include <stdbool.h>
#include <stddef.h>

struct conn;
struct conn_body;

/* How a language has it. */
struct conn_body_framing {
    /* Queues a piece, which it may take the memory of. */
    void (*put)(struct conn *conn, struct buf *piece, bool is_last);
    /* It is queued to its end; or it never will be, and the connection closes: what the client has of it must not look
     * whole. */
    void (*over)(struct conn *conn, bool is_whole);
};

/* Of one loop. */
struct conn_bodies {
    struct conn_body *waiting; /* for a thread */
    uint32_t working_count, open_count;
};

/* Queues the first piece, reply->body, and takes over reply->source; the request of conn->call stays as it is until it
 * is over. */
void conn_body_start(struct conn *conn, struct reply *reply, const struct conn_body_framing *form);
/* Asks for the next piece, if it is time for it. */
void conn_body_resume(struct conn *conn);
/* The connection closes. */
void conn_body_stop(struct conn *conn);
/* Memory that it holds, but for what is queued. */
size_t conn_body_held_bytes(const struct conn *conn);
/* Bytes of it that were queued. */
uint64_t conn_body_sent_bytes(const struct conn *conn);
