#include "import/fbx/fbx_multi_axis.h"

#include "base/mem.h"

#include <stdlib.h>

static void add(struct fbx_rotation **items, size_t *count, size_t *capacity, int64_t id)
{
    if (*count == *capacity) {
        *capacity = *capacity == 0 ? 64 : 2 * *capacity;
        *items = mem_realloc(*items, *capacity * sizeof **items);
    }
    (*items)[(*count)++] = (struct fbx_rotation){.id = id};
}

void fbx_multi_axis_add_node(struct fbx_multi_axis *turns, int64_t id)
{
    add(&turns->nodes, &turns->node_count, &turns->node_capacity, id);
    turns->is_sorted = 0;
}

void fbx_multi_axis_add_curve(struct fbx_multi_axis *turns, int64_t id)
{
    add(&turns->curves, &turns->curve_count, &turns->curve_capacity, id);
    turns->is_sorted = 0;
}

static int by_id(const void *a, const void *b)
{
    const int64_t x = ((const struct fbx_rotation *)a)->id, y = ((const struct fbx_rotation *)b)->id;
    return (x > y) - (x < y);
}

void fbx_multi_axis_connect(struct fbx_multi_axis *turns, int64_t child, int64_t parent)
{
    if (turns->node_count == 0 || turns->curve_count == 0)
        return;
    if (!turns->is_sorted) {
        qsort(turns->nodes, turns->node_count, sizeof *turns->nodes, by_id);
        qsort(turns->curves, turns->curve_count, sizeof *turns->curves, by_id);
    }
    turns->is_sorted = 1;
    const struct fbx_rotation curve = {.id = child}, node = {.id = parent};
    struct fbx_rotation *found = bsearch(&node, turns->nodes, turns->node_count, sizeof node, by_id);
    if (found != NULL && bsearch(&curve, turns->curves, turns->curve_count, sizeof curve, by_id) != NULL)
        found->moving_count++;
}

uint32_t fbx_multi_axis_count(const struct fbx_multi_axis *turns)
{
    uint32_t count = 0;
    for (size_t i = 0; i < turns->node_count; i++)
        count += turns->nodes[i].moving_count > 1;
    return count;
}

void fbx_multi_axis_fini(struct fbx_multi_axis *turns)
{
    free(turns->nodes);
    free(turns->curves);
    *turns = (struct fbx_multi_axis){0};
}
