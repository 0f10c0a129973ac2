/* compare_binds.c - joints whose inverse bind matrices are not the same, so that vertices which are in bind space where
 * they were are elsewhere in every pose. */
#include "anim/compare/compare_parts.h"
#include "anim/pose/bounds.h"
#include "base/mem.h"

#include <stdlib.h>

/* The pair that a vertex of both models follows most, where its bind spaces are not the same; -1: there is none, or it
 * was told to be elsewhere. */
static int32_t pair_of(const struct compare *compare, uint32_t at)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD],
                                *new = &compare->surface->drawn[COMPARE_NEW];
    const uint32_t partner = (uint32_t)old->partners[at];
    const uint32_t joint = bounds_main_joint(old->model, old->vertices[at]);
    const uint32_t other = bounds_main_joint(new->model, new->vertices[partner]);
    const int32_t pair = compare->sides[COMPARE_OLD].pairs[drawn_joint_node(old, at, joint)];
    if (pair < 0 || pair != compare->sides[COMPARE_NEW].pairs[drawn_joint_node(new, partner, other)])
        return -1;
    return compare->pairs[pair].is_bind || compare->pairs[pair].is_elsewhere ? -1 : pair;
}

static double way_between(const struct compare *compare, uint32_t at)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD],
                                *new = &compare->surface->drawn[COMPARE_NEW];
    const struct vec3 p = vertex_rest_place(&compare->sides[COMPARE_OLD], old, at);
    const struct vec3 q = vertex_rest_place(&compare->sides[COMPARE_NEW], new, (uint32_t)old->partners[at]);
    const double way[3] = {(double)p.x - (double)q.x, (double)p.y - (double)q.y, (double)p.z - (double)q.z};
    return sqrt(dot3(way, way));
}

static void tell(struct compare *compare, const struct joint_pair *pair, double way)
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t node = pair->nodes[COMPARE_NEW];
    char name[THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_REST);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++)
        difference->nodes[s] = (int32_t)pair->nodes[s];
    difference->distance = difference->vertex_distance = way / compare->unit;
    difference_say(
        difference,
        "vertices of %s are %.4g units (%.3g %% of the size) away at rest: its inverse bind matrix is another",
        compare_thing(new, "joint", new->nodes[node].name, node, name), difference->distance,
        100 * way / compare->size);
}

void binds_compare(struct compare *compare)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    double *ways = mem_zalloc((size_t)compare->pair_count + 1, sizeof *ways);
    for (uint32_t i = 0; i < old->count && compare->surface->is_bind; i++) {
        const int32_t pair = old->partners[i] < 0 ? -1 : pair_of(compare, i);
        if (pair >= 0)
            ways[pair] = fmax(ways[pair], way_between(compare, i));
    }
    for (uint32_t p = 0; p < compare->pair_count; p++)
        if (ways[p] > compare->tolerance * compare->size)
            tell(compare, &compare->pairs[p], ways[p]);
    free(ways);
}
