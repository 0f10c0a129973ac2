/* vertex_set.h - a set of vertices with open addressing; the caller computes the hashes. Single-threaded. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VERTEX_NONE UINT32_MAX

/* The caller frees `slots` with free(). */
struct vertex_set {
    uint32_t *slots; /* [mask + 1]: a vertex, or VERTEX_NONE */
    size_t mask;
};

/* Initialises the set for at most count_max vertices. */
void vertex_set_init(struct vertex_set *set, size_t count_max);

static inline uint32_t *vertex_set_first(const struct vertex_set *set, uint64_t hash)
{
    return &set->slots[hash & set->mask];
}

static inline uint32_t *vertex_set_next(const struct vertex_set *set, const uint32_t *slot)
{
    return &set->slots[((size_t)(slot - set->slots) + 1) & set->mask];
}
