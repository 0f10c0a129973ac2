/* compare_rest.c - compares the places of joints at rest. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>

/* Computes the new joint's place at rest relative to the old joint in its reference pose. */
static void moved(const struct compare *compare, const struct joint_pair *pair, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = compare->sides[COMPARE_NEW].rest[pair->nodes[COMPARE_NEW]].m[12 + i] -
                 compare->sides[COMPARE_OLD].reference[pair->nodes[COMPARE_OLD]].m[12 + i];
}

/* For pairs whose ref space is the scene at rest, which only differ in their origins. A joint that moved with the joint
 * above it does not count as different. */
static void measure_origin(const struct compare *compare, const struct joint_pair *pair, struct pair_error *error)
{
    double way[3], above[3] = {0};
    moved(compare, pair, way);
    if (pair->parent >= 0)
        moved(compare, &compare->pairs[pair->parent], above);
    const double own[3] = {way[0] - above[0], way[1] - above[1], way[2] - above[2]};
    *error = (struct pair_error){.distance = sqrt(dot3(way, way)),
                                 .vertex_distance = (double)NAN,
                                 .score = sqrt(dot3(own, own)) / (compare->tolerance * compare->size)};
}

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
    difference_say(difference, "%s is %.4g units (%.3g %% of the size) and %.3g degrees away at rest",
                   compare_thing(new, "joint", new->nodes[node].name, node, name), difference->distance,
                   100 * error->distance / compare->size, compare_told_deg(difference->angle_deg));
}

/* Fills errors[pair_count] for the new rest pose and a pose of the old model, its reference. Returns how many joints
 * differ. */
static uint32_t measure(struct compare *compare, int32_t clip, double time_s, struct pair_error *errors)
{
    uint32_t count = 0;
    poses_measure(compare, (const int32_t[]){clip, POSE_REST}, (const double[]){time_s, 0}, errors);
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        if (!compare->pairs[i].is_bind)
            measure_origin(compare, &compare->pairs[i], &errors[i]);
        count += errors[i].score > 1 || !isfinite(errors[i].distance);
    }
    return count;
}

/* Makes a pose the one with which the new rest pose is compared. */
static void set_reference(struct compare *compare, int32_t clip, double time_s)
{
    struct compare_model *old = &compare->sides[COMPARE_OLD];
    if (old->other == NULL)
        old->other = mem_alloc(((size_t)old->model->node_count + 1) * sizeof *old->other);
    pose_evaluate(&old->pose, old->model, clip, time_s);
    for (uint32_t n = 0; n < old->model->node_count; n++)
        old->other[n] = compare_node_matrix(old, n);
    old->reference = old->other;
}

/* True when every joint is in its bind pose at rest, so that all of them move what they carry in the same way. */
static bool is_bind_pose(const struct compare *compare)
{
    const struct joint_pair *first = NULL;
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        const struct joint_pair *pair = &compare->pairs[i];
        struct pair_error error = {.distance = 0};
        if (!pair->is_bind)
            measure_origin(compare, pair, &error);
        else if (first == NULL)
            first = pair;
        else
            for (uint32_t k = 0; k < pair->probe_count; k++) {
                double a[3], b[3];
                dmat4_point(&pair->common_from_ref[COMPARE_NEW], pair->probes[k], a);
                dmat4_point(&first->common_from_ref[COMPARE_NEW], pair->probes[k], b);
                const double way[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
                error.score = fmax(error.score, sqrt(dot3(way, way)) / (compare->tolerance * compare->size));
            }
        if (!(error.score <= 1))
            return false;
    }
    return first != NULL;
}

/* Tools write the current pose as the rest pose of what clips move: a pose of a clip's first frames, or the bind pose.
 * This is invisible while a clip plays. */
static bool is_another_pose(struct compare *compare, struct pair_error *errors)
{
    enum { CLIPS_LOOKED_AT = 8 };
    const struct model *old = compare->sides[COMPARE_OLD].model;
    if (old->clip_count == 0 || compare->sides[COMPARE_NEW].model->clip_count == 0)
        return false;
    compare->has_bind_rest = is_bind_pose(compare);
    if (compare->has_bind_rest)
        return true;
    for (uint32_t c = 0; c < old->clip_count && c < CLIPS_LOOKED_AT && !compare_is_stopped(compare); c++) {
        const double times_s[] = {0, old->clips[c].start_s, 1 / 24.0, 1 / 30.0};
        for (size_t i = 0; i < sizeof times_s / sizeof *times_s; i++) {
            set_reference(compare, (int32_t)c, times_s[i]);
            if (measure(compare, (int32_t)c, times_s[i], errors) == 0)
                return true;
        }
    }
    compare->sides[COMPARE_OLD].reference = compare->sides[COMPARE_OLD].rest;
    return false;
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
        if (!is_seen) {
            probes_choose(compare); /* the ref spaces of nodes without a skin have changed */
        } else {
            measure(compare, POSE_REST, 0, errors);
            rc = tell_all(compare, errors);
        }
    }
    free(errors);
    return rc;
}
