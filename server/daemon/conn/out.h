/* out.h - the answers that one connection still has to send, in order.
 *
 * Small answers are gathered in one buffer, so that the answers of one read leave in one write; a large body is
 * moved in and sent from where it is. Loop thread only. */
#pragma once

#include "wire/http/http_response.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

enum { OUT_PARTS = 2 };

/* A stretch of what is sent. */
struct out_part {
    struct buf bytes;
    struct blob *blob; /* instead of `bytes`, or NULL */
    size_t sent_bytes;
    bool is_closed; /* holds a body: nothing may be appended, which could move it */
};

struct out {
    struct out_part *parts; /* `own`, or heap */
    struct out_part own[OUT_PARTS];
    size_t part_count, part_capacity;
    size_t in_flight_count; /* parts that a uv_write() is sending: their bytes may not move */
    size_t unsent_bytes;    /* of all parts, those in flight included */
};

void out_init(struct out *out);
void out_fini(struct out *out); /* not while a write is in flight */

/* The thread sends no more: frees the buffers that it keeps for its next answers. */
void out_leave(void);

/* Memory that only this connection needs: without bodies that it shares with others. */
size_t out_held_bytes(const struct out *out);

void out_put(struct out *out, const void *bytes, size_t size_bytes); /* copies */
/* The buffer to append small things to, when out_count_tail() is told afterwards how large it was before. */
struct buf *out_tail(struct out *out);
void out_count_tail(struct out *out, size_t before_bytes);
/* Copied when it is small, else moved: *bytes is empty then. */
void out_put_bytes(struct out *out, struct buf *bytes);
/* The body of *reply: copied when it is small, else taken out of it. */
void out_put_body(struct out *out, struct reply *reply);
/* The head of an answer. */
void out_put_head(struct out *out, const struct reply *reply, const struct http_response *response);
/* Head and body of an answer; takes the body out of *reply when it is large. */
void out_put_answer(struct out *out, struct reply *reply, const struct http_response *response);

/* Sends what the socket takes at once and gives the rest to uv_write(write, ..., written), whose callback calls
 * out_written() and out_flush() again. Does nothing while a write is in flight. Returns 0 or libuv's negative code. */
int out_flush(struct out *out, uv_stream_t *stream, uv_write_t *write, uv_write_cb written);
void out_written(struct out *out);
