/* compare_rest.c - compares the places of joints at rest. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>

static void tell(struct compare *compare, struct joint_pair *pair, const struct pair_error *error)
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t node = pair->nodes[COMPARE_NEW];
    char name[THING_SIZE];
    pair->is_elsewhere = true;
    struct difference *difference = difference_add(compare, DIFFERENCE_REST);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++)
        difference->nodes[s] = (int32_t)pair->nodes[s];
    difference->distance = error->distance / compare->unit;
    difference->vertex_distance = error->vertex_distance / compare->unit;
    difference->angle_deg = error->angle * 180 / M_PI;
    difference_say(difference, "%s is %.4g units (%.3g %% of the size) elsewhere and turned by %.3g degrees at rest",
                   compare_thing(new, "joint", new->nodes[node].name, node, name), difference->distance,
                   100 * error->distance / compare->size, compare_told_deg(difference->angle_deg));
}

/* Fills errors[pair_count] for the new rest pose and a pose of the old model, its reference. Returns how many joints
 * differ in a way that another bind pose does not explain. */
static uint32_t measure(struct compare *compare, int32_t clip, double time_s, struct pair_error *errors)
{
    const uint32_t count =
        references_measure(compare, (const int32_t[]){clip, POSE_REST}, (const double[]){time_s, 0}, errors);
    return count > 0 && binds_check(compare, errors)
               ? references_measure(compare, (const int32_t[]){clip, POSE_REST}, (const double[]){time_s, 0}, errors)
               : count;
}

/* Tools write the current pose as the rest pose of what clips move: a pose of a clip's first frames, or the bind pose.
 * This is invisible while a clip plays. */
static bool is_another_pose(struct compare *compare, struct pair_error *errors)
{
    enum { CLIPS_LOOKED_AT = 8 };
    const struct model *old = compare->sides[COMPARE_OLD].model;
    if (old->clip_count == 0 || compare->sides[COMPARE_NEW].model->clip_count == 0)
        return false;
    for (uint32_t c = 0; c < old->clip_count && c < CLIPS_LOOKED_AT && !compare_is_stopped(compare); c++) {
        const double times_s[] = {0, old->clips[c].start_s, 1 / 24.0, 1 / 30.0};
        for (size_t i = 0; i < sizeof times_s / sizeof *times_s; i++) {
            reference_set(compare, COMPARE_OLD, (int32_t)c, times_s[i]);
            if (measure(compare, (int32_t)c, times_s[i], errors) == 0)
                return true;
        }
    }
    reference_set(compare, COMPARE_OLD, POSE_REST, 0);
    compare->has_bind_rest = rests_in_bind_pose(compare);
    return compare->has_bind_rest;
}

/* True when the joints of a model rest where they are in its reference. */
static bool rests_in_reference(const struct compare *compare, enum compare_side s)
{
    const struct compare_model *side = &compare->sides[s];
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        const uint32_t node = compare->pairs[i].nodes[s];
        const double *at = side->rest[node].m + 12, *in_clip = side->reference[node].m + 12;
        const double way[3] = {at[0] - in_clip[0], at[1] - in_clip[1], at[2] - in_clip[2]};
        if (!(sqrt(dot3(way, way)) <= compare->tolerance * compare->size))
            return false;
    }
    return true;
}

static bool are_finite(const struct pair_error *errors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(errors[i].distance))
            return false;
    return true;
}

/* True when a tool wrote the first pose of the new model's clip as its rest pose: what differs in it, differs in the
 * clip. */
static bool is_first_pose(const struct compare *compare, const struct pair_error *errors)
{
    return are_finite(errors, compare->pair_count) && compare->has_met && rests_in_reference(compare, COMPARE_NEW) &&
           !rests_in_reference(compare, COMPARE_OLD);
}

static int tell_all(struct compare *compare, const struct pair_error *errors)
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    char name[THING_SIZE];
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        struct joint_pair *pair = &compare->pairs[i];
        const uint32_t node = pair->nodes[COMPARE_NEW];
        pair->is_elsewhere = pair->parent >= 0 && compare->pairs[pair->parent].is_elsewhere;
        if (!isfinite(errors[i].distance))
            return err_set(compare->err, ERR_NOT_FINITE, "the place of %s at rest is not finite",
                           compare_thing(new, "joint", new->nodes[node].name, node, name));
        if (errors[i].score > 1)
            tell(compare, pair, &errors[i]);
    }
    return 0;
}

int rest_compare(struct compare *compare)
{
    struct pair_error *errors = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *errors);
    int rc = 0;
    if (measure(compare, POSE_REST, 0, errors) > 0) {
        const bool is_seen = !is_another_pose(compare, errors);
        struct pair_error *met = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *met);
        if (is_seen)
            measure(compare, POSE_REST, 0, errors);
        if (is_seen || compare->has_bind_rest)
            references_meet(compare, met);
        if (is_seen && !is_first_pose(compare, errors))
            rc = tell_all(compare, errors);
        free(met);
        probes_choose(compare); /* the ref spaces of nodes without a skin have changed */
    }
    if (compare->rebound_count > 0 && compare->counts[DIFFERENCE_PLACEMENT] == 0)
        note_say(compare, "bind_pose",
                 "%u %s bound in another pose, with the same motion unless a difference says otherwise",
                 compare->rebound_count, compare->rebound_count == 1 ? "joint is" : "joints are");
    free(errors);
    return rc;
}
