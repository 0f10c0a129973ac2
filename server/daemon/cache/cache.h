/* cache.h - the models in memory, by path: taken from disk or imported when first asked for, and again when a file
 * changed.
 *
 * Whether a file changed is known before an answer: from the kernel where the folders are watched (folder_watch.h),
 * otherwise from a look at the files by a work thread (revalidation.h), which holds for LIMIT_WATCH_TIME_MS. No
 * function waits for a file system. Requests for a model that is looked at or imported wait together. A failed import
 * is remembered for LIMIT_FAILED_TIME_MS or until the file changes; one of a file that is being written is repeated
 * when the writer is done. The least recently used models are dropped when all together have more than cache_bytes;
 * whoever holds a reference keeps their model. While the root cannot be read, models in memory and on disk are answered
 * for LIMIT_STALE_TIME_MS, and the waiter says so. Main loop's thread only. */
#pragma once

#include "daemon/cache/model_facts.h"
#include "daemon/cache/shared_model.h"
#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/importer/import_pool.h"
#include "daemon/model/root.h"

#include <stdbool.h>

struct cache;
struct view_cache;

/* Where a model came from. */
enum model_origin { MODEL_UNKNOWN, MODEL_IN_MEMORY, MODEL_LOADED, MODEL_IMPORTED };

/* A place in the queue for a model; the caller's, until ready() runs or it is cancelled. */
struct cache_waiter {
    /* *imported is borrowed for the call: imported_model_ref() keeps it. NULL: *err says why. */
    void (*ready)(struct cache_waiter *waiter, struct imported_model *imported, const struct err *err);
    bool is_whole;              /* the textures' pixels are needed, too (struct imported_model.has_pixels) */
    enum model_origin origin;   /* where the model, or the error, came from: once there is one. MODEL_UNKNOWN: nothing
                                   came from anywhere */
    uint32_t stale_s;           /* the model's files cannot be looked at, for so long; 0: they can */
    uint64_t waited_to_ns;      /* of uv_hrtime(): when its import began, or the file was given up; 0: neither */
    struct cache_slot *slot;    /* private to the cache, as is the rest; NULL once the result is known */
    struct cache_waiter **list; /* where it is; NULL: nowhere */
    struct cache_waiter *prev, *next;
};

/* All are borrowed, but `disk` (or NULL) is taken. */
struct cache *cache_new(uv_loop_t *loop, const struct config *config, struct import_pool *pool, int root_fd,
                        struct disk_cache *disk);
/* No ready() runs; end the pool first. The rest goes while the loop runs. */
void cache_free(struct cache *cache);

/* Returns 1 with *imported holding a reference for the caller; 0 when waiter->ready() will run later; or the remembered
 * error of a failed import. What ready() may bring besides: ERR_MODEL_NOT_FOUND, ERR_FORBIDDEN, ERR_UNKNOWN_FORMAT,
 * ERR_OVERLOADED, ERR_MODEL_CHANGING, ERR_SOURCE_UNAVAILABLE. */
int cache_get(struct cache *cache, const char *path, struct cache_waiter *waiter, struct imported_model **imported,
              struct err *err);

/* *waiter, for which cache_get() returned 0 and whose ready() has not run, is the caller's again. An import without a
 * waiter leaves the queue. */
void cache_cancel(struct cache_waiter *waiter);

/* What `views` has in memory counts as if it were models: these go first. Borrowed. */
void cache_share_room(struct cache *cache, struct view_cache *views);
/* Drops models where they and the views together are too much. */
void cache_evict_to_fit(struct cache *cache);

/* What an import of the file that is now at `path` would make: taken instead of the next import if the file is still
 * the one that it was made from. */
void cache_offer(struct cache *cache, const char *path, struct imported_model *imported);

/* The model of this path for other threads to answer from: a reference; NULL where it is not in memory, or its files
 * have to be looked at before anybody may use it. */
struct shared_model *cache_share(struct cache *cache, const char *path);

/* Told in the middle of the cache's work: a listener asks the cache for nothing. */
struct cache_listener {
    /* A model was in memory and is no longer what its files are: they changed or are gone. Where folders are watched
     * that is soon after the change, elsewhere when somebody asks for the model. */
    void (*changed)(struct cache_listener *listener, const char *path);
    /* No answer may be made from it any more. */
    void (*invalidated)(struct cache_listener *listener, struct shared_model *shared);
};
/* At most one, borrowed; NULL: none. */
void cache_listen(struct cache *cache, struct cache_listener *listener);

/* Why the disk takes no models for now: a sentence of the cache; NULL: it does, as far as is known, or there is none.
 */
const char *cache_disk_failure(const struct cache *cache);

/* Events are read once a tick: requests of this tick may come after a change. */
void cache_next_tick(struct cache *cache);

/* The events of folders for others that depend on files beneath the root: NULL: there are none. The cache's, for as
 * long as it lives; sets outlive it. */
struct folder_watch *cache_folder_watch(const struct cache *cache);
/* Reads the events that are there, unless that was done in this tick. */
void cache_read_events(struct cache *cache);

/* No look at a file beneath the root says anything; why: for a sentence, borrowed until the loop goes on, or NULL. */
bool cache_is_offline(const struct cache *cache, const char **why);
/* Something beneath the root could not be looked at: an errno of err_is_source(), of a path under it ("": itself). */
void cache_note_source(struct cache *cache, const char *path, int error);

enum cache_state { CACHE_NEW, CACHE_IMPORTING, CACHE_READY, CACHE_FAILED };

/* What the cache knows of a file with this stamp; strings are valid until the next call of a function of the cache. */
struct cache_info {
    enum cache_state state;
    const char *hash;                /* CACHE_READY, else NULL */
    const struct err *err;           /* CACHE_FAILED, else NULL */
    const struct model_facts *facts; /* of the file with this stamp when it was last read, also where the model has left
                                        the memory; NULL: it was not read, or cannot be */
};
struct cache_info cache_describe(const struct cache *cache, const char *path, const struct stamp *stamp);
