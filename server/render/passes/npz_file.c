#include "render/passes/npz_file.h"

#include "render/image/deflate.h"

#include <libdeflate.h>
#include <stdio.h>

enum {
    NEEDED_VERSION = 20, /* deflate */
    METHOD_DEFLATE = 8,
    FIRST_DAY = 0x21, /* 1 January 1980, in the form of MS-DOS */
    PREFIX_BYTES = 10 /* of a .npy file, before the text of its header */
};

void npz_file_init(struct npz_file *file, struct buf *out)
{
    *file = (struct npz_file){.out = out, .begin = out->size_bytes};
}

/* --- an entry --- */

/* Returns the bytes of a component. */
static uint32_t bytes_of(const char *type) { return (uint32_t)(type[1] - '0'); }

/* A text of Python in spaces, up to a line feed. */
static void put_array_header(uint8_t *bytes, const char *type, uint32_t height, uint32_t width, uint32_t components)
{
    static const uint8_t PREFIX[PREFIX_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, NPZ_HEADER_BYTES - PREFIX_BYTES};
    char rows[16] = "", axis[16] = "", text[NPZ_HEADER_BYTES];
    if (height > 0)
        snprintf(rows, sizeof rows, "%u, ", height);
    if (components > 1)
        snprintf(axis, sizeof axis, " %u", components);
    const int text_bytes =
        snprintf(text, sizeof text, "{'descr': '%s%s', 'fortran_order': False, 'shape': (%s%u%s%s), }",
                 bytes_of(type) == 1 ? "|" : "<", type, rows, width, height == 0 || components > 1 ? "," : "", axis);
    memcpy(bytes, PREFIX, sizeof PREFIX);
    memset(bytes + PREFIX_BYTES, ' ', NPZ_HEADER_BYTES - PREFIX_BYTES);
    memcpy(bytes + PREFIX_BYTES, text, (size_t)text_bytes);
    bytes[NPZ_HEADER_BYTES - 1] = '\n';
}

/* Appends what the header of an entry and its row of the directory share, and then the name's length. */
static void put_facts(struct buf *out, const struct npz_entry *entry)
{
    buf_put_u16(out, NEEDED_VERSION);
    buf_put_u16(out, 0); /* flags */
    buf_put_u16(out, METHOD_DEFLATE);
    buf_put_u16(out, 0); /* midnight */
    buf_put_u16(out, FIRST_DAY);
    buf_put_u32(out, entry->crc);
    buf_put_u32(out, entry->packed_bytes);
    buf_put_u32(out, entry->size_bytes);
    buf_put_u16(out, (uint16_t)(strlen(entry->name) + strlen(".npy")));
    buf_put_u16(out, 0); /* extra field */
}

static void put_name(struct buf *out, const struct npz_entry *entry)
{
    buf_put(out, entry->name, strlen(entry->name));
    buf_put(out, ".npy", strlen(".npy"));
}

/* Appends the entry. Its packed size is known at the end. */
static int put_entry(struct npz_file *file, struct npz_entry *entry, uint8_t *bytes, struct err *err)
{
    enum { PACKED_AT = 18 };
    struct buf *out = file->out;
    buf_put_u32(out, UINT32_C(0x04034b50));
    put_facts(out, entry);
    put_name(out, entry);
    const size_t at = out->size_bytes;
    if (deflate_put(out, bytes, entry->size_bytes, err) < 0)
        return err->code;
    if (buf_failed(out) || out->size_bytes - at > UINT32_MAX)
        return err_set(err, ERR_NO_MEMORY, "no memory for the file of the passes");
    entry->packed_bytes = (uint32_t)(out->size_bytes - at);
    const uint32_t little = htole32(entry->packed_bytes);
    memcpy(out->data + file->begin + entry->at + PACKED_AT, &little, sizeof little);
    return 0;
}

int npz_file_put(struct npz_file *file, const char *name, uint8_t *bytes, const char *type, uint32_t height,
                 uint32_t width, uint32_t components, struct err *err)
{
    const uint64_t size_bytes =
        NPZ_HEADER_BYTES + (uint64_t)(height > 0 ? height : 1) * width * components * bytes_of(type);
    const size_t at = file->out->size_bytes - file->begin;
    if (file->entry_count == NPZ_ENTRIES_MAX || size_bytes > UINT32_MAX || at > UINT32_MAX)
        return err_set(err, ERR_INTERNAL, "the passes do not fit into a file");
    put_array_header(bytes, type, height, width, components);
    struct npz_entry *entry = &file->entries[file->entry_count++];
    *entry = (struct npz_entry){.name = name,
                                .crc = libdeflate_crc32(0, bytes, (size_t)size_bytes),
                                .size_bytes = (uint32_t)size_bytes,
                                .at = (uint32_t)at};
    return put_entry(file, entry, bytes, err);
}

/* --- the directory --- */

int npz_file_end(struct npz_file *file, struct err *err)
{
    struct buf *out = file->out;
    const size_t at = out->size_bytes - file->begin;
    for (uint32_t e = 0; e < file->entry_count; e++) {
        buf_put_u32(out, UINT32_C(0x02014b50));
        buf_put_u16(out, NEEDED_VERSION);
        put_facts(out, &file->entries[e]);
        buf_put_u16(out, 0); /* comment */
        buf_put_u16(out, 0); /* disk */
        buf_put_u16(out, 0); /* attributes */
        buf_put_u32(out, 0);
        buf_put_u32(out, file->entries[e].at);
        put_name(out, &file->entries[e]);
    }
    const size_t directory_bytes = out->size_bytes - file->begin - at;
    buf_put_u32(out, UINT32_C(0x06054b50));
    buf_put_u32(out, 0); /* disks */
    buf_put_u16(out, (uint16_t)file->entry_count);
    buf_put_u16(out, (uint16_t)file->entry_count);
    buf_put_u32(out, (uint32_t)directory_bytes);
    buf_put_u32(out, (uint32_t)at);
    buf_put_u16(out, 0); /* comment */
    return buf_failed(out) ? err_set(err, ERR_NO_MEMORY, "no memory for the file of the passes") : 0;
}
