/* view_cache.h - the clips of other files that were made ready to play on a model (wire/reply/view_store.h), in memory.
 *
 * A view stays until others that were used later need its room. It borrows its two models, and is found by their keys
 * alone (struct imported_model): only who holds both models can ask for it, so it need not hold them, and once one of
 * them is gone it is not found any more and goes with time. Any thread. */
#pragma once

#include "wire/reply/view_store.h"

struct view_cache;

/* max_bytes: of all views. */
struct view_cache *view_cache_new(uint64_t max_bytes);
/* Nobody asks any more; who has a view keeps it. NULL is fine. */
void view_cache_free(struct view_cache *cache);

/* The models of every key lie in a struct imported_model. */
struct view_store *view_cache_store(struct view_cache *cache);

uint64_t view_cache_bytes(struct view_cache *cache);
/* Counts what happened since the last time; a loop's thread. */
void view_cache_count(struct view_cache *cache);
