/* conn_body.h - streams the body of a reply: makes and sends it in pieces.
 *
 * A work thread makes one piece at a time; each loop uses a few threads. The next piece is made once the client has
 * received most of the previous ones, so a slow client costs the memory of a piece or two, and no thread. The
 * connection answers nothing else meanwhile (CONN_STREAMING). Loop thread only. */
#pragma once

#include "wire/encode/reply.h"

#include <stdbool.h>
#include <stddef.h>

struct conn;
struct conn_body;

/* How a protocol frames the pieces. */
struct conn_body_framing {
    /* Queues a piece; it may take its memory. */
    void (*put)(struct conn *conn, struct buf *piece, bool is_last);
    /* Called when the body is queued to its end. If it is not whole, the connection closes, and the received part must
     * not look complete. */
    void (*over)(struct conn *conn, bool is_whole);
};

/* The bodies of one loop. */
struct conn_bodies {
    struct conn_body *waiting; /* for a thread */
    uint32_t working_count, open_count;
};

/* Queues the first piece, reply->body, and takes over reply->rest. conn->call.request must not change until the body
 * ends. */
void conn_body_start(struct conn *conn, struct reply *reply, const struct conn_body_framing *framing);
/* Starts making the next piece if it is time; there must be a body. */
void conn_body_resume(struct conn *conn);
/* Ends the body when the connection closes. */
void conn_body_stop(struct conn *conn);
/* Returns the memory that the body, which must exist, holds besides the send queue. */
size_t conn_body_held_bytes(const struct conn *conn);
/* Return the number of queued bytes, and the time that making them took. */
uint64_t conn_body_sent_bytes(const struct conn *conn);
uint64_t conn_body_work_ns(const struct conn *conn);
