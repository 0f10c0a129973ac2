/* hull_vertices.h - the vertices of a model that can be outermost in a pose: far fewer than all. Pure; any thread.
 *
 * Vertices that one joint alone moves keep their places to each other, so what lies deep inside of them in bind space
 * lies inside in every pose too: only the hull of each such group counts, and of a morphed primitive also the hulls of
 * its targets. Vertices that several joints move are grouped by the joint with the largest weight and by that weight:
 * for them the hull is an approximation. Of a primitive
 * that dual quaternions move every vertex counts: they bulge. */
#pragma once

#include "anim/pose/skin.h"

#include "base/err.h"

#include <stdint.h>

struct hull_vertices {
    uint32_t *vertices; /* of the model, not of a primitive */
    uint32_t *firsts;   /* [primitive_count + 1]: where a primitive's begin in vertices */
};

/* is_used: [vertex_count]: vertices that count. Returns 0 or ERR_NO_MEMORY; hull_vertices_fini() in any case. */
int hull_vertices_init(struct hull_vertices *hull, const struct model *model, const uint8_t *is_used, struct err *err);
void hull_vertices_fini(struct hull_vertices *hull);

static inline uint32_t hull_vertices_count(const struct hull_vertices *hull, uint32_t primitive)
{
    return hull->firsts[primitive + 1] - hull->firsts[primitive];
}

/* Where they are in a pose: out[hull_vertices_count()]. palette: of the draw's skin; weights: of its node, weight_count
 * of them. */
void hull_vertices_positions(const struct hull_vertices *hull, const struct model *model, uint32_t primitive,
                             const struct skin_palette *palette, const double *weights, uint32_t weight_count,
                             struct vec3 *out);
