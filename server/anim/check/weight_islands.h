/* weight_islands.h - the connected parts of a skin's mesh that follow a joint. Private to this folder. Pure.
 *
 * An island is a set of vertices that follow one joint and are joined by edges of triangles; vertices at one place are
 * one. A mesh of several pieces has several islands for a joint, which end where the pieces end. An island that ends
 * within a piece, far from the bone, was painted by mistake. */
#pragma once

#include "anim/check/check_rig.h"

enum { INFLUENCES_MOST = 1 << 21 }; /* of a model that is looked at */

struct islands {
    const struct model *model;
    uint32_t *parents;  /* [influence_count]: of each influence in its tree; a root is its own */
    uint8_t *is_taken;  /* [primitive_count] */
    uint32_t *vertices; /* [vertex_count]: of the skin, sorted by place */
    uint32_t vertex_count;
    uint64_t work, work_most;
    const _Atomic bool *is_stopped; /* may be NULL */
};

/* Returns whether the search must end: it takes too much, or nobody waits for it. */
static inline bool islands_are_too_many(const struct islands *islands)
{
    return islands->work >= islands->work_most || (islands->is_stopped != NULL && *islands->is_stopped);
}

/* Returns the island of an influence. */
uint32_t island_of(struct islands *islands, uint32_t influence);
/* Returns the influence of a vertex by a joint, or -1. */
int64_t influence_find(struct islands *islands, uint32_t vertex, uint32_t joint);

/* Joins what follows one joint in all triangles that a skin draws and no skin before it. False: it must end. */
bool islands_join(struct islands *islands, uint32_t skin);

typedef void edge_fn(void *context, uint32_t a, uint32_t b);
/* Calls fn for both directions of each edge of the triangles of a primitive. */
void edges_visit(const struct model *model, const struct primitive *primitive, edge_fn *fn, void *context);
