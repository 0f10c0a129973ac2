/* retargeted_clip_cache.h - keeps clips of other files that were compiled for a model
 * (wire/reply/retargeted_clip_store.h), in memory.
 *
 * It evicts the least recently used retargeted clips. A retargeted clip borrows its two models, and is found by their
 * keys alone (struct imported_model): only a holder of both models can ask for it, so the retargeted clip needs no
 * references. Once one of the models is gone, the retargeted clip is never found again and is evicted in time. Any
 * thread. */
#pragma once

#include "wire/reply/retargeted_clip_store.h"

struct retargeted_clip_cache;

/* max_bytes: of all retargeted clips. */
struct retargeted_clip_cache *retargeted_clip_cache_new(uint64_t max_bytes);
/* Frees the cache; nobody may use it any more, but holders of a retargeted clip keep it. NULL is fine. */
void retargeted_clip_cache_free(struct retargeted_clip_cache *cache);

/* Returns the store. The models of every key must be members of a struct imported_model. */
struct retargeted_clip_store *retargeted_clip_cache_store(struct retargeted_clip_cache *cache);

uint64_t retargeted_clip_cache_bytes(struct retargeted_clip_cache *cache);
/* Adds the events since the last call to the statistics; a loop's thread. */
void retargeted_clip_cache_count(struct retargeted_clip_cache *cache);
