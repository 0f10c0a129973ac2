/* send_queue.h - what one connection still has to send, in order.
 *
 * Small replies are gathered in one buffer, so that the replies to one read leave in one write; a large body is moved
 * in and sent from where it is. Loop thread only. */
#pragma once

#include "wire/http/http_response.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/* A stretch of what is sent. */
struct send_queue_part {
    struct buf bytes;
    struct blob *blob;                 /* instead of `bytes`, or NULL */
    size_t sent_bytes, released_bytes; /* released: their memory was given back to the system */
    bool is_closed;                    /* holds a body: nothing may be appended, which could move it */
};

/* Zeroed is empty. */
struct send_queue {
    struct send_queue_part *parts;
    size_t part_count, part_capacity;
    size_t in_flight_count; /* parts of which a uv_write() is sending some: their bytes may not move */
    size_t in_flight_bytes;
    size_t unsent_bytes; /* of all parts, those in flight included */
};

void send_queue_fini(struct send_queue *out); /* not while a write is in flight */

/* The thread sends no more: frees the buffers that it keeps for its next replies. */
void send_queue_thread_end(void);

/* Memory that only this connection needs: without bodies that it shares with others. */
static inline size_t send_queue_held_bytes(const struct send_queue *out)
{
    size_t held_bytes = 0;
    for (size_t i = 0; i < out->part_count; i++)
        held_bytes += out->parts[i].bytes.capacity_bytes;
    return held_bytes;
}

void send_queue_put(struct send_queue *out, const void *bytes, size_t size_bytes); /* copies */
/* The buffer to append small things to, if send_queue_count_tail() is told afterwards how large it was before. */
struct buf *send_queue_tail(struct send_queue *out);
void send_queue_count_tail(struct send_queue *out, size_t before_bytes);
/* Copied if it is small, else moved: *bytes is empty then. */
void send_queue_put_bytes(struct send_queue *out, struct buf *bytes);
/* The body of *reply: copied if it is small, else taken out of it. */
void send_queue_put_body(struct send_queue *out, struct reply *reply);
/* The head of a reply over HTTP. */
void send_queue_put_head(struct send_queue *out, const struct reply *reply, const struct http_response *response);
/* Sends some of what the socket takes at once and gives more to uv_write(write, ..., written), whose callback calls
 * send_queue_written() and send_queue_flush() again. Does nothing while a write is in flight. Returns 0 or libuv's
 * negative code. */
int send_queue_flush(struct send_queue *out, uv_stream_t *stream, uv_write_t *write, uv_write_cb written);
void send_queue_written(struct send_queue *out);
