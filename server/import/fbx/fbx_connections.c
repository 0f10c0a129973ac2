/* fbx_connections.c - lists of objects, searched by id, and what the connections make of them. */
#include "import/fbx/fbx_connections.h"

#include "base/mem.h"

#include <stdlib.h>

void fbx_items_add(struct fbx_items *items, int64_t id)
{
    if (items->count == items->capacity) {
        items->capacity = items->capacity == 0 ? 64 : 2 * items->capacity;
        items->items = mem_realloc(items->items, items->capacity * sizeof *items->items);
    }
    items->items[items->count++] = (struct fbx_item){.id = id};
    items->is_sorted = false;
}

static int by_id(const void *a, const void *b)
{
    const int64_t x = ((const struct fbx_item *)a)->id, y = ((const struct fbx_item *)b)->id;
    return (x > y) - (x < y);
}

static int by_parent(const void *a, const void *b)
{
    const int64_t x = ((const struct fbx_item *)a)->parent, y = ((const struct fbx_item *)b)->parent;
    return (x > y) - (x < y);
}

static struct fbx_item *find(struct fbx_items *items, int64_t id)
{
    const struct fbx_item key = {.id = id};
    if (items->count == 0)
        return NULL;
    if (!items->is_sorted)
        qsort(items->items, items->count, sizeof key, by_id);
    items->is_sorted = true;
    return bsearch(&key, items->items, items->count, sizeof key, by_id);
}

void fbx_connect(struct fbx_connections *connections, int64_t child, int64_t parent)
{
    struct fbx_item *layer = find(&connections->layers, child), *used = find(&connections->layers, parent);
    struct fbx_item *rotation = find(&connections->rotations, parent);
    if (layer != NULL)
        layer->parent = parent;
    if (used != NULL)
        used->count = 1;
    if (rotation != NULL && find(&connections->curves, child) != NULL)
        rotation->count++;
}

uint32_t fbx_layered_takes(struct fbx_connections *connections)
{
    struct fbx_items *layers = &connections->layers;
    uint32_t takes = 0;
    if (layers->count > 0)
        qsort(layers->items, layers->count, sizeof *layers->items, by_parent);
    layers->is_sorted = false;
    for (size_t first = 0, end; first < layers->count; first = end) {
        uint32_t used = 0;
        for (end = first; end < layers->count && layers->items[end].parent == layers->items[first].parent; end++)
            used += layers->items[end].count;
        takes += layers->items[first].parent != 0 && used > 1;
    }
    return takes;
}

uint32_t fbx_multi_axis_rotations(const struct fbx_connections *connections)
{
    uint32_t count = 0;
    for (size_t i = 0; i < connections->rotations.count; i++)
        count += connections->rotations.items[i].count > 1;
    return count;
}

void fbx_connections_fini(struct fbx_connections *connections)
{
    free(connections->layers.items);
    free(connections->rotations.items);
    free(connections->curves.items);
    *connections = (struct fbx_connections){0};
}
