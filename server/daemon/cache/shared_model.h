/* shared.h - a model in memory as the cache lends it to other loops: with what they need to know that it still is what
 * its files are, without asking the cache.
 *
 * Immutable but for what is atomic; any thread that holds a reference. */
#pragma once

#include "daemon/model/imported_model.h"
#include "daemon/model/folder_watch.h"

#include <stdatomic.h>

struct shared_model {
    char *path;
    struct imported_model *imported; /* a reference, like the set */
    struct folder_watch_set *set;    /* of its folders, or NULL: only time tells */
    uint64_t count;                  /* of the set, when the files were looked at */
    uint64_t good_until_ms;          /* of cache_now_ms(): then somebody has to look again */
    atomic_bool is_over;             /* the cache has another, or none */
    atomic_uint_fast64_t used_ms;    /* of cache_now_ms(): the last use */
    atomic_uint_fast32_t ref_count;
    uint64_t holders;        /* private to the hub: which fronts have it, a bit each */
    struct cache_slot *slot; /* private to the cache, like the rest; NULL once it is over */
    uint64_t noted_ms;       /* the use that the cache knows of */
    bool is_used;            /* there was another */
    struct shared_model *prev, *next;
};

struct shared_model *shared_model_ref(struct shared_model *shared);
void shared_model_unref(struct shared_model *shared); /* NULL is fine */

/* Whether an answer may be made of it; the kernel has nothing to tell that was not taken (folder_watch_is_quiet()). */
bool shared_model_is_current(const struct shared_model *shared, uint64_t now_ms);
/* It is used now: it is not the one to drop. */
void shared_model_touch(struct shared_model *shared, uint64_t now_ms);
