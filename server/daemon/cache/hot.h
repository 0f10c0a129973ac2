/* hot.h - a model in memory as the cache lends it to other loops: with what they need to know that it still is what its
 * files are, without asking the cache.
 *
 * Immutable but for what is atomic; any thread that holds a reference. */
#pragma once

#include "daemon/model/baked.h"
#include "daemon/model/watch.h"

#include <stdatomic.h>

struct hot {
    char *path;
    struct baked *baked;          /* a reference, like the set */
    struct watch_set *set;        /* of its folders, or NULL: only time tells */
    uint64_t count;               /* of the set, when the files were looked at */
    uint64_t good_until_ms;       /* of cache_now_ms(): then somebody has to look again */
    atomic_bool is_over;          /* the cache has another, or none */
    atomic_uint_fast64_t used_ms; /* of cache_now_ms(): the last use */
    atomic_uint_fast32_t ref_count;
    uint64_t holders;        /* private to the desk: which fronts have it, a bit each */
    struct cache_slot *slot; /* private to the cache, like the rest; NULL once it is over */
    uint64_t noted_ms;       /* the use that the cache knows of */
    bool is_used;            /* there was another */
    struct hot *prev, *next;
};

struct hot *hot_ref(struct hot *hot);
void hot_unref(struct hot *hot); /* NULL is fine */

/* Whether an answer may be made of it; the kernel has nothing to tell that was not taken (watch_is_quiet()). */
bool hot_is_good(const struct hot *hot, uint64_t now_ms);
/* It is used now: it is not the one to drop. */
void hot_touch(struct hot *hot, uint64_t now_ms);
