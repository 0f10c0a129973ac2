/* compare_moved.h - the pairs of vertices that are elsewhere, while they are sought. Private to this folder. Pure. */
#pragma once

#include "anim/compare/compare_drawn.h"

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

/* Pairs two places that both have no partner. */
void moves_pair_places(struct moves *moves, uint32_t old, uint32_t new);
/* True when neither place has a partner. */
bool moves_is_free(const struct moves *moves, uint32_t old, uint32_t new);
/* Makes two vertices partners, unless one of them has kept its own. What was the partner before is free again. */
void moves_pair_vertices(const struct moves *moves, uint32_t old, uint32_t new);

/* --- compare_moved_triangles.c --- */

/* Pairs vertices of triangles that share an edge with triangles whose places are known, or that have corners which are
 * alone with their texture coordinates. */
void moves_pair_triangles(struct moves *moves);
