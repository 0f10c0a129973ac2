/* compare_places.c - finds partners for joints whose name the other file lacks, by the joint above them and their place
 * at rest. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>

#define NEAR_SHARE 0.02        /* of the model's size: greatest distance of a partner */
enum { STEPS_MOST = 4000000 }; /* limit on nodes visited */

struct place_search {
    struct compare *compare;
    enum compare_side side;          /* the side whose joints look for a partner */
    uint32_t *left;                  /* [left_count]: nodes of the other model that had no partner at first */
    uint32_t left_first, left_count; /* those before left_first have one */
    uint64_t steps;
};

static bool is_pair(const struct compare *compare, enum compare_side s, int32_t node)
{
    const int32_t partner = compare->sides[s].partners[node];
    return partner >= 0 && (compare->sides[s].is_joint[node] || compare->sides[1 - s].is_joint[partner]);
}

/* Returns the nearest ancestor that is a joint with a partner, or -1. */
static int32_t joint_above(struct place_search *search, enum compare_side s, uint32_t node)
{
    const struct node *nodes = search->compare->sides[s].model->nodes;
    int32_t above = nodes[node].parent;
    while (above >= 0 && !is_pair(search->compare, s, above) && search->steps++ < STEPS_MOST)
        above = nodes[above].parent;
    return above;
}

static bool has_name(const struct model *model, uint32_t node)
{
    return name_key(model, model->nodes[node].name, NAME_EXACT) != 0;
}

/* Finds the nearest unpaired node below the partner of the node's ancestor; joints come first. */
static int32_t find_partner(struct place_search *search, uint32_t node)
{
    const struct compare *compare = search->compare;
    const struct compare_model *side = &compare->sides[search->side], *other = &compare->sides[1 - search->side];
    const int32_t above = joint_above(search, search->side, node);
    const int32_t wanted = above < 0 ? -1 : side->partners[above];
    const double *place = side->rest[node].m + 12;
    double best = 2 * NEAR_SHARE * compare->size;
    const bool is_named = has_name(side->model, node);
    int32_t found = -1;
    while (search->left_first < search->left_count && other->partners[search->left[search->left_first]] >= 0)
        search->left_first++;
    for (uint32_t i = search->left_first; i < search->left_count && best > 0 && search->steps++ < STEPS_MOST; i++) {
        const uint32_t n = search->left[i];
        if (other->partners[n] >= 0 || (!other->is_joint[n] && is_named && has_name(other->model, n)))
            continue;
        const double *at = other->rest[n].m + 12;
        const double way[3] = {at[0] - place[0], at[1] - place[1], at[2] - place[2]};
        const double distance = sqrt(dot3(way, way));
        const double cost = distance + (other->is_joint[n] ? 0 : NEAR_SHARE * compare->size);
        if (distance <= NEAR_SHARE * compare->size && cost < best &&
            joint_above(search, 1 - search->side, n) == wanted) {
            best = cost;
            found = (int32_t)n;
        }
    }
    return found;
}

static void match_side(struct place_search *search)
{
    struct compare_model *side = &search->compare->sides[search->side];
    struct compare_model *other = &search->compare->sides[1 - search->side];
    search->left = mem_alloc(((size_t)other->model->node_count + 1) * sizeof *search->left);
    search->left_count = 0;
    for (uint32_t n = 0; n < other->model->node_count; n++)
        if (other->partners[n] < 0)
            search->left[search->left_count++] = n;
    for (uint32_t i = 0; i < side->model->order_count && search->left_count > 0; i++) {
        const uint32_t n = side->model->node_order[i];
        if (!side->is_joint[n] || side->partners[n] >= 0)
            continue;
        const int32_t partner = find_partner(search, n);
        if (partner < 0)
            continue;
        side->partners[n] = partner;
        other->partners[partner] = (int32_t)n;
    }
    free(search->left);
}

void joints_match_places(struct compare *compare)
{
    for (int s = 0; s < COMPARE_SIDES; s++) {
        struct place_search search = {.compare = compare, .side = (enum compare_side)s};
        match_side(&search);
    }
}
