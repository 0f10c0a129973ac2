/* compare_moved.c - pairs vertices that are elsewhere in the new model: by their index where a primitive has the same
 * triangles, else by the triangles that they share with vertices that have stayed or are alone at a place of a texture.
 */
#include "anim/compare/compare_drawn.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    ELEMENTS_MOST = 500000, /* triangles of a model with a corner that may have moved; beyond, none is paired */
    PASSES_MOST = 24,       /* over these triangles, in both directions by turns */
    MAPPED_MOST = 200000,   /* vertices that are looked at for their texture coordinates */
    SLOTS_LOOKED_AT = 64,   /* of a hash table: a file may have places that all have one hash */
    EDGES_LOOKED_AT = 8,    /* triangles at one edge: surfaces may lie on each other */
};

/* The first vertex at each vertex's place: tools split vertices. */
struct places {
    uint32_t *firsts; /* [count] */
    uint8_t *is_sure; /* [count], by the first vertex: the place of the other model that corresponds is known */
    uint8_t *is_kept; /* [count]: the partner is the same */
};

/* A directed edge of a triangle of the new model, between places. */
struct edge {
    uint32_t from, to, element; /* index in `elements`; UINT32_MAX: the slot is free */
    uint32_t corner;            /* at which it begins */
};

struct moves {
    struct compare *compare;
    struct places places[COMPARE_SIDES];
    int32_t *partners; /* [old count]: the new place of an old one, by their first vertices; or -1 */
    struct drawn_element *elements[COMPARE_SIDES];
    uint32_t counts[COMPARE_SIDES];
    struct edge *edges; /* [edge_mask + 1] */
    uint32_t edge_mask;
};

/* --- places --- */

static bool is_at(const struct drawn_vertices *drawn, uint32_t at, const struct vec3 *place)
{
    const struct vec3 *own = &drawn->places[at];
    return own->x == place->x && own->y == place->y && own->z == place->z;
}

static uint32_t *first_vertices(const struct drawn_vertices *drawn)
{
    uint32_t mask = 1, *firsts = mem_alloc(((size_t)drawn->count + 1) * sizeof *firsts);
    while (mask < 2 * (uint64_t)drawn->count && mask < UINT32_MAX / 2)
        mask = mask * 2 + 1;
    uint32_t *slots = mem_alloc(((size_t)mask + 1) * sizeof *slots);
    memset(slots, 0xff, ((size_t)mask + 1) * sizeof *slots);
    for (uint32_t i = 0; i < drawn->count; i++) {
        const struct vec3 place = {drawn->places[i].x + 0.0F, drawn->places[i].y + 0.0F, drawn->places[i].z + 0.0F};
        firsts[i] = i;
        if (!drawn_is_used(drawn, i))
            continue;
        uint32_t at = (uint32_t)hash64(HASH64_SEED, &place, sizeof place) & mask, looked = 0;
        while (slots[at] != UINT32_MAX && !is_at(drawn, slots[at], &place) && looked++ < SLOTS_LOOKED_AT)
            at = (at + 1) & mask;
        slots[at] = slots[at] == UINT32_MAX ? i : slots[at];
        firsts[i] = is_at(drawn, slots[at], &place) ? slots[at] : i;
    }
    free(slots);
    return firsts;
}

/* --- pairs --- */

static void pair_places(struct moves *moves, uint32_t old, uint32_t new)
{
    moves->partners[old] = (int32_t) new;
    moves->places[COMPARE_OLD].is_sure[old] = 1;
    moves->places[COMPARE_NEW].is_sure[new] = 1;
}

/* Marks the vertices, and their places, that surely have their own partner. */
static void mark_sure(struct moves *moves)
{
    const struct drawn_vertices *old = &moves->compare->surface->drawn[COMPARE_OLD];
    struct places *places = moves->places;
    for (uint32_t i = 0; i < old->count; i++) {
        if (old->partners[i] < 0 || !vertices_are_same(moves->compare, i, (uint32_t)old->partners[i]))
            continue;
        const uint32_t first = places[COMPARE_OLD].firsts[i], other = places[COMPARE_NEW].firsts[old->partners[i]];
        places[COMPARE_OLD].is_kept[i] = places[COMPARE_NEW].is_kept[old->partners[i]] = 1;
        if (places[COMPARE_OLD].is_sure[first] == 0)
            pair_places(moves, first, other);
    }
}

/* Makes two vertices partners. What was the partner before is free again. */
static void pair_vertices(const struct moves *moves, uint32_t old, uint32_t new)
{
    struct drawn_vertices *drawn = moves->compare->surface->drawn;
    const int32_t before = drawn[COMPARE_OLD].partners[old];
    if (moves->places[COMPARE_OLD].is_kept[old] != 0 || moves->places[COMPARE_NEW].is_kept[new] != 0)
        return;
    if (before >= 0 && drawn[COMPARE_NEW].partners[before] == (int32_t)old)
        drawn[COMPARE_NEW].partners[before] = -1;
    drawn[COMPARE_OLD].partners[old] = (int32_t) new;
    drawn[COMPARE_NEW].partners[new] = (int32_t)old;
}

static bool is_free(const struct moves *moves, uint32_t old, uint32_t new)
{
    return moves->places[COMPARE_OLD].is_sure[old] == 0 && moves->places[COMPARE_NEW].is_sure[new] == 0;
}

/* True when two primitives, of nodes that may be the same, have the same triangles of as many vertices. */
static bool has_same_triangles(const struct moves *moves, uint32_t at)
{
    const struct drawn_vertices *drawn = moves->compare->surface->drawn;
    const int32_t partner = moves->compare->sides[COMPARE_OLD].partners[drawn_node(&drawn[COMPARE_OLD], at)];
    if (partner >= 0 && (uint32_t)partner != drawn_node(&drawn[COMPARE_NEW], at))
        return false;
    const struct primitive *old = drawn_primitive(&drawn[COMPARE_OLD], at),
                           *new = drawn_primitive(&drawn[COMPARE_NEW], at);
    return old->vertex_count == new->vertex_count && old->index_count == new->index_count &&
           old->topology ==
               new->topology &&memcmp(drawn[COMPARE_OLD].model->indices + old->index_first,
                                      drawn[COMPARE_NEW].model->indices + new->index_first,
                                      old->index_count * sizeof *drawn->model->indices) == 0;
}

/* Pairs what a file has kept in its order. */
static void pair_by_index(struct moves *moves)
{
    const struct drawn_vertices *drawn = moves->compare->surface->drawn;
    const uint32_t *firsts[COMPARE_SIDES] = {moves->places[COMPARE_OLD].firsts, moves->places[COMPARE_NEW].firsts};
    for (uint32_t first = 0, count; first < drawn[COMPARE_OLD].count && first < drawn[COMPARE_NEW].count;
         first += count) {
        count = drawn_primitive(&drawn[COMPARE_OLD], first)->vertex_count;
        if (drawn_primitive(&drawn[COMPARE_NEW], first)->vertex_count != count)
            return;
        if (!has_same_triangles(moves, first))
            continue;
        for (uint32_t i = first; i < first + count; i++) {
            if (!drawn_is_used(&drawn[COMPARE_OLD], i))
                continue;
            if (is_free(moves, firsts[COMPARE_OLD][i], firsts[COMPARE_NEW][i]))
                pair_places(moves, firsts[COMPARE_OLD][i], firsts[COMPARE_NEW][i]);
            pair_vertices(moves, i, i);
        }
    }
}

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

static uint32_t list_mapped(const struct moves *moves, struct mapped *out)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < COMPARE_SIDES; s++) {
        const struct compare_model *side = &moves->compare->sides[s];
        const struct drawn_vertices *drawn = &moves->compare->surface->drawn[s];
        for (uint32_t i = 0; i < drawn->count && count < MAPPED_MOST; i++) {
            const uint32_t place = moves->places[s].firsts[i];
            struct {
                struct vec2 texcoord;
                int32_t pair, zero;
            } key = {.zero = 0};
            if (moves->places[s].is_sure[place] != 0 || !drawn_is_used(drawn, i) ||
                !drawn_texcoord(drawn, i, drawn->textures[drawn->draws[i]], &key.texcoord))
                continue;
            key.pair = side->pairs[drawn_joint_node(drawn, i, side->main_joints[drawn->vertices[i]])];
            out[count++] = (struct mapped){hash64(HASH64_SEED, &key, sizeof key), place, s};
        }
    }
    return count;
}

/* Pairs places that alone have their texture coordinates and their joint. */
static void pair_by_texcoords(struct moves *moves)
{
    struct mapped *mapped = mem_alloc(MAPPED_MOST * sizeof *mapped);
    const uint32_t count = list_mapped(moves, mapped);
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
            is_free(moves, (uint32_t)places[COMPARE_OLD], (uint32_t)places[COMPARE_NEW]))
            pair_places(moves, (uint32_t)places[COMPARE_OLD], (uint32_t)places[COMPARE_NEW]);
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

/* Pairs the corners of an old triangle with those of a new one that has the partners of one of its edges. False: there
 * is none yet. */
static bool follow(struct moves *moves, const struct drawn_element *old)
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
            if (is_free(moves, third, other))
                pair_places(moves, third, other);
            if (moves->partners[third] != (int32_t)other)
                continue;
            for (uint32_t k = 0; k < 3; k++)
                pair_vertices(moves, old->corners[(c + k) % 3], corners[(edge->corner + k) % 3]);
            return true;
        }
    }
    return false;
}

static void pair_by_triangles(struct moves *moves)
{
    if (!list_elements(moves, COMPARE_OLD) || !list_elements(moves, COMPARE_NEW))
        return;
    pair_by_texcoords(moves);
    list_edges(moves);
    const uint32_t count = moves->counts[COMPARE_OLD];
    uint8_t *is_done = mem_zalloc(count, 1);
    for (uint32_t pass = 0, found = 1; pass < PASSES_MOST && found > 0; pass++) {
        found = 0;
        for (uint32_t i = 0; i < count && !compare_is_stopped(moves->compare); i++) {
            const uint32_t at = pass % 2 == 0 ? i : count - 1 - i;
            if (is_done[at] != 0 || !follow(moves, &moves->elements[COMPARE_OLD][at]))
                continue;
            is_done[at] = 1;
            found++;
        }
    }
    free(is_done);
}

/* Marks the vertices that are elsewhere. What is at another place of the textures and follows another joint is another
 * vertex. */
static void mark_moved(struct compare *compare)
{
    struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD], *new = &compare->surface->drawn[COMPARE_NEW];
    for (uint32_t i = 0; i < old->count; i++) {
        const int32_t partner = old->partners[i];
        if (partner < 0)
            continue;
        const struct vertex_apart apart = vertex_compare(compare, i, (uint32_t)partner);
        old->is_moved[i] = !(apart.distance <= compare->tolerance * compare->size);
        if (!(apart.texcoord > TEXCOORD_NEAR) || !vertices_follow_others(compare, i, (uint32_t)partner))
            continue;
        old->partners[i] = -1;
        new->partners[partner] = new->partners[partner] == (int32_t)i ? -1 : new->partners[partner];
    }
}

void moved_match(struct compare *compare)
{
    struct surface *surface = compare->surface;
    struct moves moves = {.compare = compare};
    const struct drawn_vertices *old = &surface->drawn[COMPARE_OLD];
    moves.partners = mem_alloc(((size_t)old->count + 1) * sizeof *moves.partners);
    memset(moves.partners, 0xff, ((size_t)old->count + 1) * sizeof *moves.partners);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        moves.places[s].firsts = first_vertices(&surface->drawn[s]);
        moves.places[s].is_sure = mem_zalloc((size_t)surface->drawn[s].count + 1, 1);
        moves.places[s].is_kept = mem_zalloc((size_t)surface->drawn[s].count + 1, 1);
    }
    mark_sure(&moves);
    pair_by_index(&moves);
    pair_by_triangles(&moves);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        free(moves.places[s].firsts);
        free(moves.places[s].is_sure);
        free(moves.places[s].is_kept);
        free(moves.elements[s]);
    }
    free(moves.edges);
    free(moves.partners);
    mark_moved(compare);
}
