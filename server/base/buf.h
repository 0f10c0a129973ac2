/* buf.h - a growable run of bytes. Not thread-safe; no I/O.
 *
 * Small allocations abort when memory is gone; a buffer whose size depends on outside data gets a
 * limit, and going over it (or failing to allocate) marks the buffer failed instead: later appends
 * do nothing and buf_failed() is true, so a writer checks once at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* heap, NULL while empty */
    size_t size_bytes;
    size_t capacity_bytes;
    size_t limit_bytes; /* 0 = no limit */
    bool is_failed;
};

void buf_init(struct buf *buf, size_t limit_bytes);
void buf_fini(struct buf *buf);   /* frees; the struct is as after buf_init */
void buf_clear(struct buf *buf);  /* keeps the memory; also clears is_failed */
void buf_shrink(struct buf *buf); /* gives unused memory back when that is much */
bool buf_failed(const struct buf *buf);
/* Room for `size_bytes` more bytes at the end, not yet counted; NULL when the buffer failed.
 * The writer fills what it needs and calls buf_advance(). */
char *buf_reserve(struct buf *buf, size_t size_bytes);
void buf_advance(struct buf *buf, size_t size_bytes);
void buf_put(struct buf *buf, const void *bytes, size_t size_bytes);
void buf_put_text(struct buf *buf, const char *text);
void buf_put_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Zero bytes up to the next multiple of `alignment` (a power of two). */
void buf_align(struct buf *buf, size_t alignment);
/* Little-endian numbers. */
void buf_put_u16(struct buf *buf, uint16_t value);
void buf_put_u32(struct buf *buf, uint32_t value);
void buf_put_u64(struct buf *buf, uint64_t value);
void buf_put_f32(struct buf *buf, float value);
void buf_put_f64(struct buf *buf, double value);
