/* buf.h - a growable run of bytes. Not thread-safe; no I/O.
 *
 * A buffer without a limit aborts the process when memory runs out. A buffer whose size depends on outside data gets a
 * limit. Going over the limit, or failing to allocate, marks it as failed: later appends do nothing and buf_failed() is
 * true, so a writer checks once at the end. */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Why a buffer takes no more bytes. */
enum buf_failure {
    BUF_FULL = 1,   /* over its limit, or out of memory */
    BUF_NOT_FINITE, /* the format has no text for infinities and NaN */
    BUF_STOPPED,    /* the reader wants no more */
};

struct buf {
    char *data; /* heap, NULL while empty */
    size_t size_bytes;
    size_t capacity_bytes;
    size_t limit_bytes; /* 0 = no limit */
    unsigned failure;   /* 0, or an enum buf_failure */
};

static inline void buf_init(struct buf *buf, size_t limit_bytes) { *buf = (struct buf){.limit_bytes = limit_bytes}; }
void buf_free_data(struct buf *buf); /* for buf_fini() */

/* Frees the memory; the struct is as after buf_init(). */
static inline void buf_fini(struct buf *buf)
{
    if (buf->data != NULL)
        buf_free_data(buf);
    buf_init(buf, buf->limit_bytes);
}

/* Empties the buffer and clears the failure, but keeps the memory. */
static inline void buf_clear(struct buf *buf)
{
    buf->size_bytes = 0;
    buf->failure = 0;
}

void buf_shrink(struct buf *buf); /* returns unused memory when there is much of it */
static inline bool buf_failed(const struct buf *buf) { return buf->failure != 0; }

/* Marks the buffer as failed. The first reason stays. */
static inline void buf_fail(struct buf *buf, enum buf_failure why)
{
    if (buf->failure == 0)
        buf->failure = why;
}

/* The slow path of buf_reserve(): grows the buffer, or marks it as failed. */
char *buf_grow(struct buf *buf, size_t size_bytes);

/* Returns room for `size_bytes` more bytes at the end, or NULL when the buffer failed. The writer fills what it needs
 * and counts it with buf_advance(). */
static inline char *buf_reserve(struct buf *buf, size_t size_bytes)
{
    const size_t most = buf->limit_bytes - 1 < buf->capacity_bytes ? buf->limit_bytes : buf->capacity_bytes;
    if (buf->failure != 0 || buf->size_bytes > most || size_bytes > most - buf->size_bytes)
        return buf_grow(buf, size_bytes);
    return buf->data + buf->size_bytes;
}

static inline void buf_advance(struct buf *buf, size_t size_bytes) { buf->size_bytes += size_bytes; }

static inline void buf_put(struct buf *buf, const void *bytes, size_t size_bytes)
{
    char *to = size_bytes > 0 ? buf_reserve(buf, size_bytes) : NULL;
    if (to == NULL)
        return;
    memcpy(to, bytes, size_bytes);
    buf->size_bytes += size_bytes;
}

static inline void buf_put_text(struct buf *buf, const char *text) { buf_put(buf, text, strlen(text)); }
static inline void buf_put_char(struct buf *buf, char c) { buf_put(buf, &c, 1); }
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_put_gap(struct buf *buf, size_t alignment); /* for buf_align() */

/* Appends zero bytes up to the next multiple of `alignment` (a power of two). */
static inline void buf_align(struct buf *buf, size_t alignment)
{
    if ((buf->size_bytes & (alignment - 1)) != 0)
        buf_put_gap(buf, alignment);
}

/* Append little-endian numbers. */
static inline void buf_put_u16(struct buf *buf, uint16_t value)
{
    const uint16_t little = htole16(value);
    buf_put(buf, &little, sizeof little);
}

static inline void buf_put_u32(struct buf *buf, uint32_t value)
{
    const uint32_t little = htole32(value);
    buf_put(buf, &little, sizeof little);
}

static inline void buf_put_u64(struct buf *buf, uint64_t value)
{
    const uint64_t little = htole64(value);
    buf_put(buf, &little, sizeof little);
}

void buf_put_f64(struct buf *buf, double value);
