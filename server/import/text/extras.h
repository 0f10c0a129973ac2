/* extras.h - what a file says of nodes, materials and clips beyond its format, into the builder. One thread. */
#pragma once

#include "anim/bake/bake.h"
#include "base/limits.h"

struct extras {
    struct bake_builder *builder;
    const struct limits *limits;
    uint64_t size_bytes; /* of all that were taken */
};

/* Adds `json`, without white space, for a thing that `where` names in messages. In order: owners rise, and indices of
 * one owner. What is no JSON, or more than LIMIT_EXTRAS_BYTES of all together, is left out with a warning.
 * Returns 0, or -1 when the builder is full. */
int extras_add(struct extras *extras, enum extra_owner owner, uint32_t index, const char *json, size_t size_bytes,
               const char *where);
