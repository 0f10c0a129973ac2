#include "import/fbx/fbx_layers.h"

#include "base/mem.h"

#include <stdlib.h>

void fbx_layers_add(struct fbx_layers *layers, int64_t id)
{
    if (layers->count == layers->capacity) {
        layers->capacity = layers->capacity == 0 ? 16 : 2 * layers->capacity;
        layers->items = mem_realloc(layers->items, layers->capacity * sizeof *layers->items);
    }
    layers->items[layers->count++] = (struct fbx_layer){.id = id};
    layers->is_sorted = 0;
}

static int by_id(const void *a, const void *b)
{
    const int64_t x = ((const struct fbx_layer *)a)->id, y = ((const struct fbx_layer *)b)->id;
    return (x > y) - (x < y);
}

static int by_stack(const void *a, const void *b)
{
    const int64_t x = ((const struct fbx_layer *)a)->stack, y = ((const struct fbx_layer *)b)->stack;
    return (x > y) - (x < y);
}

static struct fbx_layer *find(const struct fbx_layers *layers, int64_t id)
{
    const struct fbx_layer key = {.id = id};
    return bsearch(&key, layers->items, layers->count, sizeof key, by_id);
}

void fbx_layers_connect(struct fbx_layers *layers, int64_t child, int64_t parent)
{
    if (layers->count == 0)
        return;
    if (!layers->is_sorted)
        qsort(layers->items, layers->count, sizeof *layers->items, by_id);
    layers->is_sorted = 1;
    struct fbx_layer *as_child = find(layers, child), *as_parent = find(layers, parent);
    if (as_child != NULL)
        as_child->stack = parent;
    if (as_parent != NULL)
        as_parent->is_used = 1;
}

uint32_t fbx_layers_count(struct fbx_layers *layers)
{
    uint32_t stacks = 0;
    if (layers->count > 0)
        qsort(layers->items, layers->count, sizeof *layers->items, by_stack);
    layers->is_sorted = 0;
    for (size_t first = 0, end; first < layers->count; first = end) {
        uint32_t used = 0;
        for (end = first; end < layers->count && layers->items[end].stack == layers->items[first].stack; end++)
            used += layers->items[end].is_used;
        stacks += layers->items[first].stack != 0 && used > 1;
    }
    return stacks;
}

void fbx_layers_fini(struct fbx_layers *layers)
{
    free(layers->items);
    *layers = (struct fbx_layers){0};
}
