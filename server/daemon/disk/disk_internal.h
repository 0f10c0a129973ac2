/* disk_internal.h - the state of the disk cache, shared by disk_cache.c, disk_load.c and disk_store.c. Private to
 * them. */
#pragma once

#include "daemon/disk/disk_cache.h"
#include "daemon/disk/disk_file.h"
#include "daemon/disk/disk_record.h"

#include <pthread.h>

/* The paths whose import this process has claimed: disk_claim.c. */
struct disk_claims {
    pthread_mutex_t mutex;
    int fd;          /* of the file with the locks; -1: not open */
    int64_t *places; /* of the bytes that are locked or about to be */
    size_t count, capacity;
};
void disk_claims_init(struct disk_claims *claims);
void disk_claims_fini(struct disk_claims *claims);

struct disk_cache {
    int folder_fd;
    bool is_read_only;
    struct disk_claims claims;
    uint64_t limit_bytes;
    uint64_t limits[DISK_LIMITS]; /* as in struct disk_head */
    uint64_t root;                /* of struct disk_index */
    uint8_t maker[32];            /* of importer and limits */
    atomic_uint_fast64_t size_bytes;
    atomic_uint_fast64_t unwritable_until_ns; /* after a failure: no further attempts until then */
};

/* Computes the key of a model record for the path and the content hash; hash NULL: the key of the path's index. */
void disk_key(const struct disk_cache *disk, const char *path, const uint8_t hash[SOURCE_HASH_SIZE],
              uint8_t out[DISK_KEY_SIZE]);
/* Writes the file name of a key; extension: "model" or "index". */
void disk_name(const uint8_t key[DISK_KEY_SIZE], const char *extension, char out[DISK_NAME_SIZE]);

/* Returns a file's size on the disk; 0 if it is missing. */
uint64_t disk_file_size(const struct disk_cache *disk, const char *name);
/* Updates the size of the folder after a file was added, removed or replaced. */
void disk_count(struct disk_cache *disk, uint64_t before_bytes, uint64_t now_bytes);

/* Removes an unusable file and reports it. */
void disk_remove_broken(struct disk_cache *disk, const char *name, struct disk_report *report);

/* Writes NAME.index: these files belong to that entry. Returns 0 or ERR_UNAVAILABLE. */
int disk_index_write(struct disk_cache *disk, const char *path, const uint8_t key[DISK_KEY_SIZE],
                     const struct sources *sources, int64_t recorded_ns, struct err *err);
/* Notes a failed write, after which the cache does not try for a while. */
void disk_writing_failed(struct disk_cache *disk, const struct err *err, struct disk_report *report);
bool disk_is_writable(const struct disk_cache *disk);
