/* disk_cache.h - keeps imported models on disk, so that a restart needs no import. File formats:
 * protocol/disk-cache.md.
 *
 * The name of an entry is a hash of the import version and its libraries, the options that affect imports, the model's
 * path and the bytes of the model file. Its head lists every other file that the import used, with its hash. The cache
 * trusts nothing in the folder: it removes and recreates a file that is torn, altered, of another version or of another
 * user. If root owns the folder and nobody else may write it, the cache only reads it. Several processes may share the
 * folder, and agree on who imports a model. All functions wait for the disk: work threads, any number at a time. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"

#include <stdbool.h>
#include <stdint.h>

struct disk_cache;

/* The results of a call, for the statistics and the log of the loop. */
struct disk_report {
    uint32_t stored, removed, evicted, errors;
    struct err err; /* the last error that the operator can do something about; code 0: none */
};

/* Opens the folder. `importer`: the version of posed-import (import_pool_importer_version()). Returns 0, or an error
 * with a sentence; then there is no disk cache. */
int disk_cache_open(const struct config *config, const char *importer, struct disk_cache **out, struct err *err);
/* Refuses a folder that disk_cache_open() would refuse, and changes nothing. */
int disk_cache_check(const struct config *config, struct err *err);
void disk_cache_free(struct disk_cache *disk); /* NULL is fine */

/* Loads the model at `path`, if an entry was made from the files that are now under the root. With `is_whole` it loads
 * the textures as well, otherwise only small ones. Returns 1 with one reference in *out, or 0. */
int disk_cache_load(struct disk_cache *disk, int root_fd, const char *path, bool is_whole, struct imported_model **out,
                    struct disk_report *report);

/* Loads the last stored model at `path` of this root without touching the root, for times when its files are
 * unreadable. Returns likewise. */
int disk_cache_load_stale(struct disk_cache *disk, const char *path, bool is_whole, struct imported_model **out,
                          struct disk_report *report);

/* Stores an imported model, unless its files have changed since. Makes room if necessary. */
void disk_cache_store(struct disk_cache *disk, int root_fd, const char *path, const struct imported_model *imported,
                      struct disk_report *report);

/* The process that imports a missing model. */
enum disk_claim {
    DISK_CLAIM_OURS,      /* the caller, until disk_cache_release() or the end of its process */
    DISK_CLAIM_THEIRS,    /* another process; or this one is about to store it */
    DISK_CLAIM_OVERTAKEN, /* another process has stored it meanwhile: look again */
    DISK_CLAIM_NONE,      /* any process: the folder is read-only, or has no locks. There is nothing to release */
};
/* Tries to claim the import, without waiting. seen: disk_cache_seen() from before the check that did not find the
 * model. */
enum disk_claim disk_cache_claim(struct disk_cache *disk, const char *path, uint64_t seen);
void disk_cache_release(struct disk_cache *disk, const char *path);
/* Returns a number that changes whenever the path's index is written; 0: there is no index. */
uint64_t disk_cache_seen(const struct disk_cache *disk, const char *path);

/* Removes files that killed processes left behind, and the least recently used files beyond the limit. */
void disk_cache_tidy(struct disk_cache *disk, struct disk_report *report);

/* True if the folder belongs to another user, so that the cache writes nothing. */
bool disk_cache_is_read_only(const struct disk_cache *disk);

/* Return the bytes in the folder at the last count, and their limit. */
uint64_t disk_cache_size(const struct disk_cache *disk);
uint64_t disk_cache_limit(const struct disk_cache *disk);
