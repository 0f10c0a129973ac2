/* shared_model.h - a model in memory that the cache shares with other loops. It has the data by which they can tell,
 * without asking the cache, that the model still matches its files.
 *
 * Immutable except for atomic members; any thread that holds a reference. */
#pragma once

#include "daemon/model/folder_watch.h"
#include "daemon/model/imported_model.h"

#include <stdatomic.h>
#include <uv.h>

/* The clock of the cache; any thread. */
static inline uint64_t cache_now_ms(void) { return uv_hrtime() / 1000000; }

/* Each dispatcher has a bit of `holders`; dispatchers with higher numbers get no models. */
enum { SHARED_MODEL_HOLDERS_MAX = 64 };

struct shared_model {
    char *path;
    struct imported_model *imported;    /* a reference, as is the set */
    struct folder_watch_set *set;       /* of its folders, or NULL: there are no events for them */
    uint64_t count;                     /* of the set, at the last check of the files */
    atomic_uint_fast64_t good_until_ms; /* of cache_now_ms(): when the files need the next check; 0: the cache has
                                           another model, or none */
    atomic_uint_fast64_t used_ms;       /* of cache_now_ms(): the last use */
    atomic_uint_fast32_t ref_count;
    uint64_t holders;        /* private to the hub: a bit for each dispatcher that has it */
    struct cache_slot *slot; /* private to the cache, as is the rest; NULL once it is invalid */
    uint64_t noted_ms;       /* the last use known to the cache */
    bool is_used;            /* there was a later use */
    struct shared_model *prev, *next;
};

struct shared_model *shared_model_ref(struct shared_model *shared);
void shared_model_unref(struct shared_model *shared); /* NULL is fine */

/* True if an answer may use it, provided that the kernel has no uncounted event (folder_watch_set_is_quiet()). */
static inline bool shared_model_is_current(const struct shared_model *shared, uint64_t now_ms)
{
    return now_ms < atomic_load_explicit(&shared->good_until_ms, memory_order_acquire) &&
           (shared->set == NULL || folder_watch_set_is_unchanged(shared->set, shared->count));
}

/* Notes a use, so that the cache does not evict it next. */
static inline void shared_model_touch(struct shared_model *shared, uint64_t now_ms)
{
    /* once a millisecond: the cache line stays with every processor that uses the model */
    if (atomic_load_explicit(&shared->used_ms, memory_order_relaxed) != now_ms)
        atomic_store_explicit(&shared->used_ms, now_ms, memory_order_relaxed);
}
