/* compare_watched.c - vertices between joints that are bound in another pose. The joints may move alike and these not,
 * because skinning blends the joints' effects on other places. */
#include "anim/compare/compare_drawn.h"
#include "base/mem.h"

#include <stdlib.h>

enum { WATCHED_MOST = 64 };
#define LEAST_SHARE 0.05F /* of a second joint: vertices with less follow one joint */

/* True for a vertex that follows a joint of another bind pose and a second joint. */
static bool is_between(const struct compare *compare, uint32_t at)
{
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    const uint32_t v = old->vertices[at];
    uint32_t count = 0;
    bool is_rebound = false;
    for (uint32_t i = side->model->influence_firsts[v]; i < side->model->influence_firsts[v + 1]; i++) {
        const struct influence *influence = &side->model->influences[i];
        const int32_t pair = side->pairs[drawn_joint_node(old, at, influence->joint)];
        if (influence->weight < LEAST_SHARE)
            continue;
        count++;
        is_rebound = is_rebound || (pair >= 0 && compare->pairs[pair].is_rebound);
    }
    return old->partners[at] >= 0 && old->is_moved[at] == 0 && count > 1 && is_rebound;
}

void watched_choose(struct compare *compare)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const struct drawn_vertices *old = &drawn[COMPARE_OLD];
    uint32_t count = 0, seen = 0;
    for (uint32_t i = 0; i < old->count && compare->rebound_count > 0; i++)
        count += is_between(compare, i);
    if (count == 0)
        return;
    const uint32_t step = 1 + (count - 1) / WATCHED_MOST;
    compare->watched = mem_alloc(WATCHED_MOST * sizeof *compare->watched);
    for (uint32_t i = 0; i < old->count; i++) {
        if (!is_between(compare, i) || seen++ % step != 0)
            continue;
        const uint32_t ats[COMPARE_SIDES] = {i, (uint32_t)old->partners[i]};
        const uint32_t joint = compare->sides[COMPARE_OLD].main_joints[old->vertices[i]];
        struct watched_vertex *watched = &compare->watched[compare->watched_count++];
        watched->pair = compare->sides[COMPARE_OLD].pairs[drawn_joint_node(old, i, joint)];
        for (int s = 0; s < COMPARE_SIDES; s++) {
            watched->vertices[s] = drawn[s].vertices[ats[s]];
            watched->skins[s] = drawn[s].model->draws[drawn[s].draws[ats[s]]].skin;
        }
    }
}

/* Skins a vertex linearly in the current pose. */
static void skinned_place(const struct compare_model *side, uint32_t skin, uint32_t vertex, double out[3])
{
    const struct model *model = side->model;
    const struct vec3 p = model->positions[vertex];
    out[0] = out[1] = out[2] = 0;
    for (uint32_t i = model->influence_firsts[vertex]; i < model->influence_firsts[vertex + 1]; i++) {
        const struct joint *joint = &model->joints[model->skins[skin].joint_first + model->influences[i].joint];
        const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
        const struct dmat4 common_from_joint = compare_node_matrix(side, joint->node);
        double in_joint[3], place[3];
        dmat4_point(&joint_from_bind, DOUBLE3(p), in_joint);
        dmat4_point(&common_from_joint, in_joint, place);
        for (int k = 0; k < 3; k++)
            out[k] += (double)model->influences[i].weight * place[k];
    }
}

void watched_measure(const struct compare *compare, struct pair_error *errors)
{
    for (uint32_t p = 0; p < compare->pair_count; p++)
        if (errors[p].score > 1)
            return; /* this moves the vertices as well */
    for (uint32_t i = 0; i < compare->watched_count; i++) {
        const struct watched_vertex *watched = &compare->watched[i];
        double places[COMPARE_SIDES][3];
        for (int s = 0; s < COMPARE_SIDES; s++)
            skinned_place(&compare->sides[s], watched->skins[s], watched->vertices[s], places[s]);
        const double way[3] = {places[0][0] - places[1][0], places[0][1] - places[1][1], places[0][2] - places[1][2]};
        const double distance = sqrt(dot3(way, way));
        /* the partners may be off by half of it */
        const double score = distance / (2 * compare->tolerance * compare->size);
        struct pair_error *error = watched->pair < 0 ? NULL : &errors[watched->pair];
        if (error == NULL || !(score > 1) || !(score > error->score))
            continue;
        error->score = score;
        error->distance = fmax(error->distance, distance);
        error->vertex_distance = fmax(error->vertex_distance, distance);
    }
}
