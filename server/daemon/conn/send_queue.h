/* send_queue.h - queues the bytes that one connection has to send, in order.
 *
 * It gathers small replies in one buffer, so that the replies to one read leave in one write. It takes over a large
 * body and sends it without a copy. Loop thread only. */
#pragma once

#include "wire/encode/reply.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/* A part of the queue. */
struct send_queue_part {
    struct buf bytes;
    struct blob *blob;                 /* instead of `bytes`, or NULL */
    size_t sent_bytes, released_bytes; /* released: their memory was returned to the system */
    bool is_closed;                    /* holds a body: nothing may be appended, because that could move it */
};

/* Zeroed is empty. */
struct send_queue {
    struct send_queue_part *parts;
    size_t part_count, part_capacity;
    size_t in_flight_count; /* parts that a uv_write() is sending: their bytes may not move */
    size_t in_flight_bytes;
    size_t unsent_bytes; /* of all parts, those in flight included */
};

void send_queue_fini(struct send_queue *out); /* not while a write is in flight */

/* Frees the buffers that the thread keeps for its next replies, when it sends no more. */
void send_queue_thread_end(void);

/* Returns the memory that only this connection needs, without shared bodies. */
static inline size_t send_queue_held_bytes(const struct send_queue *out)
{
    size_t held_bytes = 0;
    for (size_t i = 0; i < out->part_count; i++)
        held_bytes += out->parts[i].bytes.capacity_bytes;
    return held_bytes;
}

void send_queue_put(struct send_queue *out, const void *bytes, size_t size_bytes); /* copies */
/* Returns the buffer for appending small data; call send_queue_count_tail() afterwards with its previous size. */
struct buf *send_queue_tail(struct send_queue *out);
void send_queue_count_tail(struct send_queue *out, size_t before_bytes);
/* Copies small data and moves large data, which leaves *bytes empty. */
void send_queue_put_bytes(struct send_queue *out, struct buf *bytes);
/* Queues the body of *reply: copies a small one, and takes a large one out of *reply. */
void send_queue_put_body(struct send_queue *out, struct reply *reply);
/* Sends a part as large as one turn of the loop allows. If the socket is full before its end, the rest of the part goes
 * to uv_write(write, ..., written), whose callback calls send_queue_written(). Call it again in the next turn while
 * send_queue_is_paused(). Does nothing while a write is in flight. Returns 0 or libuv's negative code. */
int send_queue_flush(struct send_queue *out, uv_stream_t *stream, uv_write_t *write, uv_write_cb written);
void send_queue_written(struct send_queue *out);

/* Returns whether bytes wait for the next turn of the loop, and not for the client. */
static inline bool send_queue_is_paused(const struct send_queue *out)
{
    return out->unsent_bytes > 0 && out->in_flight_count == 0;
}
