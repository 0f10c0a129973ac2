/* cache.h - keeps models in memory, by path. It loads a model from disk or imports it at the first request, and again
 * after a change of its files.
 *
 * The cache detects a change before it answers: by kernel events if the folders are watched (folder_watch.h), otherwise
 * by a check in a work thread (revalidation.h), whose result is valid for LIMIT_WATCH_TIME_MS. No function waits for a
 * file system. Requests for a model under check or import wait together. The cache remembers a failed import for
 * LIMIT_FAILED_TIME_MS or until the file changes; if another process is writing the file, it repeats the import when
 * the writer is done. It drops the least recently used models when all together exceed cache_bytes; holders of a
 * reference keep their model. While the root is unreadable, it answers from models in memory and on disk for
 * LIMIT_STALE_TIME_MS, and tells the waiter so. Main loop's thread only. */
#pragma once

#include "daemon/cache/model_facts.h"
#include "daemon/cache/shared_model.h"
#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/importer/import_pool.h"
#include "daemon/model/root.h"

#include <stdbool.h>

struct cache;
struct retargeted_clip_cache;

/* Where a model came from. */
enum model_origin { MODEL_UNKNOWN, MODEL_IN_MEMORY, MODEL_LOADED, MODEL_IMPORTED };

/* A place in the queue for a model. The caller owns it; the cache uses it until ready() runs or the caller cancels
 * it. */
struct cache_waiter {
    /* *imported is borrowed for the call: imported_model_ref() keeps it. NULL: *err says why. */
    void (*ready)(struct cache_waiter *waiter, struct imported_model *imported, const struct err *err);
    bool is_whole;            /* the textures' pixels are needed, too (struct imported_model.has_pixels) */
    enum model_origin origin; /* the source of the model or error; MODEL_UNKNOWN: none */
    uint32_t stale_s;         /* for how long the model's files have been unreadable; 0: they are readable */
    uint64_t waited_to_ns;    /* of uv_hrtime(): when its import began, or the cache gave up on the file; 0: neither */
    struct cache_slot *slot;  /* private to the cache, as is the rest; NULL once the result is known */
    struct cache_waiter **list; /* the list that it is in, or NULL */
    struct cache_waiter *prev, *next;
};

/* Borrows all arguments except `disk` (or NULL), which it takes. */
struct cache *cache_new(uv_loop_t *loop, const struct config *config, struct import_pool *pool, int root_fd,
                        struct disk_cache *disk);
/* Frees the cache without calling ready(); end the pool first. Some memory is freed later, while the loop runs. */
void cache_free(struct cache *cache);

/* Returns 1 with *imported holding a reference for the caller; 0 when waiter->ready() will run later; or the remembered
 * error of a failed import. ready() may also bring ERR_MODEL_NOT_FOUND, ERR_FORBIDDEN, ERR_UNKNOWN_FORMAT,
 * ERR_OVERLOADED, ERR_MODEL_CHANGING, ERR_SOURCE_UNAVAILABLE. */
int cache_get(struct cache *cache, const char *path, struct cache_waiter *waiter, struct imported_model **imported,
              struct err *err);

/* Cancels *waiter, for which cache_get() returned 0 and ready() has not run; the caller may reuse it. An import without
 * a waiter leaves the queue. */
void cache_cancel(struct cache_waiter *waiter);

/* Counts the memory of `retargeted_clips` (borrowed) as if it were models; the cache drops models first. */
void cache_share_capacity(struct cache *cache, struct retargeted_clip_cache *retargeted_clips);
/* Drops models until models and retargeted clips together fit into cache_bytes. */
void cache_evict_to_fit(struct cache *cache);

/* Offers the result of importing the file now at `path`. The cache uses it instead of the next import if the file has
 * not changed since. */
void cache_offer(struct cache *cache, const char *path, struct imported_model *imported);

/* True if a model of this path is in memory, even if its files have to be checked before use. */
bool cache_has(struct cache *cache, const char *path);

/* Returns a reference to the model of this path, from which other threads may answer; NULL if it is not in memory, or
 * if its files have to be checked before use. */
struct shared_model *cache_share(struct cache *cache, const char *path);

/* The cache calls it in the middle of its work, so a listener must not call the cache. */
struct cache_listener {
    /* A model in memory no longer matches its files: they changed or are gone. With watched folders this runs soon
     * after the change, otherwise at the next request for the model. */
    void (*changed)(struct cache_listener *listener, const char *path);
    /* Answers must not use this model any more. */
    void (*invalidated)(struct cache_listener *listener, struct shared_model *shared);
};
/* Sets the only listener, which is borrowed; NULL: none. */
void cache_listen(struct cache *cache, struct cache_listener *listener);

/* Returns why the disk cache cannot store models at present, as a sentence owned by the cache; NULL: there is no known
 * failure, or no disk cache. */
const char *cache_disk_failure(const struct cache *cache);

/* Begins a new tick. The cache reads events once a tick, because requests of this tick may come after a change. */
void cache_next_tick(struct cache *cache);

/* Returns the folder events, for other users of files beneath the root; NULL: there are none. The cache owns it; its
 * sets may outlive the cache. */
struct folder_watch *cache_folder_watch(const struct cache *cache);
/* Reads pending events, unless this tick has already done so. */
void cache_read_events(struct cache *cache);

/* True if the root is down, so that checks of files are meaningless. why: the reason, for a sentence, borrowed until
 * the loop continues, or NULL. */
bool cache_is_offline(const struct cache *cache, const char **why);
/* Notes that an access beneath the root failed with an errno of err_is_source(), for a path under the root ("": the
 * root). */
void cache_note_source(struct cache *cache, const char *path, int error);

enum cache_state { CACHE_NEW, CACHE_IMPORTING, CACHE_READY, CACHE_FAILED };

/* The cache's knowledge of a file with a certain stamp; strings are valid until the next call of a cache function. */
struct cache_info {
    enum cache_state state;
    const char *hash;                /* CACHE_READY, else NULL */
    const struct err *err;           /* CACHE_FAILED, else NULL */
    const struct model_facts *facts; /* of the file with this stamp at its last read, even if the model has left the
                                        memory; NULL: not read, or unreadable */
};
struct cache_info cache_describe(const struct cache *cache, const char *path, const struct stamp *stamp);
