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
