/* stored_zip.h - makes a zip of uncompressed files (PKWARE APPNOTE 6.3.10, 4.3), for tests of zip readers. */
#pragma once

#include "base/buf.h"

#include <zlib.h>

struct stored_file {
    const char *name;
    const void *bytes;
    size_t size_bytes;
};

static inline void stored_zip_entry(struct buf *out, const struct stored_file *file, bool is_central, uint32_t offset)
{
    buf_put_u32(out, is_central ? 0x02014b50 : 0x04034b50);
    if (is_central)
        buf_put_u16(out, 20); /* made by */
    buf_put_u16(out, 20);     /* needed to extract */
    for (int i = 0; i < 3; i++)
        buf_put_u16(out, 0); /* flags, method, time */
    buf_put_u16(out, 0x21);  /* 1 January 1980 */
    buf_put_u32(out, (uint32_t)crc32(0, file->bytes, (uInt)file->size_bytes));
    buf_put_u32(out, (uint32_t)file->size_bytes);
    buf_put_u32(out, (uint32_t)file->size_bytes);
    buf_put_u16(out, (uint16_t)strlen(file->name));
    buf_put_u16(out, 0);
    if (is_central) {
        for (int i = 0; i < 3; i++)
            buf_put_u16(out, 0); /* comment, disk, attributes */
        buf_put_u32(out, 0);
        buf_put_u32(out, offset);
    }
    buf_put_text(out, file->name);
}

/* Appends the zip to an empty buffer. At most 16 files. */
static inline void stored_zip(struct buf *out, const struct stored_file *files, uint16_t count)
{
    uint32_t offsets[16];
    for (uint16_t i = 0; i < count; i++) {
        offsets[i] = (uint32_t)out->size_bytes;
        stored_zip_entry(out, &files[i], false, 0);
        buf_put(out, files[i].bytes, files[i].size_bytes);
    }
    const uint32_t first = (uint32_t)out->size_bytes;
    for (uint16_t i = 0; i < count; i++)
        stored_zip_entry(out, &files[i], true, offsets[i]);
    const uint32_t size = (uint32_t)out->size_bytes - first;
    buf_put_u32(out, 0x06054b50);
    buf_put_u32(out, 0);
    buf_put_u16(out, count);
    buf_put_u16(out, count);
    buf_put_u32(out, size);
    buf_put_u32(out, first);
    buf_put_u16(out, 0);
}
