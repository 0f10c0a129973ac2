#include "anim/check/weight_islands.h"

#include "base/mem.h"

#include <stdlib.h>

uint32_t island_of(struct islands *islands, uint32_t influence)
{
    uint32_t *parents = islands->parents;
    while (parents[influence] != influence) {
        parents[influence] = parents[parents[influence]];
        influence = parents[influence];
    }
    return influence;
}

int64_t influence_find(struct islands *islands, uint32_t vertex, uint32_t joint)
{
    const uint32_t *firsts = islands->model->influence_firsts;
    int64_t found = -1;
    for (uint32_t i = firsts[vertex]; i < firsts[vertex + 1] && found < 0; i++)
        if (islands->model->influences[i].joint == joint)
            found = i;
    islands->work += firsts[vertex + 1] - firsts[vertex] + 1;
    return found;
}

static void join(struct islands *islands, uint32_t a, uint32_t b)
{
    const uint32_t *firsts = islands->model->influence_firsts;
    for (uint32_t i = firsts[a]; i < firsts[a + 1] && !islands_are_too_many(islands); i++) {
        const int64_t other = influence_find(islands, b, islands->model->influences[i].joint);
        if (other >= 0)
            islands->parents[island_of(islands, i)] = island_of(islands, (uint32_t)other);
    }
}

static void join_edge(void *context, uint32_t a, uint32_t b)
{
    if (a < b)
        join(context, a, b);
}

void edges_visit(const struct model *model, const struct primitive *primitive, edge_fn *fn, void *context)
{
    const uint32_t *index = model->indices + primitive->index_first;
    for (uint32_t i = 0; i + 3 <= primitive->index_count && primitive->topology == TOPOLOGY_TRIANGLES; i += 3)
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t a = index[i + c], b = index[i + (c + 1) % 3];
            if (a != b) {
                fn(context, primitive->vertex_first + a, primitive->vertex_first + b);
                fn(context, primitive->vertex_first + b, primitive->vertex_first + a);
            }
        }
}

/* --- vertices at one place --- */

struct placed {
    struct vec3 place;
    uint32_t vertex;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int order = memcmp(&x->place, &y->place, sizeof x->place);
    return order != 0 ? order : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Joins all vertices at one place with the first of them. */
static void join_places(struct islands *islands)
{
    struct placed *placed = mem_alloc(((size_t)islands->vertex_count + 1) * sizeof *placed);
    uint32_t first = 0;
    for (uint32_t i = 0; i < islands->vertex_count; i++)
        placed[i] = (struct placed){islands->model->positions[islands->vertices[i]], islands->vertices[i]};
    qsort(placed, islands->vertex_count, sizeof *placed, compare_places);
    for (uint32_t i = 1; i < islands->vertex_count; i++) {
        if (memcmp(&placed[i].place, &placed[first].place, sizeof placed->place) != 0)
            first = i;
        else
            join(islands, placed[first].vertex, placed[i].vertex);
    }
    for (uint32_t i = 0; i < islands->vertex_count; i++)
        islands->vertices[i] = placed[i].vertex;
    free(placed);
}

bool islands_join(struct islands *islands, uint32_t skin)
{
    const struct model *model = islands->model;
    islands->vertex_count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const uint32_t p = model->draws[d].primitive;
        const struct primitive *primitive = &model->primitives[p];
        if (model->draws[d].skin != skin || islands->is_taken[p] != 0)
            continue;
        islands->is_taken[p] = 1;
        islands->work += primitive->index_count;
        for (uint32_t v = 0; v < primitive->vertex_count; v++)
            islands->vertices[islands->vertex_count++] = primitive->vertex_first + v;
        if (!islands_are_too_many(islands))
            edges_visit(model, primitive, join_edge, islands);
    }
    islands->work += model->draw_count;
    if (!islands_are_too_many(islands))
        join_places(islands);
    return !islands_are_too_many(islands);
}
