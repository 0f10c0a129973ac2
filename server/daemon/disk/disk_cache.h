/* disk_cache.h - imported models on disk, so that a restart needs no import. File formats: protocol/disk-cache.md.
 *
 * The name of an entry is a hash of what imports make and of their libraries, of the options that change the result, of
 * the model's path and of the bytes of the model file. Its head lists every other file that the import looked at, with
 * its hash. Nothing in the folder is trusted: a file that is torn, altered, of another version or not ours is removed
 * and made anew. A folder of root's that nobody else may write is read and never written. Several processes may share
 * the folder, and agree on who imports a model. All functions wait for the disk: work threads, any number at a time. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"

#include <stdbool.h>
#include <stdint.h>

struct disk_cache;

/* What a call did, for the statistics and the log of the loop. */
struct disk_report {
    uint32_t stored, removed, evicted, errors;
    struct err err; /* the last error that the operator can do something about; code 0: none */
};

/* Opens the folder. `importer` is what posed-import says of itself (import_pool_importer_version()). Returns 0, or an
 * error with a sentence: then there is no disk cache. */
int disk_cache_open(const struct config *config, const char *importer, struct disk_cache **out, struct err *err);
void disk_cache_free(struct disk_cache *disk); /* NULL is fine */

/* The model at `path`, when what lies under the root now is what an entry was made from. With `is_whole` its textures
 * come as well, otherwise only when they are small. Returns 1 with one reference in *out, or 0. */
int disk_cache_load(struct disk_cache *disk, int root_fd, const char *path, bool is_whole, struct imported_model **out,
                    struct disk_report *report);

/* The model at `path` of this root as it was stored last, whatever its files are now: the root is not touched. For
 * while they cannot be looked at. Likewise. */
int disk_cache_load_stale(struct disk_cache *disk, const char *path, bool is_whole, struct imported_model **out,
                          struct disk_report *report);

/* Keeps an imported model, unless its files have changed since. Makes room where needed. */
void disk_cache_store(struct disk_cache *disk, int root_fd, const char *path, const struct imported_model *imported,
                      struct disk_report *report);

/* Who imports a model that is not there. */
enum disk_claim {
    DISK_CLAIM_OURS,      /* the caller, until disk_cache_release() or the end of its process */
    DISK_CLAIM_THEIRS,    /* another process, or this one is about to store it */
    DISK_CLAIM_OVERTAKEN, /* somebody has stored it meanwhile: look again */
    DISK_CLAIM_NONE,      /* everybody: the folder cannot be written, or has no locks. There is nothing to release */
};
/* seen: disk_cache_seen() before the look that did not find the model. Waits for nobody. */
enum disk_claim disk_cache_claim(struct disk_cache *disk, const char *path, uint64_t seen);
void disk_cache_release(struct disk_cache *disk, const char *path);
/* Another number when the path's index was written since; 0: there is none. */
uint64_t disk_cache_seen(const struct disk_cache *disk, const char *path);

/* Removes what killed processes left behind, and the least recently used beyond the bound. */
void disk_cache_tidy(struct disk_cache *disk, struct disk_report *report);

/* The folder is another user's: nothing is written. */
bool disk_cache_is_read_only(const struct disk_cache *disk);

/* Bytes in the folder as last counted, and its bound. */
uint64_t disk_cache_size(const struct disk_cache *disk);
uint64_t disk_cache_limit(const struct disk_cache *disk);
