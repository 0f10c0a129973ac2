/* cache.h - the models in memory, by path: taken from disk or imported when first asked for, and anew when a file
 * changed.
 *
 * Whether a file changed is known before an answer: from the kernel where the folders are watched (watch.h), otherwise
 * from a look at the files by a work thread (look.h), which holds for LIMIT_WATCH_TIME_MS. Nothing here waits for a
 * file system. Requests for a model that is looked at or imported wait together. A failed import is remembered for
 * LIMIT_FAILED_TIME_MS or until the file changes; one of a file that is being written is repeated when that is done.
 * Least recently used models are dropped when all together have more than cache_bytes; whoever holds a reference
 * keeps his. Loop thread only. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/config/config.h"
#include "daemon/disk/disk_cache.h"
#include "daemon/cache/shared_model.h"
#include "daemon/importer/import_pool.h"
#include "daemon/model/root.h"

#include <stdbool.h>

struct cache;

/* The clock by which files are looked at; any thread. */
uint64_t cache_now_ms(void);

/* Where a model came from. */
enum model_origin { MODEL_UNKNOWN, MODEL_IN_MEMORY, MODEL_LOADED, MODEL_IMPORTED };

/* A place in the queue for a model that is being imported; the caller's, until ready() runs or it is cancelled. */
struct cache_waiter {
    /* *imported is borrowed for the call: imported_model_ref() keeps it. NULL: *err says why. */
    void (*ready)(struct cache_waiter *wait, struct imported_model *imported, const struct err *err);
    bool is_whole;              /* the textures' pixels are needed, too (struct imported_model.has_pixels) */
    struct cache_slot *slot;    /* private to the cache, like the rest; NULL once the result is known */
    struct cache_waiter **list; /* where it is; NULL: nowhere */
    struct cache_waiter *prev, *next;
};

/* All are borrowed, but `disk` (or NULL) is taken. */
struct cache *cache_new(uv_loop_t *loop, const struct config *config, struct import_pool *pool, int root_fd,
                        struct disk_cache *disk);
/* No ready() runs; end the pool first. */
void cache_free(struct cache *cache);

/* Returns 1 with *imported holding a reference for the caller; 0 when wait->ready() will run later; or the remembered
 * error of a failed import. What ready() may bring besides: ERR_MODEL_NOT_FOUND, ERR_FORBIDDEN, ERR_UNKNOWN_FORMAT,
 * ERR_OVERLOADED, ERR_MODEL_CHANGING. */
int cache_get(struct cache *cache, const char *path, struct cache_waiter *wait, struct imported_model **imported,
              struct err *err);

/* The model when cache_get() would return 1 for it, borrowed until the loop goes on; else NULL, and nothing was done.
 */
struct imported_model *cache_peek(struct cache *cache, const char *path, bool is_whole);

/* *wait, for which cache_get() returned 0 and whose ready() has not run, is the caller's again. An import that nobody
 * waits for any more leaves the queue. */
void cache_cancel(struct cache_waiter *wait);

/* What an import of the files that are now at `path` would make, for who looks at them next: it takes the place of that
 * import when the model file is still the one that it is of. */
void cache_offer(struct cache *cache, const char *path, struct imported_model *imported);

/* Told of each model that was in memory and is no longer what its files are: changed or gone. Where folders are
 * watched that is soon after the change, elsewhere when somebody asks for the model. */
struct cache_listener {
    void (*changed)(struct cache_listener *listener, const char *path);
    struct cache_listener *prev, *next; /* private to the cache */
};
void cache_listen(struct cache *cache, struct cache_listener *listener);

/* The model of this path as other loops may use it: a reference; NULL where it is not in memory, or has to be looked at
 * before anybody may use it. */
struct shared_model *cache_share(struct cache *cache, const char *path);
/* Told of each that is over; at most one. */
struct cache_holder {
    void (*taken_back)(struct cache_holder *borrower, struct shared_model *shared);
};
void cache_set_holder(struct cache *cache, struct cache_holder *borrower);

/* Events are read once a turn of the loop, for all requests in it. */
void cache_next_tick(struct cache *cache);

enum cache_state { CACHE_NEW, CACHE_IMPORTING, CACHE_READY, CACHE_FAILED };

/* What the cache knows of a file with this stamp; strings are valid until the next call of anything here. */
struct cache_info {
    enum cache_state state;
    const char *hash;      /* CACHE_READY, else NULL */
    const struct err *err; /* CACHE_FAILED, else NULL */
};
struct cache_info cache_describe(const struct cache *cache, const char *path, const struct stamp *stamp);
