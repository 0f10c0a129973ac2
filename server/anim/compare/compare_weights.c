/* compare_weights.c - compares the weights with which vertices follow joints. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>

/* Tools keep four influences, drop tiny ones, and round to bytes. The comparison ignores these changes. */
enum { KEPT = 4 };
#define TINY        1e-3F
#define DUST_FACTOR 5 /* of the tolerance: allowed difference of a weight; 1/255 is less than 0.005 */

struct followed {
    int32_t pairs[KEPT];
    double weights[KEPT];
    uint32_t count;
};

/* The differences of one joint. */
struct joint_weights {
    uint32_t count;  /* vertices */
    uint32_t vertex; /* with the greatest difference, in the old list */
    double most, weights[COMPARE_SIDES];
};

static void keep(struct followed *followed, int32_t pair, double weight)
{
    uint32_t at = 0, least = 0;
    while (at < followed->count && followed->pairs[at] != pair)
        at++;
    if (at < followed->count) {
        followed->weights[at] += weight;
        return;
    }
    if (followed->count < KEPT) {
        followed->pairs[followed->count] = pair;
        followed->weights[followed->count++] = weight;
        return;
    }
    for (uint32_t i = 1; i < KEPT; i++)
        least = followed->weights[i] < followed->weights[least] ? i : least;
    if (weight <= followed->weights[least])
        return;
    followed->pairs[least] = pair;
    followed->weights[least] = weight;
}

static struct followed followed_of(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct model *model = drawn->model;
    const uint32_t v = drawn->vertices[at];
    struct followed followed = {.count = 0};
    double sum = 0;
    for (uint32_t i = model->influence_firsts[v]; i < model->influence_firsts[v + 1]; i++)
        if (model->influences[i].weight >= TINY)
            keep(&followed, compare->sides[s].pairs[drawn_joint_node(drawn, at, model->influences[i].joint)],
                 (double)model->influences[i].weight);
    if (followed.count == 0)
        keep(&followed, compare->sides[s].pairs[drawn_joint_node(drawn, at, 0)], 1);
    for (uint32_t i = 0; i < followed.count; i++)
        sum += followed.weights[i];
    for (uint32_t i = 0; i < followed.count; i++)
        followed.weights[i] /= sum;
    return followed;
}

bool compare_takes_influences(struct compare *compare, uint32_t at)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    const uint32_t ats[COMPARE_SIDES] = {at, (uint32_t)drawn[COMPARE_OLD].partners[at]};
    uint64_t count = 0;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const uint32_t *firsts = drawn[s].model->influence_firsts + drawn[s].vertices[ats[s]];
        count += firsts[1] - firsts[0];
    }
    compare->influences_left -= count < compare->influences_left ? count : compare->influences_left;
    return compare->influences_left > 0;
}

static double weight_of(const struct followed *followed, int32_t pair)
{
    for (uint32_t i = 0; i < followed->count; i++)
        if (followed->pairs[i] == pair)
            return followed->weights[i];
    return 0;
}

/* Notes the joint of `of` if its weight differs in the other model. */
static void note(struct joint_weights *joints, const struct followed followed[COMPARE_SIDES], int32_t pair,
                 uint32_t vertex, double near)
{
    const double weights[COMPARE_SIDES] = {weight_of(&followed[COMPARE_OLD], pair),
                                           weight_of(&followed[COMPARE_NEW], pair)};
    const double apart = fabs(weights[COMPARE_OLD] - weights[COMPARE_NEW]);
    if (pair < 0 || !(apart > near))
        return;
    struct joint_weights *joint = &joints[pair];
    joint->count++;
    if (!(apart > joint->most))
        return;
    joint->most = apart;
    joint->vertex = vertex;
    joint->weights[COMPARE_OLD] = weights[COMPARE_OLD];
    joint->weights[COMPARE_NEW] = weights[COMPARE_NEW];
}

static void look_at(const struct compare *compare, uint32_t old, struct joint_weights *joints)
{
    const double near = DUST_FACTOR * compare->tolerance;
    const uint32_t new = (uint32_t)compare->surface->drawn[COMPARE_OLD].partners[old];
    const struct followed followed[COMPARE_SIDES] = {followed_of(compare, COMPARE_OLD, old),
                                                     followed_of(compare, COMPARE_NEW, new)};
    for (uint32_t i = 0; i < followed[COMPARE_OLD].count; i++)
        note(joints, followed, followed[COMPARE_OLD].pairs[i], old, near);
    for (uint32_t i = 0; i < followed[COMPARE_NEW].count; i++)
        if (!(weight_of(&followed[COMPARE_OLD], followed[COMPARE_NEW].pairs[i]) > 0))
            note(joints, followed, followed[COMPARE_NEW].pairs[i], old, near);
}

static void tell(struct compare *compare, uint32_t index, const struct joint_weights *joint)
{
    const struct surface *surface = compare->surface;
    const struct joint_pair *pair = &compare->pairs[index];
    const struct drawn_vertices *drawn = &surface->drawn[COMPARE_OLD];
    const uint32_t ats[COMPARE_SIDES] = {joint->vertex, (uint32_t)drawn->partners[joint->vertex]};
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t node = pair->nodes[COMPARE_NEW];
    char names[2][THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_WEIGHTS);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        difference->nodes[s] = (int32_t)pair->nodes[s];
        difference->meshes[s] = (int32_t)drawn_mesh(&surface->drawn[s], ats[s]);
        difference_set_number(difference, (enum compare_side)s, joint->weights[s]);
    }
    const uint32_t mesh = (uint32_t)difference->meshes[COMPARE_NEW];
    difference_say(
        difference, "%u %s of %s %s %s by another weight, up to %.3g instead of %.3g", joint->count,
        joint->count == 1 ? "vertex" : "vertices", compare_thing(new, "mesh", new->meshes[mesh].name, mesh, names[0]),
        joint->count == 1 ? "follows" : "follow", compare_thing(new, "joint", new->nodes[node].name, node, names[1]),
        joint->weights[COMPARE_NEW], joint->weights[COMPARE_OLD]);
}

void weights_compare(struct compare *compare)
{
    const struct drawn_vertices *old = &compare->surface->drawn[COMPARE_OLD];
    struct joint_weights *joints = mem_zalloc((size_t)compare->pair_count + 1, sizeof *joints);
    for (uint32_t i = 0; i < old->count; i++) {
        if (old->partners[i] >= 0 && compare_takes_influences(compare, i))
            look_at(compare, i, joints);
        else if (old->partners[i] >= 0)
            compare->out->vertices_left_out++;
    }
    for (uint32_t p = 0; p < compare->pair_count; p++)
        if (joints[p].count > 0)
            tell(compare, p, &joints[p]);
    free(joints);
}
