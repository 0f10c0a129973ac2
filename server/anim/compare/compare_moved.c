/* compare_moved.c - pairs vertices that are elsewhere in the new model: by their index where a primitive has the same
 * triangles, else by the triangles that they share with vertices that have stayed or are alone at a place of a texture.
 */
#include "anim/compare/compare_moved.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_LOOKED_AT = 64 }; /* of a hash table: a file may have places that all have one hash */

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

void moves_pair_places(struct moves *moves, uint32_t old, uint32_t new)
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
            moves_pair_places(moves, first, other);
    }
}

/* Makes two vertices partners. What was the partner before is free again. */
void moves_pair_vertices(const struct moves *moves, uint32_t old, uint32_t new)
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

bool moves_is_free(const struct moves *moves, uint32_t old, uint32_t new)
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
            if (moves_is_free(moves, firsts[COMPARE_OLD][i], firsts[COMPARE_NEW][i]))
                moves_pair_places(moves, firsts[COMPARE_OLD][i], firsts[COMPARE_NEW][i]);
            moves_pair_vertices(moves, i, i);
        }
    }
}

/* --- all --- */

/* Marks the vertices that are elsewhere. What is at another place of a texture and follows another joint is another
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
        const bool is_textured = old->textures[old->draws[i]] != NULL;
        const bool is_another =
            is_textured && apart.texcoord > TEXCOORD_NEAR && vertices_follow_others(compare, i, (uint32_t)partner);
        if (isfinite(apart.distance) && !is_another)
            continue;
        old->is_moved[i] = 0;
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
    moves_pair_triangles(&moves);
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
