/* Reads the directory of a .npz archive, and unpacks its members: npz.h. Not by libzip, which would bring OpenSSL and
 * bzip2 with it into a program that is installed on its own, and would leave the sizes to be checked here. */
#include "clients/cli/pose/npz.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_BYTES = 22,
    ROW_BYTES = 46,
    HEAD_BYTES = 30,
    COMMENT_MAX = 65535,
    NAME_MAX_BYTES = 255,
    STORED = 0,
    DEFLATED = 8,
    DEFLATE_RATIO_MAX = 1032, /* RFC 1951: 258 bytes from two bits */
};
static const uint32_t ARCHIVE_BYTES_MAX = 64U << 20; /* of all arrays unpacked */

static uint32_t get_16(const unsigned char *at) { return at[0] | (uint32_t)at[1] << 8; }
static uint32_t get_32(const unsigned char *at) { return get_16(at) | get_16(at + 2) << 16; }

/* An archive being read. */
struct reading {
    const unsigned char *bytes;
    size_t size_bytes;
    uint64_t unpacked_bytes; /* of the members so far */
    struct text *problem;
};

/* A row of the directory. */
struct member {
    uint32_t flags, method, crc, packed_bytes, size_bytes, name_bytes, head_offset;
    const char *name;
};

static int fail(const struct reading *reading, const struct member *member, const char *what)
{
    struct text name = {0};
    text_put_bytes(&name, member->name, member->name_bytes);
    text_put(reading->problem, "member '");
    text_put_printable(reading->problem, name.at);
    text_printf(reading->problem, "' %s", what);
    text_free(&name);
    return -1;
}

static int fail_archive(const struct reading *reading, const char *what)
{
    text_printf(reading->problem, "it is no whole .npz archive: %s", what);
    return -1;
}

/* Returns the end of the directory, the last record of the file but for a comment, or NULL. */
static const unsigned char *find_end(const struct reading *reading)
{
    for (size_t back = END_BYTES; back <= reading->size_bytes && back <= END_BYTES + COMMENT_MAX; back++) {
        const unsigned char *at = reading->bytes + reading->size_bytes - back;
        if (get_32(at) == 0x06054b50 && get_16(at + 20) == back - END_BYTES)
            return at;
    }
    return NULL;
}

/* Finds the packed bytes of a member behind its head, which has a name and further fields of its own lengths. */
static int find_packed(const struct reading *reading, const struct member *member, const unsigned char **packed)
{
    const size_t size = reading->size_bytes;
    if (member->head_offset > size || size - member->head_offset < HEAD_BYTES ||
        get_32(reading->bytes + member->head_offset) != 0x04034b50)
        return fail(reading, member, "is not where the directory says");
    const unsigned char *head = reading->bytes + member->head_offset;
    const size_t offset = member->head_offset + HEAD_BYTES + get_16(head + 26) + get_16(head + 28);
    if (offset > size || member->packed_bytes > size - offset)
        return fail(reading, member, "reaches beyond the file");
    *packed = reading->bytes + offset;
    return 0;
}

static int check_member(struct reading *reading, const struct member *member)
{
    if ((member->flags & 1) != 0)
        return fail(reading, member, "is encrypted");
    if (member->method != STORED && member->method != DEFLATED)
        return fail(reading, member, "is compressed by a method other than deflate");
    if (member->method == STORED ? member->packed_bytes != member->size_bytes
                                 : member->size_bytes / DEFLATE_RATIO_MAX > member->packed_bytes)
        return fail(reading, member, "claims a size that its bytes cannot have");
    reading->unpacked_bytes += member->size_bytes;
    if (reading->unpacked_bytes > ARCHIVE_BYTES_MAX)
        return fail(reading, member, "is too large: all arrays together may have 64 MiB");
    return 0;
}

static int unpack(const struct reading *reading, const struct member *member, const unsigned char *packed,
                  unsigned char *out)
{
    if (member->method == STORED)
        memcpy(out, packed, member->size_bytes);
    else {
        struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
        const enum libdeflate_result result =
            decompressor == NULL ? LIBDEFLATE_BAD_DATA
                                 : libdeflate_deflate_decompress(decompressor, packed, member->packed_bytes, out,
                                                                 member->size_bytes, NULL);
        libdeflate_free_decompressor(decompressor);
        if (result != LIBDEFLATE_SUCCESS)
            return fail(reading, member, "is damaged: it does not unpack to its size");
    }
    return libdeflate_crc32(0, out, member->size_bytes) == member->crc
               ? 0
               : fail(reading, member, "is damaged: its checksum is another one");
}

/* Reads the member as an array. */
static int take_member(struct npz *npz, struct reading *reading, const struct member *member)
{
    static const char EXTENSION[] = ".npy";
    const size_t extension_bytes = sizeof EXTENSION - 1;
    const unsigned char *packed = NULL;
    if (member->name_bytes <= extension_bytes || member->name_bytes > NAME_MAX_BYTES ||
        memchr(member->name, '\0', member->name_bytes) != NULL ||
        memcmp(member->name + member->name_bytes - extension_bytes, EXTENSION, extension_bytes) != 0)
        return fail(reading, member, "is no array: its name does not end in .npy");
    if (check_member(reading, member) < 0 || find_packed(reading, member, &packed) < 0)
        return -1;
    struct npy *npy = &npz->arrays[npz->count++];
    struct text name = {0};
    text_put_bytes(&name, member->name, member->name_bytes - extension_bytes);
    *npy = (struct npy){.name = name.at, .bytes = must_alloc((size_t)member->size_bytes + 1)};
    npy->size_bytes = member->size_bytes;
    for (size_t i = 0; i + 1 < npz->count; i++)
        if (strcmp(npz->arrays[i].name, npy->name) == 0)
            return fail(reading, member, "is there twice");
    if (unpack(reading, member, packed, npy->bytes) < 0)
        return -1;
    struct text problem = {0};
    const int rc = npy_read_head(npy, &problem);
    if (rc < 0)
        fail(reading, member, problem.at);
    text_free(&problem);
    return rc;
}

int npz_read(struct npz *npz, const unsigned char *bytes, size_t size_bytes, struct text *problem)
{
    struct reading reading = {.bytes = bytes, .size_bytes = size_bytes, .problem = problem};
    const unsigned char *end = find_end(&reading);
    if (end == NULL)
        return fail_archive(&reading, "its end is missing");
    const size_t count = get_16(end + 10), offset = get_32(end + 16), end_offset = (size_t)(end - bytes);
    if (count == 0 || count > NPZ_ARRAYS_MAX)
        return fail_archive(&reading, count == 0 ? "it is empty" : "it has more than 64 members");
    npz->arrays = must_alloc(count * sizeof *npz->arrays);
    size_t at = offset;
    for (size_t i = 0; i < count; i++) {
        if (at > end_offset || end_offset - at < ROW_BYTES || get_32(bytes + at) != 0x02014b50)
            return fail_archive(&reading, "its directory is damaged");
        const unsigned char *row = bytes + at;
        const struct member member = {.flags = get_16(row + 8),
                                      .method = get_16(row + 10),
                                      .crc = get_32(row + 16),
                                      .packed_bytes = get_32(row + 20),
                                      .size_bytes = get_32(row + 24),
                                      .name_bytes = get_16(row + 28),
                                      .head_offset = get_32(row + 42),
                                      .name = (const char *)row + ROW_BYTES};
        const size_t row_bytes = ROW_BYTES + member.name_bytes + get_16(row + 30) + get_16(row + 32);
        if (row_bytes > end_offset - at)
            return fail_archive(&reading, "its directory is damaged");
        if (take_member(npz, &reading, &member) < 0)
            return -1;
        at += row_bytes;
    }
    return 0;
}

const struct npy *npz_find(const struct npz *npz, const char *name)
{
    for (size_t i = 0; i < npz->count; i++)
        if (strcmp(npz->arrays[i].name, name) == 0)
            return &npz->arrays[i];
    return NULL;
}

void npz_free(struct npz *npz)
{
    for (size_t i = 0; i < npz->count; i++) {
        free(npz->arrays[i].name);
        free(npz->arrays[i].bytes);
    }
    free(npz->arrays);
    *npz = (struct npz){0};
}
