/* shared_model.h - a model in memory as the cache shares it with the loops: with what they need in order to know,
 * without asking the cache, that it is what its files are.
 *
 * Immutable but for what is atomic; any thread that holds a reference. */
#pragma once

#include "daemon/model/folder_watch.h"
#include "daemon/model/imported_model.h"

#include <stdatomic.h>
#include <uv.h>

/* The clock of the cache; any thread. */
static inline uint64_t cache_now_ms(void) { return uv_hrtime() / 1000000; }

/* A bit of `holders` for each dispatcher: those with a higher number have no models. */
enum { SHARED_MODEL_HOLDERS_MAX = 64 };

struct shared_model {
    char *path;
    struct imported_model *imported;    /* a reference, as is the set */
    struct folder_watch_set *set;       /* of its folders, or NULL: no events tell of changes */
    uint64_t count;                     /* of the set, when the files were looked at */
    atomic_uint_fast64_t good_until_ms; /* of cache_now_ms(): then the files have to be looked at again; 0: the cache
                                           has another model, or none */
    atomic_uint_fast64_t used_ms;       /* of cache_now_ms(): the last use */
    atomic_uint_fast32_t ref_count;
    uint64_t holders;        /* private to the hub: which dispatchers have it, a bit each */
    struct cache_slot *slot; /* private to the cache, as is the rest; NULL once it is invalid */
    uint64_t noted_ms;       /* the use that the cache knows of */
    bool is_used;            /* there was another */
    struct shared_model *prev, *next;
};

struct shared_model *shared_model_ref(struct shared_model *shared);
void shared_model_unref(struct shared_model *shared); /* NULL is fine */

/* Whether an answer may be made from it, where the kernel has no event that is not counted
 * (folder_watch_set_is_quiet()). */
static inline bool shared_model_is_current(const struct shared_model *shared, uint64_t now_ms)
{
    return now_ms < atomic_load_explicit(&shared->good_until_ms, memory_order_acquire) &&
           (shared->set == NULL || folder_watch_set_is_unchanged(shared->set, shared->count));
}

/* It is used now, so it is not the one to evict. */
static inline void shared_model_touch(struct shared_model *shared, uint64_t now_ms)
{
    /* once a millisecond: the cache line stays with every processor that uses the model */
    if (atomic_load_explicit(&shared->used_ms, memory_order_relaxed) != now_ms)
        atomic_store_explicit(&shared->used_ms, now_ms, memory_order_relaxed);
}
