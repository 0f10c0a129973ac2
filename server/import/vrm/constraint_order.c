/* constraint_order.c - strongly connected components of what constraints depend on.
 *
 * The graph has two vertices for each node: its local rotation (2n) and its scene matrix (2n + 1). A scene matrix
 * depends on the node's local rotation and on its parent's scene matrix. A local rotation with a constraint depends,
 * for a roll or a rotation, on the source's local rotation, and for an aim on the scene matrices of both parents.
 * Vertices of one component depend on each other. Tarjan's algorithm finds the components in the order of evaluation.
 */
#include "import/vrm/constraint_order.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define NO_VERTEX     UINT32_MAX
#define NO_CONSTRAINT UINT32_MAX

/* A vertex on the way from the start, and which of its edges is next. */
struct visit {
    uint32_t vertex, edge;
};

struct search {
    const struct bake_builder *builder;
    const struct node_constraint *constraints;
    uint32_t *of_node;        /* [node_count]: the node's constraint */
    uint32_t *numbers, *lows; /* [2 * node_count]: 0: not seen; lows 0: its component is known */
    struct visit *visits;     /* likewise: the way */
    uint32_t *open;           /* likewise: vertices whose component is not known */
    uint32_t visit_count, open_count, last_number;
    struct node_constraint *sorted; /* [count] */
    uint32_t front, back;           /* sorted: so many in front; the others from here on */
};

static uint32_t scene_of_parent(const struct search *search, uint32_t node)
{
    const int32_t parent = search->builder->nodes[node].parent;
    return parent < 0 ? NO_VERTEX : 2 * (uint32_t)parent + 1;
}

enum { EDGES = 2 };

static uint32_t edge_of(const struct search *search, uint32_t vertex, uint32_t edge)
{
    const uint32_t node = vertex / 2;
    if (vertex % 2 == 1)
        return edge == 0 ? 2 * node : scene_of_parent(search, node);
    if (search->of_node[node] == NO_CONSTRAINT)
        return NO_VERTEX;
    const struct node_constraint *at = &search->constraints[search->of_node[node]];
    if (at->kind == CONSTRAINT_AIM)
        return scene_of_parent(search, edge == 0 ? node : at->source);
    return edge == 0 ? 2 * at->source : NO_VERTEX;
}

static void enter(struct search *search, uint32_t vertex)
{
    search->numbers[vertex] = search->lows[vertex] = ++search->last_number;
    search->open[search->open_count++] = vertex;
    search->visits[search->visit_count++] = (struct visit){vertex, 0};
}

/* Takes the component of a vertex: the open vertices from it on. */
static void close_component(struct search *search, uint32_t vertex)
{
    const bool is_single = search->open[search->open_count - 1] == vertex;
    uint32_t member;
    do {
        member = search->open[--search->open_count];
        search->lows[member] = 0;
        if (member % 2 == 1 || search->of_node[member / 2] == NO_CONSTRAINT)
            continue;
        const uint32_t place = is_single ? search->front++ : --search->back;
        search->sorted[place] = search->constraints[search->of_node[member / 2]];
    } while (member != vertex);
}

static void leave(struct search *search)
{
    const uint32_t vertex = search->visits[--search->visit_count].vertex, low = search->lows[vertex];
    if (low == search->numbers[vertex])
        close_component(search, vertex);
    else if (search->visit_count > 0) {
        uint32_t *above = &search->lows[search->visits[search->visit_count - 1].vertex];
        *above = low < *above ? low : *above;
    }
}

static void search_from(struct search *search, uint32_t start)
{
    if (search->numbers[start] != 0)
        return;
    enter(search, start);
    while (search->visit_count > 0) {
        struct visit *visit = &search->visits[search->visit_count - 1];
        if (visit->edge == EDGES) {
            leave(search);
            continue;
        }
        const uint32_t vertex = visit->vertex, next = edge_of(search, vertex, visit->edge++);
        if (next == NO_VERTEX)
            continue;
        if (search->numbers[next] == 0)
            enter(search, next);
        else if (search->lows[next] != 0 && search->numbers[next] < search->lows[vertex])
            search->lows[vertex] = search->numbers[next];
    }
}

uint32_t constraint_order(const struct bake_builder *builder, struct node_constraint *constraints, uint32_t count)
{
    const uint32_t vertices = 2 * builder->node_count;
    struct search search = {.builder = builder,
                            .constraints = constraints,
                            .of_node = mem_alloc(builder->node_count * sizeof *search.of_node),
                            .numbers = mem_zalloc(vertices, sizeof *search.numbers),
                            .lows = mem_zalloc(vertices, sizeof *search.lows),
                            .visits = mem_alloc(vertices * sizeof *search.visits),
                            .open = mem_alloc(vertices * sizeof *search.open),
                            .sorted = mem_alloc(count * sizeof *search.sorted),
                            .back = count};
    for (uint32_t n = 0; n < builder->node_count; n++)
        search.of_node[n] = NO_CONSTRAINT;
    for (uint32_t i = 0; i < count; i++)
        search.of_node[constraints[i].node] = i;
    for (uint32_t i = 0; i < count; i++)
        search_from(&search, 2 * constraints[i].node);
    memcpy(constraints, search.sorted, count * sizeof *constraints);
    free(search.of_node);
    free(search.numbers);
    free(search.lows);
    free(search.visits);
    free(search.open);
    free(search.sorted);
    return search.front;
}
