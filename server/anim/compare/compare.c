#include "anim/compare/compare.h"

#include "anim/compare/compare_internal.h"
#include "anim/pose/bounds.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The most pairs of vertices that are tried as partners, since many may share a place. */
#define LOOKS_MOST 100000000

static void start_side(struct compare_model *side, const struct model *model)
{
    const size_t nodes = (size_t)model->node_count + 1;
    side->model = model;
    pose_init(&side->pose);
    side->is_joint = mem_zalloc(nodes, sizeof *side->is_joint);
    side->main_joints = mem_alloc(((size_t)model->position_count + 1) * sizeof *side->main_joints);
    for (uint32_t v = 0; v < model->position_count; v++)
        side->main_joints[v] = bounds_main_joint(model, v);
    side->partners = mem_alloc(nodes * sizeof *side->partners);
    side->bind_joints = mem_alloc(nodes * sizeof *side->bind_joints);
    side->pairs = mem_alloc(nodes * sizeof *side->pairs);
    side->rest = mem_alloc(nodes * sizeof *side->rest);
    side->reference = side->rest;
    joints_mark(side);
}

static void end_side(struct compare_model *side)
{
    pose_fini(&side->pose);
    free(side->is_joint);
    free(side->main_joints);
    free(side->partners);
    free(side->bind_joints);
    free(side->pairs);
    free(side->rest);
    free(side->other);
}

/* Evaluates both rest poses and one of a clip. */
static int check_cost(const struct model *old, const struct model *new, const struct compare_options *options,
                      struct err *err)
{
    const uint64_t steps = 2 * (pose_step_count(old) + pose_step_count(new));
    if (steps <= options->steps)
        return 0;
    return err_set(err, ERR_TOO_MANY_FRAMES,
                   "two poses of both models take %llu steps, more than one request may ask for (%llu)",
                   (unsigned long long)steps, (unsigned long long)options->steps);
}

static int compare_all(struct compare *compare)
{
    joints_match_names(compare);
    frames_find(compare);
    joints_match_places(compare);
    const size_t pairs = compare->sides[COMPARE_OLD].model->node_count;
    compare->pairs = mem_alloc((pairs + 1) * sizeof *compare->pairs);
    skeletons_compare(compare);
    probes_choose(compare);
    if (compare_is_stopped(compare))
        return err_set(compare->err, ERR_REQUEST_TIMEOUT, "the comparison was stopped");
    if (rest_compare(compare) < 0 || surfaces_compare(compare) < 0)
        return compare->err->code;
    return clips_compare(compare);
}

int compare_models(const struct model *old, const struct model *new, const struct compare_options *options,
                   struct comparison *out, struct err *err)
{
    struct compare compare = {.options = options,
                              .out = out,
                              .tolerance = options->tolerance,
                              .unit = 1,
                              .steps_left = options->steps,
                              .looks_left = LOOKS_MOST,
                              .influences_left = LOOKS_MOST,
                              .err = err};
    *out = (struct comparison){.tolerance = options->tolerance};
    if (check_cost(old, new, options, err) < 0)
        return err->code;
    start_side(&compare.sides[COMPARE_OLD], old);
    start_side(&compare.sides[COMPARE_NEW], new);
    const int rc = compare_all(&compare);
    differences_sort(out);
    free(compare.pairs);
    free(compare.morphs);
    free(compare.watched);
    looks_free(&compare);
    for (int s = 0; s < COMPARE_SIDES; s++)
        end_side(&compare.sides[s]);
    return rc;
}
