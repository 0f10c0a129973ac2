/* crowd_bounds.c - finds the largest item of a range of a list, by the maxima of its blocks. */
#include "wire/request/crowd_bounds.h"

#include <stdlib.h>

enum { LEVELS = 3, BLOCK = 64 };

/* levels[0] are the values. Each value of the next level is the maximum of a block of this one. */
struct blocks {
    uint32_t *memory; /* of all levels except the first */
    const uint32_t *levels[LEVELS];
};

static uint32_t most_of(const uint32_t *values, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

/* False: out of memory. */
static bool blocks_init(struct blocks *blocks, const uint32_t *values, uint32_t count)
{
    blocks->levels[0] = values;
    blocks->memory = calloc((size_t)count / BLOCK + (size_t)count / BLOCK / BLOCK + LEVELS, sizeof *blocks->memory);
    uint32_t *to = blocks->memory;
    for (int level = 1; level < LEVELS && to != NULL; level++) {
        const uint32_t whole = count / BLOCK;
        for (uint32_t b = 0; b < whole; b++)
            to[b] = most_of(blocks->levels[level - 1] + (size_t)b * BLOCK, BLOCK);
        blocks->levels[level] = to;
        to += whole;
        count = whole;
    }
    return blocks->memory != NULL;
}

/* Returns the maximum of first .. first + count - 1, from whole blocks one level up and the remaining values on both
 * sides. */
static uint32_t blocks_most(const struct blocks *blocks, uint32_t first, uint32_t count)
{
    uint32_t most = 0, end = first + count;
    for (int level = 0; level < LEVELS; level++) {
        const uint32_t *values = blocks->levels[level];
        const uint32_t inner = (first + BLOCK - 1) / BLOCK, inner_end = end / BLOCK;
        uint32_t here;
        if (level == LEVELS - 1 || inner >= inner_end) {
            here = most_of(values + first, end - first);
            return here > most ? here : most;
        }
        here = most_of(values + first, inner * BLOCK - first);
        most = here > most ? here : most;
        here = most_of(values + (size_t)inner_end * BLOCK, end - inner_end * BLOCK);
        most = here > most ? here : most;
        first = inner;
        end = inner_end;
    }
    return most;
}

static bool find_item_bounds(struct crowd_request *crowd)
{
    struct blocks blocks;
    if (!blocks_init(&blocks, crowd->items, crowd->item_count))
        return false;
    for (uint32_t i = 0; i < crowd->entity_count; i++) {
        struct crowd_wanted *wanted = &crowd->wanted[crowd->entities[i].wanted];
        if (wanted->item_count == 0 || wanted->item_bound != 0)
            continue;
        wanted->item_bound =
            1 + (uint64_t)blocks_most(&blocks, (uint32_t)(wanted->items - crowd->items), wanted->item_count);
    }
    free(blocks.memory);
    return true;
}

static bool find_mask_bounds(struct crowd_request *crowd)
{
    struct blocks blocks = {0};
    uint32_t *nodes = calloc((size_t)crowd->mask_node_count + 1, sizeof *nodes);
    for (uint32_t i = 0; i < crowd->mask_node_count && nodes != NULL; i++)
        nodes[i] = crowd->mask_nodes[i].node;
    const bool has_memory = nodes != NULL && blocks_init(&blocks, nodes, crowd->mask_node_count);
    for (uint32_t i = 0; i < crowd->layer_count && has_memory; i++) {
        if (crowd->layers[i].mask < 0)
            continue;
        struct crowd_mask *mask = &crowd->masks[crowd->layers[i].mask];
        mask->most_node = blocks_most(&blocks, (uint32_t)(mask->nodes - crowd->mask_nodes), mask->count);
    }
    free(blocks.memory);
    free(nodes);
    return has_memory;
}

int crowd_find_bounds(struct crowd_request *crowd, struct err *err)
{
    if (find_item_bounds(crowd) && (crowd->mask_count == 0 || find_mask_bounds(crowd)))
        return 0;
    return err_set(err, ERR_NO_MEMORY, "no memory for a crowd of %u entities", crowd->entity_count);
}
