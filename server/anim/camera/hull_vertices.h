/* hull_vertices.h - picks the vertices of a model that can be outermost in a pose, far fewer than all. Pure; any
 * thread.
 *
 * Vertices that follow a single joint keep their places relative to each other. A vertex deep inside such a group in
 * bind space is inside in every pose too, so only the hull of each group counts. A morphed primitive also needs the
 * hulls of its targets. Vertices of several joints are grouped by the joint with the largest weight and by that weight;
 * for these groups the hull is an approximation. All vertices of a primitive with dual quaternion skinning count,
 * because dual quaternions bulge. */
#pragma once

#include "anim/pose/skin.h"

#include "base/err.h"

#include <stdint.h>

struct hull_vertices {
    uint32_t *vertices; /* indices into the model's vertices, not a primitive's */
    uint32_t *firsts;   /* [primitive_count + 1]: where each primitive begins in `vertices` */
};

/* is_used[vertex_count]: which vertices count. Returns 0 or ERR_NO_MEMORY. Call hull_vertices_fini() in either case. */
int hull_vertices_init(struct hull_vertices *hull, const struct model *model, const uint8_t *is_used, struct err *err);
void hull_vertices_fini(struct hull_vertices *hull);

static inline uint32_t hull_vertices_count(const struct hull_vertices *hull, uint32_t primitive)
{
    return hull->firsts[primitive + 1] - hull->firsts[primitive];
}

/* Fills out[hull_vertices_count()] with positions in a pose. palette: the palette of the draw's skin.
 * weights[weight_count]: the morph weights of its node. */
void hull_vertices_positions(const struct hull_vertices *hull, const struct model *model, uint32_t primitive,
                             const struct skin_palette *palette, const double *weights, uint32_t weight_count,
                             struct vec3 *out);
