/* compare_references.c - finds a pose of each model in which both look alike: the rest pose, or one of a clip. What has
 * no bind space in common is compared by its motion from there. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>

#define PLACES_MAJORITY 0.9 /* share of the joints that must be at the same place in the reference poses */

void reference_set(struct compare *compare, enum compare_side s, int32_t clip, double time_s)
{
    struct compare_model *side = &compare->sides[s];
    if (clip == POSE_REST) {
        side->reference = side->rest;
        return;
    }
    if (side->other == NULL)
        side->other = mem_alloc(((size_t)side->model->node_count + 1) * sizeof *side->other);
    pose_evaluate(&side->pose, side->model, clip, time_s);
    for (uint32_t n = 0; n < side->model->node_count; n++)
        side->other[n] = compare_node_matrix(side, n);
    side->reference = side->other;
}

/* Computes the new joint's place relative to the old joint, in the reference poses. */
static void moved(const struct compare *compare, const struct joint_pair *pair, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = compare->sides[COMPARE_NEW].reference[pair->nodes[COMPARE_NEW]].m[12 + i] -
                 compare->sides[COMPARE_OLD].reference[pair->nodes[COMPARE_OLD]].m[12 + i];
}

struct pair_error origins_compare(const struct compare *compare, const struct joint_pair *pair)
{
    double way[3], above[3] = {0};
    moved(compare, pair, way);
    if (pair->parent >= 0)
        moved(compare, &compare->pairs[pair->parent], above);
    const double own[3] = {way[0] - above[0], way[1] - above[1], way[2] - above[2]};
    return (struct pair_error){.distance = sqrt(dot3(way, way)),
                               .vertex_distance = (double)NAN,
                               .score = fmin(sqrt(dot3(own, own)), sqrt(dot3(way, way))) /
                                        (compare->tolerance * compare->size)};
}

uint32_t references_measure(struct compare *compare, const int32_t clips[COMPARE_SIDES],
                            const double times_s[COMPARE_SIDES], struct pair_error *errors)
{
    uint32_t count = 0;
    poses_measure(compare, clips, times_s, errors);
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        if (!compare->pairs[i].is_bind)
            errors[i] = origins_compare(compare, &compare->pairs[i]);
        count += errors[i].score > 1 || !isfinite(errors[i].distance);
    }
    return count;
}

/* --- meeting in a clip --- */

/* True when most joints are at the same places in the reference poses. */
static bool are_at_same_places(const struct compare *compare)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < compare->pair_count; i++)
        count += origins_compare(compare, &compare->pairs[i]).distance <= compare->tolerance * compare->size;
    return count >= PLACES_MAJORITY * compare->pair_count;
}

/* Ends the use of bind space where it differs for most joints, which are then bound in another pose. Where it differs
 * for a few, these move otherwise. */
static void check_binds(struct compare *compare, const struct pair_error *errors)
{
    uint32_t skinned = 0, same = 0;
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        const struct joint_pair *pair = &compare->pairs[i];
        skinned += compare->sides[COMPARE_OLD].bind_joints[pair->nodes[COMPARE_OLD]] >= 0 &&
                   compare->sides[COMPARE_NEW].bind_joints[pair->nodes[COMPARE_NEW]] >= 0;
        same += pair->is_bind && errors[i].score <= 1;
    }
    for (uint32_t i = 0; i < compare->pair_count && 2 * same < skinned; i++) {
        compare->rebound_count += !compare->pairs[i].is_rebound;
        compare->pairs[i].is_rebound = true;
    }
}

void references_meet(struct compare *compare, struct pair_error *errors)
{
    enum { CLIPS_LOOKED_AT = 8 };
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    int32_t *partners[COMPARE_SIDES];
    bool is_found = false;
    clips_match_names(compare, partners);
    for (uint32_t c = 0, looked = 0; c < old->clip_count && looked < CLIPS_LOOKED_AT && !is_found; c++) {
        const int32_t partner = partners[COMPARE_OLD][c];
        if (partner < 0 || compare_is_stopped(compare))
            continue;
        const int32_t clips[COMPARE_SIDES] = {(int32_t)c, partner};
        const double times_s[COMPARE_SIDES] = {old->clips[c].start_s, new->clips[partner].start_s};
        looked++;
        for (int s = 0; s < COMPARE_SIDES; s++)
            reference_set(compare, (enum compare_side)s, clips[s], times_s[s]);
        is_found = are_at_same_places(compare);
        if (is_found) {
            references_measure(compare, clips, times_s, errors);
            check_binds(compare, errors);
        }
    }
    compare->has_met = is_found;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        if (!is_found)
            reference_set(compare, (enum compare_side)s, POSE_REST, 0);
        free(partners[s]);
    }
}
