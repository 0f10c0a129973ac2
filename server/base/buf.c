/* buf.c - growing, formatting and aligning buffers. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_free_data(struct buf *buf) { free(buf->data); }

void buf_shrink(struct buf *buf)
{
    enum { MUCH_BYTES = 65536 };
    if (buf->size_bytes == 0 || buf->capacity_bytes - buf->size_bytes < MUCH_BYTES)
        return;
    char *data = realloc(buf->data, buf->size_bytes);
    if (data == NULL)
        return;
    buf->data = data;
    buf->capacity_bytes = buf->size_bytes;
}

/* Doubles the capacity, so that on average many small appends copy each byte once. */
static bool grow(struct buf *buf, size_t needed_bytes)
{
    size_t capacity = buf->capacity_bytes < 256 ? 256 : buf->capacity_bytes;
    while (capacity < needed_bytes)
        capacity = capacity > SIZE_MAX / 2 ? needed_bytes : capacity * 2;
    char *data = realloc(buf->data, capacity);
    if (data == NULL && buf->limit_bytes == 0)
        abort();
    if (data == NULL)
        return false;
    buf->data = data;
    buf->capacity_bytes = capacity;
    return true;
}

char *buf_grow(struct buf *buf, size_t size_bytes)
{
    if (buf_failed(buf))
        return NULL;
    const bool is_over = size_bytes > SIZE_MAX - buf->size_bytes ||
                         (buf->limit_bytes != 0 && buf->size_bytes + size_bytes > buf->limit_bytes);
    if (is_over || (buf->size_bytes + size_bytes > buf->capacity_bytes && !grow(buf, buf->size_bytes + size_bytes))) {
        buf_fail(buf, BUF_FULL);
        return NULL;
    }
    return buf->data + buf->size_bytes;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *to = size < 0 ? NULL : buf_reserve(buf, (size_t)size + 1);
    if (to != NULL) {
        vsnprintf(to, (size_t)size + 1, format, again);
        buf->size_bytes += (size_t)size;
    }
    va_end(again);
}

void buf_put_gap(struct buf *buf, size_t alignment)
{
    static const char zeros[64];
    size_t gap = -buf->size_bytes & (alignment - 1);
    while (gap > 0) {
        const size_t part = gap < sizeof zeros ? gap : sizeof zeros;
        buf_put(buf, zeros, part);
        gap -= part;
    }
}

void buf_put_f64(struct buf *buf, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    buf_put_u64(buf, bits);
}
