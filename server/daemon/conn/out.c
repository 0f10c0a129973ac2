#include "daemon/conn/out.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    COPY_MAX = 4096,      /* a body up to here costs less to copy than to send as a part of its own */
    PARTS_PER_WRITE = 64, /* iovecs; Linux takes 1024 */
    KEPT_COUNT = 64,
    KEPT_MAX = 65536,  /* a larger buffer is not kept for others */
    TAIL_BYTES = 2048, /* of a new buffer */
};

/* Buffers that were sent, for the next answers of any connection of the thread's loop. */
static _Thread_local struct {
    struct buf bufs[KEPT_COUNT];
    uint32_t count;
} kept;

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
    blob_unref(part->blob);
    if (part->bytes.data == NULL)
        return;
    if (part->is_closed || part->bytes.capacity_bytes > KEPT_MAX || kept.count == KEPT_COUNT) {
        buf_fini(&part->bytes);
    } else {
        buf_clear(&part->bytes);
        kept.bufs[kept.count++] = part->bytes;
    }
}

void out_leave(void)
{
    while (kept.count > 0)
        buf_fini(&kept.bufs[--kept.count]);
}

void out_init(struct out *out)
{
    *out = (struct out){.part_capacity = OUT_PARTS};
    out->parts = out->own;
}

/* What holds no part takes no memory. */
static void release(struct out *out)
{
    if (out->parts != out->own)
        free(out->parts);
    out->parts = out->own;
    out->part_capacity = OUT_PARTS;
}

void out_fini(struct out *out)
{
    for (size_t i = 0; i < out->part_count; i++)
        fini_part(&out->parts[i]);
    out->part_count = out->unsent_bytes = 0;
    release(out);
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
        struct out_part *parts = mem_alloc(2 * out->part_capacity * sizeof *parts);
        memcpy(parts, out->parts, out->part_count * sizeof *parts);
        const size_t capacity = 2 * out->part_capacity;
        release(out);
        out->parts = parts;
        out->part_capacity = capacity;
    }
    struct out_part *part = &out->parts[out->part_count++];
    *part = (struct out_part){0};
    return part;
}

struct buf *out_tail(struct out *out)
{
    struct out_part *last = out->part_count > out->in_flight_count ? &out->parts[out->part_count - 1] : NULL;
    if (last != NULL && !last->is_closed)
        return &last->bytes;
    last = add_part(out);
    buf_init(&last->bytes, 0);
    if (kept.count > 0)
        last->bytes = kept.bufs[--kept.count];
    else
        buf_reserve(&last->bytes, TAIL_BYTES);
    return &last->bytes;
}

void out_count_tail(struct out *out, size_t before_bytes)
{
    out->unsent_bytes += out->parts[out->part_count - 1].bytes.size_bytes - before_bytes;
}

void out_put(struct out *out, const void *bytes, size_t size_bytes)
{
    buf_put(out_tail(out), bytes, size_bytes);
    out->unsent_bytes += size_bytes;
}

void out_put_bytes(struct out *out, struct buf *bytes)
{
    if (bytes->size_bytes <= COPY_MAX) {
        out_put(out, bytes->data, bytes->size_bytes);
        return;
    }
    struct out_part *part = add_part(out);
    buf_shrink(bytes);
    part->bytes = *bytes;
    part->is_closed = true;
    out->unsent_bytes += bytes->size_bytes;
    buf_init(bytes, 0);
}

void out_put_body(struct out *out, struct reply *reply)
{
    struct blob *blob = reply->blob;
    if (blob == NULL) {
        out_put_bytes(out, &reply->body);
    } else if (blob->size_bytes <= COPY_MAX) {
        out_put(out, blob->data, blob->size_bytes);
    } else {
        struct out_part *part = add_part(out);
        part->blob = blob;
        part->is_closed = true;
        out->unsent_bytes += blob->size_bytes;
        reply->blob = NULL;
    }
}

void out_put_head(struct out *out, const struct reply *reply, const struct http_response *response)
{
    struct buf *head = out_tail(out);
    const size_t before = head->size_bytes;
    http_response_head(reply, response, head);
    out->unsent_bytes += head->size_bytes - before;
}

void out_put_answer(struct out *out, struct reply *reply, const struct http_response *response)
{
    const bool has_body = http_response_has_body(reply, response->is_head) && reply_body_bytes(reply) > 0;
    out_put_head(out, reply, response);
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
        release(out);
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
