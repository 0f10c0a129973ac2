#include "out.h"

#include "../base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    COPY_MAX = 4096,      /* a body up to here costs less to copy than to send as a part of its own */
    PARTS_PER_WRITE = 64, /* iovecs; Linux takes 1024 */
};

struct out_part {
    struct buf bytes;
    struct blob *blob; /* instead of `bytes`, or NULL */
    size_t sent_bytes;
    bool is_closed; /* holds a body: nothing may be appended, which could move it */
};

static const char *data_of(const struct out_part *part)
{
    return part->blob != NULL ? part->blob->data : part->bytes.data;
}

static size_t size_of(const struct out_part *part)
{
    return part->blob != NULL ? part->blob->size_bytes : part->bytes.size_bytes;
}

static void fini_part(struct out_part *part)
{
    buf_fini(&part->bytes);
    blob_unref(part->blob);
}

void out_init(struct out *out) { *out = (struct out){0}; }

void out_fini(struct out *out)
{
    for (size_t i = 0; i < out->part_count; i++)
        fini_part(&out->parts[i]);
    free(out->parts);
    out_init(out);
}

size_t out_held_bytes(const struct out *out)
{
    size_t held_bytes = 0;
    for (size_t i = 0; i < out->part_count; i++)
        held_bytes += out->parts[i].bytes.capacity_bytes;
    return held_bytes;
}

static struct out_part *add_part(struct out *out)
{
    if (out->part_count == out->part_capacity) {
        out->part_capacity = out->part_capacity == 0 ? 2 : out->part_capacity * 2;
        out->parts = mem_realloc(out->parts, out->part_capacity * sizeof *out->parts);
    }
    struct out_part *part = &out->parts[out->part_count++];
    *part = (struct out_part){0};
    buf_init(&part->bytes, 0);
    return part;
}

/* The buffer at the end that small things are appended to. */
static struct buf *tail(struct out *out)
{
    struct out_part *last = out->part_count > out->in_flight_count ? &out->parts[out->part_count - 1] : NULL;
    if (last == NULL || last->is_closed)
        last = add_part(out);
    return &last->bytes;
}

void out_put(struct out *out, const void *bytes, size_t size_bytes)
{
    buf_put(tail(out), bytes, size_bytes);
    out->unsent_bytes += size_bytes;
}

void out_put_body(struct out *out, struct reply *reply)
{
    const size_t body_bytes = reply_body_bytes(reply);
    if (body_bytes <= COPY_MAX) {
        out_put(out, reply->blob != NULL ? reply->blob->data : reply->body.data, body_bytes);
        return;
    }
    struct out_part *part = add_part(out);
    buf_shrink(&reply->body);
    part->bytes = reply->body;
    part->blob = reply->blob;
    part->is_closed = true;
    buf_init(&reply->body, 0);
    reply->blob = NULL;
    out->unsent_bytes += body_bytes;
}

void out_put_answer(struct out *out, struct reply *reply, const struct http_response *response)
{
    struct buf *head = tail(out);
    const size_t before = head->size_bytes;
    const bool has_body = http_response_has_body(reply, response->is_head) && reply_body_bytes(reply) > 0;
    http_response_head(reply, response, head);
    out->unsent_bytes += head->size_bytes - before;
    if (has_body)
        out_put_body(out, reply);
}

/* Forgets the first `count` parts. */
static void drop_parts(struct out *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fini_part(&out->parts[i]);
    out->part_count -= count;
    memmove(out->parts, out->parts + count, out->part_count * sizeof *out->parts);
}

static void mark_sent(struct out *out, size_t sent_bytes)
{
    size_t done = 0;
    out->unsent_bytes -= sent_bytes;
    while (done < out->part_count) {
        struct out_part *part = &out->parts[done];
        const size_t left = size_of(part) - part->sent_bytes;
        if (sent_bytes < left) {
            part->sent_bytes += sent_bytes;
            break;
        }
        sent_bytes -= left;
        done++;
    }
    drop_parts(out, done);
}

static unsigned fill(const struct out *out, uv_buf_t bufs[PARTS_PER_WRITE], size_t *total_bytes)
{
    unsigned count = 0;
    *total_bytes = 0;
    for (; count < PARTS_PER_WRITE && count < out->part_count; count++) {
        const struct out_part *part = &out->parts[count];
        bufs[count] = (uv_buf_t){(char *)(uintptr_t)data_of(part) + part->sent_bytes, size_of(part) - part->sent_bytes};
        *total_bytes += bufs[count].len;
    }
    return count;
}

int out_flush(struct out *out, uv_stream_t *stream, uv_write_t *write, uv_write_cb written)
{
    while (out->unsent_bytes > 0 && out->in_flight_count == 0) {
        uv_buf_t bufs[PARTS_PER_WRITE];
        size_t total_bytes;
        unsigned count = fill(out, bufs, &total_bytes);
        const int sent = uv_try_write(stream, bufs, count);
        if (sent < 0 && sent != UV_EAGAIN)
            return sent;
        if (sent > 0)
            mark_sent(out, (size_t)sent);
        if (sent > 0 && (size_t)sent == total_bytes)
            continue;
        count = fill(out, bufs, &total_bytes);
        const int rc = uv_write(write, stream, bufs, count, written);
        if (rc < 0)
            return rc;
        out->in_flight_count = count;
    }
    if (out->part_count == 0)
        out_fini(out);
    return 0;
}

void out_written(struct out *out)
{
    for (size_t i = 0; i < out->in_flight_count; i++)
        out->unsent_bytes -= size_of(&out->parts[i]) - out->parts[i].sent_bytes;
    const size_t count = out->in_flight_count;
    out->in_flight_count = 0;
    drop_parts(out, count);
}
