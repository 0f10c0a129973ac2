#include "daemon/cache/hot.h"

#include <stdlib.h>

struct hot *hot_ref(struct hot *hot)
{
    atomic_fetch_add_explicit(&hot->ref_count, 1, memory_order_relaxed);
    return hot;
}

void hot_unref(struct hot *hot)
{
    if (hot == NULL || atomic_fetch_sub_explicit(&hot->ref_count, 1, memory_order_acq_rel) > 1)
        return;
    baked_unref(hot->baked);
    watch_set_unref(hot->set);
    free(hot->path);
    free(hot);
}

bool hot_is_good(const struct hot *hot, uint64_t now_ms)
{
    if (atomic_load_explicit(&hot->is_over, memory_order_acquire) || now_ms >= hot->good_until_ms)
        return false;
    return hot->set == NULL || (watch_set_is_live(hot->set) && watch_set_count(hot->set) == hot->count);
}

void hot_touch(struct hot *hot, uint64_t now_ms)
{
    /* once a millisecond: the line stays with every processor that uses the model */
    if (atomic_load_explicit(&hot->used_ms, memory_order_relaxed) != now_ms)
        atomic_store_explicit(&hot->used_ms, now_ms, memory_order_relaxed);
}
