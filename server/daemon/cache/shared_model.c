#include "daemon/cache/shared_model.h"

#include <stdlib.h>

struct shared_model *shared_model_ref(struct shared_model *shared)
{
    atomic_fetch_add_explicit(&shared->ref_count, 1, memory_order_relaxed);
    return shared;
}

void shared_model_unref(struct shared_model *shared)
{
    if (shared == NULL || atomic_fetch_sub_explicit(&shared->ref_count, 1, memory_order_acq_rel) > 1)
        return;
    imported_model_unref(shared->imported);
    folder_watch_set_unref(shared->set);
    free(shared->path);
    free(shared);
}

bool shared_model_is_current(const struct shared_model *shared, uint64_t now_ms)
{
    if (atomic_load_explicit(&shared->is_over, memory_order_acquire) || now_ms >= shared->good_until_ms)
        return false;
    return shared->set == NULL ||
           (folder_watch_set_is_live(shared->set) && folder_watch_set_count(shared->set) == shared->count);
}

void shared_model_touch(struct shared_model *shared, uint64_t now_ms)
{
    /* once a millisecond: the line stays with every processor that uses the model */
    if (atomic_load_explicit(&shared->used_ms, memory_order_relaxed) != now_ms)
        atomic_store_explicit(&shared->used_ms, now_ms, memory_order_relaxed);
}
