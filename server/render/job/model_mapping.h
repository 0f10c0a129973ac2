/* model_mapping.h - a baked model mapped from the memfd that came with a job, checked. The worker's only thread. */
#pragma once

#include "anim/model/model.h"
#include "base/err.h"

struct model_mapping {
    struct model model; /* a view of the mapping */
    void *mapping;      /* NULL: none */
    uint64_t mapping_bytes;
};

/* `fd` is borrowed. Returns 0, ERR_INTERNAL (fewer bytes than that), ERR_NO_MEMORY, or as bake_decode(); close it in
 * any case. */
int model_mapping_open(struct model_mapping *mapped, int fd, uint64_t size_bytes, struct err *err);
void model_mapping_close(struct model_mapping *mapped);
