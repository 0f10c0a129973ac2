/* export_memory.c - memory of the export, its shared accessors, and its work limit. */
#include "wire/export/export_internal.h"

#include "base/mem.h"

#include <stdlib.h>

void *export_array(struct export *e, size_t count, size_t item_bytes)
{
    struct export_memory *memory = &e->memory;
    void *block = calloc(count + 1, item_bytes);
    if (block == NULL) {
        context_fail_memory(e->context);
        return NULL;
    }
    memory->blocks = mem_grow(memory->blocks, &memory->capacity, memory->count + 1, sizeof *memory->blocks);
    memory->blocks[memory->count++] = block;
    return block;
}

void export_memory_free(struct export_memory *memory)
{
    while (memory->count > 0)
        free(memory->blocks[--memory->count]);
    free(memory->blocks);
    *memory = (struct export_memory){.blocks = NULL};
}

struct export_shared {
    const void *at; /* NULL: free */
    uint64_t count;
    unsigned use;
    uint32_t accessor;
};

/* Multiplicative hashing: D. E. Knuth, "The Art of Computer Programming", volume 3, 6.4. */
static uint32_t slot_of(const struct export_share *share, const void *at, uint64_t count, unsigned use)
{
    const uint64_t key = ((uint64_t)(uintptr_t)at ^ count << 40 ^ use) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(key >> 32) & (share->capacity - 1);
}

static struct export_shared *find(const struct export_share *share, const void *at, uint64_t count, unsigned use)
{
    uint32_t i = slot_of(share, at, count, use);
    while (share->slots[i].at != NULL &&
           (share->slots[i].at != at || share->slots[i].count != count || share->slots[i].use != use))
        i = (i + 1) & (share->capacity - 1);
    return &share->slots[i];
}

static bool grow(struct export_share *share)
{
    enum { FIRST_CAPACITY = 256 };
    struct export_share larger = {.capacity = share->capacity == 0 ? FIRST_CAPACITY : 2 * share->capacity};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (uint32_t i = 0; i < share->capacity; i++)
        if (share->slots[i].at != NULL)
            *find(&larger, share->slots[i].at, share->slots[i].count, share->slots[i].use) = share->slots[i];
    larger.count = share->count;
    free(share->slots);
    *share = larger;
    return true;
}

uint32_t *export_shared(struct export *e, const void *at, uint64_t count, unsigned use)
{
    struct export_share *share = &e->share;
    if (2 * share->count >= share->capacity && !grow(share)) {
        context_fail_memory(e->context);
        return NULL;
    }
    struct export_shared *found = find(share, at, count, use);
    if (found->at == NULL) {
        *found = (struct export_shared){at, count, use, GLB_NONE};
        share->count++;
    }
    return &found->accessor;
}

void export_share_free(struct export_share *share)
{
    free(share->slots);
    *share = (struct export_share){.slots = NULL};
}

bool export_is_affordable(struct export *e, uint64_t steps)
{
    struct reply_cost *cost = &e->context->workspace->cost;
    const uint64_t limit = e->context->limits->value[LIMIT_EVALUATIONS];
    cost->evaluations += steps;
    if (cost->evaluations <= limit)
        return true;
    struct err err;
    err_set(&err, ERR_TOO_MANY_FRAMES, "to export '%s' takes %llu steps, more than one request may ask for (%llu)",
            e->context->request->model, (unsigned long long)cost->evaluations, (unsigned long long)limit);
    return context_fail(e->context, &err);
}
