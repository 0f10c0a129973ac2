/* view_cache.h - keeps clips of other files that were compiled for a model (wire/reply/view_store.h), in memory.
 *
 * It evicts the least recently used views. A view borrows its two models, and is found by their keys alone (struct
 * imported_model): only a holder of both models can ask for it, so the view needs no references. Once one of the models
 * is gone, the view is never found again and is evicted in time. Any thread. */
#pragma once

#include "wire/reply/view_store.h"

struct view_cache;

/* max_bytes: of all views. */
struct view_cache *view_cache_new(uint64_t max_bytes);
/* Frees the cache; nobody may use it any more, but holders of a view keep it. NULL is fine. */
void view_cache_free(struct view_cache *cache);

/* Returns the store. The models of every key must be members of a struct imported_model. */
struct view_store *view_cache_store(struct view_cache *cache);

uint64_t view_cache_bytes(struct view_cache *cache);
/* Adds the events since the last call to the statistics; a loop's thread. */
void view_cache_count(struct view_cache *cache);
