/* vertex_set.h - a set of vertices by hashes that its user makes, with open addressing. One thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VERTEX_NONE UINT32_MAX

/* `slots` is the caller's to free(). */
struct vertex_set {
    uint32_t *slots; /* [mask + 1]: a vertex, or VERTEX_NONE */
    size_t mask;
};

/* For at most count_max vertices. */
void vertex_set_init(struct vertex_set *set, size_t count_max);

static inline uint32_t *vertex_set_first(const struct vertex_set *set, uint64_t hash)
{
    return &set->slots[hash & set->mask];
}

static inline uint32_t *vertex_set_next(const struct vertex_set *set, const uint32_t *slot)
{
    return &set->slots[((size_t)(slot - set->slots) + 1) & set->mask];
}
