/* cache.h - the models in memory, by path: imported when first asked for, imported anew when a file changed.
 *
 * Requests for a model that is being imported wait for that import. A failed import is remembered for
 * LIMIT_FAILED_TIME_MS or until the file changes. Least recently used models are dropped when all together have more
 * than cache_bytes; whoever holds a reference keeps his. Loop thread only. */
#pragma once

#include "baked.h"
#include "config.h"
#include "import_pool.h"
#include "root.h"

#include <stdbool.h>

struct cache;

/* A place in the queue for a model that is being imported; the caller's, until ready() runs or it is cancelled. */
struct cache_wait {
    /* *baked is borrowed for the call: baked_ref() keeps it. NULL: *err says why. */
    void (*ready)(struct cache_wait *wait, struct baked *baked, const struct err *err);
    struct cache_slot *slot;  /* private to the cache, like the rest; NULL once the result is known */
    struct cache_wait **list; /* where it is; NULL: nowhere */
    struct cache_wait *prev, *next;
};

/* All are borrowed. */
struct cache *cache_new(const struct config *config, struct import_pool *pool, int root_fd);
/* No ready() runs; end the pool first. */
void cache_free(struct cache *cache);

/* Returns 1 with *baked holding a reference for the caller; 0 when wait->ready() will run later; or an error:
 * ERR_MODEL_NOT_FOUND, ERR_FORBIDDEN, ERR_UNKNOWN_FORMAT, ERR_OVERLOADED, or that of the failed import. */
int cache_get(struct cache *cache, const char *path, struct cache_wait *wait, struct baked **baked, struct err *err);

/* *wait, for which cache_get() returned 0 and whose ready() has not run, is the caller's again. An import that nobody
 * waits for any more leaves the queue. */
void cache_cancel(struct cache *cache, struct cache_wait *wait);

/* Files are looked at once a turn of the loop, for all requests in it. */
void cache_next_turn(struct cache *cache);

enum cache_state { CACHE_NEW, CACHE_IMPORTING, CACHE_READY, CACHE_FAILED };

/* What the cache knows of a file with this stamp; strings are valid until the next call of anything here. */
struct cache_info {
    enum cache_state state;
    const char *hash;      /* CACHE_READY, else NULL */
    const struct err *err; /* CACHE_FAILED, else NULL */
};
struct cache_info cache_look(const struct cache *cache, const char *path, const struct stamp *stamp);
