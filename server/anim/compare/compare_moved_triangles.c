/* compare_moved_triangles.c - pairs vertices that are elsewhere by their texture coordinates and their triangles. */
#include "anim/compare/compare_moved.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    ELEMENTS_MOST = 500000, /* triangles of a model with a corner that may have moved; beyond, none is paired */
    MAPPED_MOST = 200000,   /* vertices that are listed by their texture coordinates; triangles lead to others */
    EDGES_LOOKED_AT = 8,    /* triangles at one edge: surfaces may lie on each other */
};

/* --- texture coordinates --- */

/* A vertex without its own partner. */
struct mapped {
    uint64_t key; /* of its texture coordinates and its joint */
    uint32_t place, side;
};

static int by_key(const void *a, const void *b)
{
    const struct mapped *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->place > y->place) - (x->place < y->place);
}

/* Vertices of both sides with all keys up to key_most, so that none looks alone because another was left out. */
struct mapped_list {
    struct mapped *items; /* [MAPPED_MOST] */
    uint32_t count;
    uint64_t key_most;
};

/* Adds a vertex, and leaves out the upper half of the keys whenever there are too many. */
static void add_mapped(struct mapped_list *list, const struct mapped *item)
{
    while (item->key <= list->key_most && list->count == MAPPED_MOST) {
        list->key_most /= 2;
        list->count = 0;
        for (uint32_t i = 0; i < MAPPED_MOST; i++)
            if (list->items[i].key <= list->key_most)
                list->items[list->count++] = list->items[i];
    }
    if (item->key <= list->key_most)
        list->items[list->count++] = *item;
}

static void list_mapped(const struct moves *moves, struct mapped_list *list)
{
    for (uint32_t s = 0; s < COMPARE_SIDES; s++) {
        const struct compare_model *side = &moves->compare->sides[s];
        const struct drawn_vertices *drawn = &moves->compare->surface->drawn[s];
        for (uint32_t i = 0; i < drawn->count; i++) {
            const uint32_t place = moves->places[s].firsts[i];
            struct {
                struct vec2 texcoord;
                int32_t pair, zero;
            } key = {.zero = 0};
            if (moves->places[s].is_sure[place] != 0 || !drawn_is_used(drawn, i) ||
                !drawn_texcoord(drawn, i, drawn->textures[drawn->draws[i]], &key.texcoord))
                continue;
            key.pair = side->pairs[drawn_joint_node(drawn, i, side->main_joints[drawn->vertices[i]])];
            const struct mapped item = {hash64(HASH64_SEED, &key, sizeof key), place, s};
            add_mapped(list, &item);
        }
    }
}

/* Pairs places that alone have their texture coordinates and their joint. */
static void pair_by_texcoords(struct moves *moves)
{
    struct mapped *mapped = mem_alloc(MAPPED_MOST * sizeof *mapped);
    struct mapped_list list = {.items = mapped, .key_most = UINT64_MAX};
    list_mapped(moves, &list);
    const uint32_t count = list.count;
    qsort(mapped, count, sizeof *mapped, by_key);
    for (uint32_t i = 0, end; i < count; i = end) {
        int64_t places[COMPARE_SIDES] = {-1, -1};
        bool is_alone = true;
        for (end = i; end < count && mapped[end].key == mapped[i].key; end++) {
            int64_t *place = &places[mapped[end].side];
            is_alone = is_alone && (*place < 0 || *place == mapped[end].place);
            *place = mapped[end].place;
        }
        if (is_alone && places[COMPARE_OLD] >= 0 && places[COMPARE_NEW] >= 0 &&
            moves_is_free(moves, (uint32_t)places[COMPARE_OLD], (uint32_t)places[COMPARE_NEW]))
            moves_pair_places(moves, (uint32_t)places[COMPARE_OLD], (uint32_t)places[COMPARE_NEW]);
    }
    free(mapped);
}

/* --- triangles --- */

/* Lists the triangles of a side with a corner at a place that is not sure. False: there are none, or too many. */
static bool list_elements(struct moves *moves, enum compare_side s)
{
    struct element_walk walk = element_walk_start(moves->compare, s);
    struct drawn_element element;
    const struct places *places = &moves->places[s];
    size_t capacity = 0;
    while (element_next(&walk, &element)) {
        bool is_sure = element.corner_count == 3;
        for (uint32_t c = 0; c < 3 && is_sure; c++)
            is_sure = places->is_sure[places->firsts[element.corners[c]]] != 0;
        if (is_sure || element.corner_count != 3)
            continue;
        if (moves->counts[s] == ELEMENTS_MOST || compare_is_stopped(moves->compare))
            return false;
        moves->elements[s] =
            mem_grow(moves->elements[s], &capacity, (size_t)moves->counts[s] + 1, sizeof *moves->elements[s]);
        moves->elements[s][moves->counts[s]++] = element;
    }
    return moves->counts[s] > 0;
}

static uint32_t edge_slot(const struct moves *moves, uint32_t from, uint32_t to)
{
    const uint32_t both[2] = {from, to};
    return (uint32_t)hash64(HASH64_SEED, both, sizeof both) & moves->edge_mask;
}

static void list_edges(struct moves *moves)
{
    moves->edge_mask = 1;
    while (moves->edge_mask < 6 * moves->counts[COMPARE_NEW])
        moves->edge_mask = moves->edge_mask * 2 + 1;
    moves->edges = mem_alloc(((size_t)moves->edge_mask + 1) * sizeof *moves->edges);
    memset(moves->edges, 0xff, ((size_t)moves->edge_mask + 1) * sizeof *moves->edges);
    for (uint32_t e = 0; e < moves->counts[COMPARE_NEW]; e++)
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t *corners = moves->elements[COMPARE_NEW][e].corners,
                           *firsts = moves->places[COMPARE_NEW].firsts;
            const struct edge edge = {firsts[corners[c]], firsts[corners[(c + 1) % 3]], e, c};
            uint32_t at = edge_slot(moves, edge.from, edge.to), looked = 0;
            while (moves->edges[at].element != UINT32_MAX && looked++ < EDGES_LOOKED_AT)
                at = (at + 1) & moves->edge_mask;
            if (moves->edges[at].element == UINT32_MAX)
                moves->edges[at] = edge;
        }
}

/* Pairs the corners of an old triangle with those of a new one that has the partners of one of its edges. Returns the
 * old place that was paired by it, or -1. */
static int64_t follow(struct moves *moves, const struct drawn_element *old)
{
    const uint32_t *firsts = moves->places[COMPARE_OLD].firsts;
    for (uint32_t c = 0; c < 3; c++) {
        const int32_t from = moves->partners[firsts[old->corners[c]]];
        const int32_t to = moves->partners[firsts[old->corners[(c + 1) % 3]]];
        const uint32_t third = firsts[old->corners[(c + 2) % 3]];
        if (from < 0 || to < 0)
            continue;
        uint32_t at = edge_slot(moves, (uint32_t)from, (uint32_t)to);
        for (uint32_t i = 0; i <= EDGES_LOOKED_AT && moves->edges[at].element != UINT32_MAX;
             i++, at = (at + 1) & moves->edge_mask) {
            const struct edge *edge = &moves->edges[at];
            if (edge->from != (uint32_t)from || edge->to != (uint32_t)to)
                continue;
            const uint32_t *corners = moves->elements[COMPARE_NEW][edge->element].corners;
            const uint32_t other = moves->places[COMPARE_NEW].firsts[corners[(edge->corner + 2) % 3]];
            const bool is_new = moves_is_free(moves, third, other);
            if (is_new)
                moves_pair_places(moves, third, other);
            if (moves->partners[third] != (int32_t)other)
                continue;
            for (uint32_t k = 0; k < 3; k++)
                moves_pair_vertices(moves, old->corners[(c + k) % 3], corners[(edge->corner + k) % 3]);
            return is_new ? (int64_t)third : -1;
        }
    }
    return -1;
}

/* Lists the old triangles at each place: those of place p are at[firsts[p]] .. at[firsts[p + 1] - 1]. */
static uint32_t *list_by_place(const struct moves *moves, uint32_t **firsts)
{
    const uint32_t places = moves->compare->surface->drawn[COMPARE_OLD].count, count = moves->counts[COMPARE_OLD];
    uint32_t *at = mem_alloc(3 * (size_t)count * sizeof *at);
    *firsts = mem_zalloc((size_t)places + 2, sizeof **firsts);
    for (uint32_t i = 0; i < 3 * count; i++)
        (*firsts)[moves->places[COMPARE_OLD].firsts[moves->elements[COMPARE_OLD][i / 3].corners[i % 3]] + 2]++;
    for (uint32_t p = 2; p <= places + 1; p++)
        (*firsts)[p] += (*firsts)[p - 1];
    for (uint32_t i = 0; i < 3 * count; i++)
        at[(*firsts)[moves->places[COMPARE_OLD].firsts[moves->elements[COMPARE_OLD][i / 3].corners[i % 3]] + 1]++] =
            i / 3;
    return at;
}

/* Follows all triangles, and again those at a place that has been paired. */
void moves_pair_triangles(struct moves *moves)
{
    if (!list_elements(moves, COMPARE_OLD) || !list_elements(moves, COMPARE_NEW))
        return;
    pair_by_texcoords(moves);
    list_edges(moves);
    const uint32_t count = moves->counts[COMPARE_OLD];
    uint32_t *firsts, *at = list_by_place(moves, &firsts), *waiting = mem_alloc(4 * (size_t)count * sizeof *waiting);
    uint32_t waiting_count = count;
    for (uint32_t i = 0; i < count; i++)
        waiting[i] = i;
    while (waiting_count > 0 && !compare_is_stopped(moves->compare)) {
        const int64_t place = follow(moves, &moves->elements[COMPARE_OLD][waiting[--waiting_count]]);
        for (uint32_t i = place < 0 ? 0 : firsts[place]; place >= 0 && i < firsts[place + 1]; i++)
            waiting[waiting_count++] = at[i];
    }
    free(waiting);
    free(firsts);
    free(at);
}
