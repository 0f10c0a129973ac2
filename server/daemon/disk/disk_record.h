/* disk_record.h - encodes and decodes the records at the start of the disk cache's two kinds of files
 * (protocol/disk-cache.md). Pure; any thread.
 *
 * Little-endian: magic (8 bytes), version (u32), size of the whole record (u32), fields, the list of source files,
 * XXH3-64 of everything before it (u64). A decoder handles any bytes and trusts none of them; accepted values may still
 * name wrong files. */
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
enum { DISK_RECORD_MAX = 8 << 20 };     /* that many with the longest paths take less */

/* The limits that depend on a machine's memory; a reader compares an entry with them. */
enum { DISK_LIMIT_FILE, DISK_LIMIT_BAKE, DISK_LIMIT_MEMORY, DISK_LIMITS };

/* The members before `sources` are the fields of the record, in its order.
 *
 * NAME.index maps a path to a model file of the cache; it is valid while the files have these stamps. */
struct disk_index {
    uint8_t self[DISK_KEY_SIZE]; /* hash of maker and path, against renamed files */
    uint8_t key[DISK_KEY_SIZE];  /* of the model file */
    uint64_t root;               /* hash of the root's absolute path: stamps of another root are invalid */
    int64_t recorded_ns;         /* when the files were read: a file that changed then may change again unnoticed */
    struct sources *sources;     /* with the hashes from which the model file was made */
};

/* The head of NAME.model; the imported model follows at the next multiple of 4096. */
struct disk_head {
    uint8_t key[DISK_KEY_SIZE]; /* its own, against renamed files */
    uint64_t bake_bytes;
    uint64_t pixel_offset, pixel_bytes; /* of the textures, inside the bake */
    uint64_t core_sum, pixel_sum;       /* XXH3-64 of the bake without its textures, and of the textures */
    uint64_t limits[DISK_LIMITS];       /* under which the import ran */
    uint64_t is_limited;     /* 1: the import left something out for lack of memory, or as too large; else 0 */
    struct sources *sources; /* with the stamps at the time of writing */
};

void disk_index_encode(const struct disk_index *index, struct buf *out);
void disk_head_encode(const struct disk_head *head, struct buf *out);

/* Reads the size of the record that starts with these DISK_PREFIX_SIZE bytes. Returns 0 or ERR_BAD_BAKE. */
int disk_record_size(const void *prefix, bool is_index, uint32_t *size_bytes, struct err *err);

/* Decode exactly `size_bytes` bytes. The caller frees *out's list. Return 0 or ERR_BAD_BAKE, which names the field. */
int disk_index_decode(const void *bytes, size_t size_bytes, struct disk_index *out, struct err *err);
int disk_head_decode(const void *bytes, size_t size_bytes, struct disk_head *out, struct err *err);

/* Returns the offset of the bake after a head of this size. */
static inline uint64_t disk_bake_offset(uint64_t head_bytes) { return (head_bytes + 4095) / 4096 * 4096; }

/* Returns the checksum of a bake without its textures. */
uint64_t disk_core_sum(const void *bake, const struct disk_head *head);
