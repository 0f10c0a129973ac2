#include "import/fbx/fbx_turns.h"

#include "base/mem.h"

#include <stdlib.h>

static void add(struct fbx_turn **items, size_t *count, size_t *capacity, int64_t id)
{
    if (*count == *capacity) {
        *capacity = *capacity == 0 ? 64 : 2 * *capacity;
        *items = mem_realloc(*items, *capacity * sizeof **items);
    }
    (*items)[(*count)++] = (struct fbx_turn){.id = id};
}

void fbx_turns_add_node(struct fbx_turns *turns, int64_t id)
{
    add(&turns->nodes, &turns->node_count, &turns->node_capacity, id);
    turns->is_sorted = 0;
}

void fbx_turns_add_curve(struct fbx_turns *turns, int64_t id)
{
    add(&turns->curves, &turns->curve_count, &turns->curve_capacity, id);
    turns->is_sorted = 0;
}

static int by_id(const void *a, const void *b)
{
    const int64_t x = ((const struct fbx_turn *)a)->id, y = ((const struct fbx_turn *)b)->id;
    return (x > y) - (x < y);
}

void fbx_turns_connect(struct fbx_turns *turns, int64_t child, int64_t parent)
{
    if (turns->node_count == 0 || turns->curve_count == 0)
        return;
    if (!turns->is_sorted) {
        qsort(turns->nodes, turns->node_count, sizeof *turns->nodes, by_id);
        qsort(turns->curves, turns->curve_count, sizeof *turns->curves, by_id);
    }
    turns->is_sorted = 1;
    const struct fbx_turn curve = {.id = child}, node = {.id = parent};
    struct fbx_turn *found = bsearch(&node, turns->nodes, turns->node_count, sizeof node, by_id);
    if (found != NULL && bsearch(&curve, turns->curves, turns->curve_count, sizeof curve, by_id) != NULL)
        found->moving_count++;
}

uint32_t fbx_turns_count(const struct fbx_turns *turns)
{
    uint32_t count = 0;
    for (size_t i = 0; i < turns->node_count; i++)
        count += turns->nodes[i].moving_count > 1;
    return count;
}

void fbx_turns_fini(struct fbx_turns *turns)
{
    free(turns->nodes);
    free(turns->curves);
    *turns = (struct fbx_turns){0};
}
