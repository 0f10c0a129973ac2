/* send_queue.c - sends replies to a socket: copies small ones together, and sends large ones without a copy. */
#include "daemon/conn/send_queue.h"

#include "base/mem.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    COPY_MAX = 4096,      /* a body up to here costs less to copy than to send as a part of its own */
    FEW_PARTS = 2,        /* an empty queue keeps memory for this many */
    PARTS_PER_WRITE = 64, /* iovecs; Linux takes 1024 */
    WRITE_BYTES = 262144, /* at most two of them in a turn of the loop: the kernel copies each in some 50 us */
    KEPT_COUNT = 64,
    KEPT_MAX = 65536,        /* a larger buffer is not kept for others */
    TAIL_BYTES = 2048,       /* of a new buffer */
    RELEASE_BYTES = 4194304, /* step in which the sent part of a large body is returned to the system */
    HUGE_PAGE_BYTES = 2097152,
};

/* Sent buffers, kept for the next replies of any connection of the thread's loop. */
static _Thread_local struct {
    struct buf bufs[KEPT_COUNT];
    uint32_t count;
} kept;

static const char *data_of(const struct send_queue_part *part)
{
    return part->blob != NULL ? part->blob->data : part->bytes.data;
}

static size_t size_of(const struct send_queue_part *part)
{
    return part->blob != NULL ? part->blob->size_bytes : part->bytes.size_bytes;
}

static void fini_part(struct send_queue_part *part)
{
    if (part->blob != NULL)
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

void send_queue_thread_end(void)
{
    while (kept.count > 0)
        buf_fini(&kept.bufs[--kept.count]);
}

/* Removes the first `count` parts. */
static void drop_parts(struct send_queue *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fini_part(&out->parts[i]);
    out->part_count -= count;
    if (out->part_count > 0)
        memmove(out->parts, out->parts + count, out->part_count * sizeof *out->parts);
}

void send_queue_fini(struct send_queue *out)
{
    drop_parts(out, out->part_count);
    free(out->parts);
    *out = (struct send_queue){0};
}

static struct send_queue_part *add_part(struct send_queue *out)
{
    if (out->part_count == out->part_capacity) {
        out->part_capacity = out->part_capacity == 0 ? FEW_PARTS : 2 * out->part_capacity;
        out->parts = mem_realloc(out->parts, out->part_capacity * sizeof *out->parts);
    }
    struct send_queue_part *part = &out->parts[out->part_count++];
    *part = (struct send_queue_part){0};
    return part;
}

struct buf *send_queue_tail(struct send_queue *out)
{
    struct send_queue_part *last = out->part_count > out->in_flight_count ? &out->parts[out->part_count - 1] : NULL;
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

void send_queue_count_tail(struct send_queue *out, size_t before_bytes)
{
    out->unsent_bytes += out->parts[out->part_count - 1].bytes.size_bytes - before_bytes;
}

void send_queue_put(struct send_queue *out, const void *bytes, size_t size_bytes)
{
    buf_put(send_queue_tail(out), bytes, size_bytes);
    out->unsent_bytes += size_bytes;
}

void send_queue_put_bytes(struct send_queue *out, struct buf *bytes)
{
    if (bytes->size_bytes <= COPY_MAX) {
        send_queue_put(out, bytes->data, bytes->size_bytes);
        return;
    }
    struct send_queue_part *part = add_part(out);
    buf_shrink(bytes);
    part->bytes = *bytes;
    part->is_closed = true;
    out->unsent_bytes += bytes->size_bytes;
    buf_init(bytes, 0);
}

void send_queue_put_body(struct send_queue *out, struct reply *reply)
{
    struct blob *blob = reply->blob;
    if (blob == NULL) {
        send_queue_put_bytes(out, &reply->body);
    } else if (blob->size_bytes <= COPY_MAX) {
        send_queue_put(out, blob->data, blob->size_bytes);
    } else {
        struct send_queue_part *part = add_part(out);
        part->blob = blob;
        part->is_closed = true;
        out->unsent_bytes += blob->size_bytes;
        reply->blob = NULL;
    }
}

/* Freeing a body of 25 MB at once would take a loop milliseconds, because of its many pages. So sent pages, which are
 * never read again, are returned early (man 2 madvise), in whole huge pages, which the system need not split. */
static void release_sent(struct send_queue_part *part)
{
    const uintptr_t start = (uintptr_t)part->bytes.data, mask = HUGE_PAGE_BYTES - 1;
    const uintptr_t from = (start + part->released_bytes + mask) & ~mask, to = (start + part->sent_bytes) & ~mask;
    if (part->blob != NULL || to < from + RELEASE_BYTES)
        return;
    (void)madvise((void *)from, to - from, MADV_DONTNEED); /* a failure costs time, and memory until the end */
    part->released_bytes = to - start;
}

static void mark_sent(struct send_queue *out, size_t sent_bytes)
{
    size_t done = 0;
    out->unsent_bytes -= sent_bytes;
    while (done < out->part_count) {
        struct send_queue_part *part = &out->parts[done];
        const size_t left = size_of(part) - part->sent_bytes;
        if (sent_bytes < left) {
            part->sent_bytes += sent_bytes;
            release_sent(part);
            break;
        }
        sent_bytes -= left;
        done++;
    }
    drop_parts(out, done);
}

/* Collects at most `most_bytes` for the next write. */
static unsigned fill(const struct send_queue *out, uv_buf_t bufs[PARTS_PER_WRITE], size_t most_bytes,
                     size_t *total_bytes)
{
    unsigned count = 0;
    *total_bytes = 0;
    while (count < PARTS_PER_WRITE && count < out->part_count && *total_bytes < most_bytes) {
        const struct send_queue_part *part = &out->parts[count];
        const size_t left_bytes = size_of(part) - part->sent_bytes, capacity_bytes = most_bytes - *total_bytes;
        const size_t size_bytes = left_bytes < capacity_bytes ? left_bytes : capacity_bytes;
        bufs[count++] = (uv_buf_t){(char *)(uintptr_t)data_of(part) + part->sent_bytes, size_bytes};
        *total_bytes += size_bytes;
    }
    return count;
}

/* Writes once. libuv waits for a full socket; if the socket took all, the rest has to wait for the next turn. libuv
 * would call `written` up to nine times in one turn, so a fast reader could occupy the loop. */
int send_queue_flush(struct send_queue *out, uv_stream_t *stream, uv_write_t *write, uv_write_cb written)
{
    uv_buf_t bufs[PARTS_PER_WRITE];
    size_t total_bytes;
    if (out->unsent_bytes > 0 && out->in_flight_count == 0) {
        const unsigned count = fill(out, bufs, WRITE_BYTES, &total_bytes);
        const int rc = uv_try_write(stream, bufs, count);
        if (rc < 0 && rc != UV_EAGAIN)
            return rc;
        const size_t sent_bytes = rc > 0 ? (size_t)rc : 0;
        mark_sent(out, sent_bytes);
        stats_add(STAT_CONNECTIONS_SENT_BYTES, sent_bytes);
        if (sent_bytes < total_bytes) {
            const unsigned rest_count = fill(out, bufs, total_bytes - sent_bytes, &total_bytes);
            const int rest_rc = uv_write(write, stream, bufs, rest_count, written);
            if (rest_rc < 0)
                return rest_rc;
            out->in_flight_count = rest_count;
            out->in_flight_bytes = total_bytes;
        }
    }
    if (out->part_count == 0 && out->part_capacity > FEW_PARTS)
        send_queue_fini(out);
    return 0;
}

void send_queue_written(struct send_queue *out)
{
    const size_t sent_bytes = out->in_flight_bytes;
    out->in_flight_count = out->in_flight_bytes = 0;
    mark_sent(out, sent_bytes);
}
