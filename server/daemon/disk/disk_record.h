/* disk_record.h - the records at the start of the disk cache's two kinds of files (protocol/disk-cache.md). Pure; any
 * thread.
 *
 * Little-endian: magic (8 bytes), version (u32), size of the whole record (u32), fields, the list of source files,
 * XXH3-64 of everything before it (u64). A decoder accepts or refuses any bytes and trusts none of them: what it
 * accepts is only as correct as the files that it names. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/model/sources.h"

#include <stddef.h>
#include <stdint.h>

/* Increment it with every change of a field or its meaning; files of another version are removed. */
enum { DISK_VERSION = 3 };
enum { DISK_KEY_SIZE = 32, DISK_PREFIX_SIZE = 16 };
enum { DISK_SOURCES_MAX = 1024 + 128 }; /* LIMIT_SOURCE_FILES, and the marks of file_access.h */
enum { DISK_RECORD_MAX = 8 << 20 };     /* so many with the longest paths are less */

/* The limits that follow a machine's memory, by which an entry is measured when it is read. */
enum { DISK_LIMIT_FILE, DISK_LIMIT_BAKE, DISK_LIMIT_MEMORY, DISK_LIMITS };

/* The members before `sources` are the fields of the record, in its order.
 *
 * NAME.index: which model file of the cache belongs to a path, as long as the files are as their stamps say. */
struct disk_index {
    uint8_t self[DISK_KEY_SIZE]; /* of the maker and the path that it is for, against files that were renamed */
    uint8_t key[DISK_KEY_SIZE];  /* of the model file */
    uint64_t root;               /* hash of the root's absolute path: stamps of another root say nothing */
    int64_t recorded_ns;         /* when the files were read: what changed then may change again unseen */
    struct sources *sources;     /* with the hashes of what the model file was made from */
};

/* The head of NAME.model; the imported model follows at the next multiple of 4096. */
struct disk_head {
    uint8_t key[DISK_KEY_SIZE]; /* its own, against files that were renamed */
    uint64_t bake_bytes;
    uint64_t pixel_offset, pixel_bytes; /* of the textures, inside the bake */
    uint64_t core_sum, pixel_sum;       /* XXH3-64 of the bake without its textures, and of those */
    uint64_t limits[DISK_LIMITS];       /* under which it was made */
    uint64_t is_limited;                /* 1: something was left out for want of memory, or as too large; else 0 */
    struct sources *sources;            /* stamps are those of when it was written */
};

void disk_index_encode(const struct disk_index *index, struct buf *out);
void disk_head_encode(const struct disk_head *head, struct buf *out);

/* The size of the record that starts with these DISK_PREFIX_SIZE bytes. Returns 0 or ERR_BAD_BAKE. */
int disk_record_size(const void *prefix, bool is_index, uint32_t *size_bytes, struct err *err);

/* Of exactly `size_bytes` bytes. *out's list is the caller's to free. Returns 0 or ERR_BAD_BAKE with the field. */
int disk_index_decode(const void *bytes, size_t size_bytes, struct disk_index *out, struct err *err);
int disk_head_decode(const void *bytes, size_t size_bytes, struct disk_head *out, struct err *err);

/* Where the bake begins behind a head of this size. */
static inline uint64_t disk_bake_offset(uint64_t head_bytes) { return (head_bytes + 4095) / 4096 * 4096; }

/* The checksum of a bake without its textures. */
uint64_t disk_core_sum(const void *bake, const struct disk_head *head);
