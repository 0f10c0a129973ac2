/* compare_clips.c - compares clips: their lengths, ranges and poses. */
#include "anim/compare/compare_internal.h"
#include "anim/pose/appearance.h"
#include "base/mem.h"

#include <stdlib.h>

#define SAME_S 1e-4 /* times this close are the same */

/* --- differences beside poses --- */

static void tell_alone(struct compare *compare, enum compare_side s, uint32_t index)
{
    const struct clip *clip = &compare->sides[s].model->clips[index];
    char name[THING_SIZE];
    uint32_t properties;
    appearance_channels(compare->sides[s].model, index, &properties);
    struct difference *difference =
        clip->channel_count == 0 && properties == 0
            ? NULL /* it moves nothing, and tools drop it */
            : difference_add(compare, s == COMPARE_OLD ? DIFFERENCE_CLIP_REMOVED : DIFFERENCE_CLIP_ADDED);
    if (difference == NULL)
        return;
    difference->clips[s] = (int32_t)index;
    difference_set_name(compare, difference, s, clip->name);
    difference_say(difference, s == COMPARE_OLD ? "%s of %.6g s is gone" : "%s of %.6g s is new",
                   compare_thing(compare->sides[s].model, "clip", clip->name, index, name), clip->duration_s);
}

/* A name that only the new file has does not mean that somebody changed it. */
static void tell_name(struct compare *compare, const int32_t clips[COMPARE_SIDES])
{
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    const struct str was = old->clips[clips[COMPARE_OLD]].name, is = new->clips[clips[COMPARE_NEW]].name;
    const uint64_t key = name_key(old, was, NAME_REWRITTEN);
    char names[COMPARE_SIDES][THING_SIZE];
    struct difference *difference =
        key == 0 || key == name_key(new, is, NAME_REWRITTEN) ? NULL : difference_add(compare, DIFFERENCE_CLIP_RENAMED);
    if (difference == NULL)
        return;
    difference->clips[COMPARE_OLD] = clips[COMPARE_OLD];
    difference->clips[COMPARE_NEW] = clips[COMPARE_NEW];
    difference_set_name(compare, difference, COMPARE_OLD, was);
    difference_set_name(compare, difference, COMPARE_NEW, is);
    difference_say(difference, "%s is now %s",
                   compare_thing(old, "clip", was, (uint32_t)clips[COMPARE_OLD], names[COMPARE_OLD]),
                   compare_thing(new, "clip", is, (uint32_t)clips[COMPARE_NEW], names[COMPARE_NEW]));
}

static void tell_times(struct compare *compare, const int32_t clips[COMPARE_SIDES], enum difference_kind kind,
                       double was_s, double is_s)
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    char name[THING_SIZE];
    struct difference *difference = difference_add(compare, kind);
    if (difference == NULL)
        return;
    difference->clips[COMPARE_OLD] = clips[COMPARE_OLD];
    difference->clips[COMPARE_NEW] = clips[COMPARE_NEW];
    difference_set_number(difference, COMPARE_OLD, was_s);
    difference_set_number(difference, COMPARE_NEW, is_s);
    difference_say(difference,
                   kind == DIFFERENCE_CLIP_LENGTH ? "%s is %.6g s long and was %.6g s"
                                                  : "%s has its first key at %.6g s and had it at %.6g s",
                   compare_thing(new, "clip", new->clips[clips[COMPARE_NEW]].name, (uint32_t)clips[COMPARE_NEW], name),
                   is_s, was_s);
}

/* A tool that resamples moves the ends of a clip by less than a frame, and what is there holds still. */
static void tell_range(struct compare *compare, const int32_t clips[COMPARE_SIDES], enum clip_mapping mapping,
                       bool is_held)
{
    const struct clip *old = &compare->sides[COMPARE_OLD].model->clips[clips[COMPARE_OLD]];
    const struct clip *new = &compare->sides[COMPARE_NEW].model->clips[clips[COMPARE_NEW]];
    const double near_s = mapping == MAPPING_TIME && is_held ? CLIP_FRAME_S : SAME_S;
    const double later_s = new->start_s - old->start_s, longer_s = new->duration_s - old->duration_s;
    const bool is_shifted = mapping == MAPPING_PHASE && fabs(longer_s - later_s) <= SAME_S; /* told once */
    if (fabs(longer_s) > near_s && !is_shifted)
        tell_times(compare, clips, DIFFERENCE_CLIP_LENGTH, old->duration_s, new->duration_s);
    if (fabs(later_s) > near_s)
        tell_times(compare, clips, DIFFERENCE_CLIP_RANGE, old->start_s, new->start_s);
}

/* --- poses --- */

/* The time at which a pair differs most. */
struct pair_worst {
    struct pair_error error;
    double time_s;
};

static void tell_pose(struct compare *compare, const int32_t clips[COMPARE_SIDES], uint32_t pair,
                      const struct pair_worst *worst)
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t node = compare->pairs[pair].nodes[COMPARE_NEW];
    const double distance = worst->error.distance / compare->unit;
    char names[2][THING_SIZE];
    struct difference *difference = difference_add(compare, DIFFERENCE_POSE);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        difference->clips[s] = clips[s];
        difference->nodes[s] = (int32_t)compare->pairs[pair].nodes[s];
    }
    difference->time_s = worst->time_s;
    difference->distance = distance;
    difference->vertex_distance = worst->error.vertex_distance / compare->unit;
    difference->angle_deg = worst->error.angle * 180 / M_PI;
    difference_say(
        difference, "%s: %s is %.4g units (%.3g %% of the size) elsewhere and turned by %.3g degrees at %.6g s",
        compare_thing(new, "clip", new->clips[clips[COMPARE_NEW]].name, (uint32_t)clips[COMPARE_NEW], names[0]),
        compare_thing(new, "joint", new->nodes[node].name, node, names[1]), distance,
        100 * worst->error.distance / compare->size, compare_told_deg(difference->angle_deg), worst->time_s);
}

/* Reports the joints that differ by themselves, or the farthest one where small errors add up along a chain. */
static void tell_poses(struct compare *compare, const int32_t clips[COMPARE_SIDES], const struct pair_worst *worsts,
                       uint32_t farthest, const struct pair_worst *far)
{
    bool is_told = false;
    for (uint32_t p = 0; p < compare->pair_count; p++) {
        if (!(worsts[p].error.score > 1))
            continue;
        tell_pose(compare, clips, p, &worsts[p]);
        is_told = true;
    }
    if (!is_told && compare->pair_count > 0 && far->error.distance > compare->tolerance * compare->size)
        tell_pose(compare, clips, farthest, far);
}

static int fail_not_finite(struct compare *compare, int32_t clip, uint32_t pair, double time_s)
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    char names[2][THING_SIZE];
    const uint32_t node = compare->pairs[pair].nodes[COMPARE_NEW];
    return err_set(compare->err, ERR_NOT_FINITE, "%s at %.9g s: the place of %s is not finite",
                   compare_thing(new, "clip", new->clips[clip].name, (uint32_t)clip, names[0]), time_s,
                   compare_thing(new, "joint", new->nodes[node].name, node, names[1]));
}

/* The poses of a clip under one mapping of times. */
struct clip_run {
    struct pair_worst *worsts; /* [pair_count] */
    struct pair_worst far;     /* the greatest distance, and its pair */
    uint32_t farthest, pose_count, left_out;
    bool is_held; /* what only one of the clips reaches in time, it holds still */
};

static int measure_pose(struct compare *compare, const int32_t clips[COMPARE_SIDES], enum clip_mapping mapping,
                        double time_s, bool is_tail, const struct pair_error *errors, struct clip_run *run)
{
    for (uint32_t p = 0; p < compare->pair_count; p++) {
        if (!isfinite(errors[p].distance))
            return fail_not_finite(compare, clips[COMPARE_NEW], p, time_s);
        if (is_tail) {
            run->is_held = run->is_held && errors[p].score <= 1;
            continue;
        }
        if (errors[p].score > run->worsts[p].error.score)
            run->worsts[p] = (struct pair_worst){errors[p], time_s};
        if (errors[p].distance > run->far.error.distance) {
            run->far = (struct pair_worst){errors[p], time_s};
            run->farthest = p;
        }
    }
    if (!is_tail)
        morphs_measure(compare, mapping, time_s);
    return 0;
}

/* Compares a clip that both files have at all its times. */
static int run_clip(struct compare *compare, const int32_t clips[COMPARE_SIDES], enum clip_mapping mapping,
                    uint32_t clips_left, struct pair_error *errors, struct clip_run *run)
{
    struct compare_times times;
    int rc = 0;
    run->far = (struct pair_worst){.error = {.distance = -1}};
    run->is_held = true;
    for (uint32_t p = 0; p < compare->pair_count; p++)
        run->worsts[p] = (struct pair_worst){.error = {.score = -1}};
    morphs_begin(compare, mapping);
    looks_begin(compare, mapping, clips);
    compare_times_make(&times, compare, clips, mapping, clips_left);
    run->pose_count = times.count;
    run->left_out = times.left_out;
    for (uint32_t i = 0; i < times.count && rc == 0; i++) {
        const double at_s = times.at[i] + times.shift_s;
        if (compare_is_stopped(compare))
            rc = err_set(compare->err, ERR_REQUEST_TIMEOUT, "the comparison was stopped");
        else
            poses_measure(compare, clips, (const double[]){compare_old_time(&times, at_s), at_s}, errors);
        if (rc == 0 && i + times.tail < times.count)
            rc = looks_measure(compare, mapping, clips, (const double[]){compare_old_time(&times, at_s), at_s},
                               times.at[i]);
        if (rc == 0) {
            watched_measure(compare, errors);
            rc = measure_pose(compare, clips, mapping, times.at[i], i + times.tail >= times.count, errors, run);
        }
    }
    compare_times_free(&times);
    return rc;
}

/* Returns how far the poses of a run are off, as a sum over the joints; a joint that is far off counts little more than
 * one that is off. At most 1 where nothing is reported. */
static double run_cost(const struct compare *compare, enum clip_mapping mapping, const struct clip_run *run)
{
    const double far = fmax(run->far.error.distance / (compare->tolerance * compare->size),
                            fmax(morphs_worst(compare, mapping), looks_worst(compare, mapping)));
    double cost = far > 1 ? 1 + log(far) : far;
    for (uint32_t p = 0; p < compare->pair_count; p++)
        if (run->worsts[p].error.score > 1)
            cost += 1 + log(run->worsts[p].error.score);
    return cost;
}

static bool has_other_range(const struct compare *compare, const int32_t clips[COMPARE_SIDES])
{
    const struct clip *old = &compare->sides[COMPARE_OLD].model->clips[clips[COMPARE_OLD]];
    const struct clip *new = &compare->sides[COMPARE_NEW].model->clips[clips[COMPARE_NEW]];
    return fabs(old->duration_s - new->duration_s) > SAME_S || fabs(old->start_s - new->start_s) > SAME_S;
}

static void tell_run(struct compare *compare, struct compared_clip *clip, const struct clip_run *run)
{
    clip->pose_count = run->pose_count;
    clip->left_out = run->left_out;
    if (compare->pair_count > 0 && run->pose_count > 0) {
        for (int s = 0; s < COMPARE_SIDES; s++)
            clip->nodes[s] = (int32_t)compare->pairs[run->farthest].nodes[s];
        clip->time_s = run->far.time_s;
        clip->distance = run->far.error.distance / compare->unit;
        clip->vertex_distance = run->far.error.vertex_distance / compare->unit;
        clip->angle_deg = run->far.error.angle * 180 / M_PI;
    }
    const enum clip_mapping mapping = clip->is_by_phase ? MAPPING_PHASE : MAPPING_TIME;
    tell_poses(compare, clip->clips, run->worsts, run->farthest, &run->far);
    morphs_tell(compare, mapping, clip->clips);
    looks_tell(compare, mapping, clip->clips);
    tell_range(compare, clip->clips, mapping, run->is_held);
}

/* runs: for both mappings. */
static int compare_clip(struct compare *compare, const int32_t clips[COMPARE_SIDES], uint32_t clips_left,
                        struct pair_error *errors, struct clip_run runs[CLIP_MAPPINGS])
{
    struct comparison *out = compare->out;
    struct compared_clip *clip = &out->clips[out->clip_count++];
    *clip = (struct compared_clip){.clips = {clips[COMPARE_OLD], clips[COMPARE_NEW]},
                                   .nodes = {-1, -1},
                                   .time_s = (double)NAN,
                                   .distance = (double)NAN,
                                   .vertex_distance = (double)NAN,
                                   .angle_deg = (double)NAN};
    tell_name(compare, clips);
    if (run_clip(compare, clips, MAPPING_TIME, clips_left, errors, &runs[MAPPING_TIME]) < 0)
        return compare->err->code;
    const double cost = run_cost(compare, MAPPING_TIME, &runs[MAPPING_TIME]);
    if (cost > 1 && has_other_range(compare, clips)) {
        if (run_clip(compare, clips, MAPPING_PHASE, clips_left, errors, &runs[MAPPING_PHASE]) < 0)
            return compare->err->code;
        clip->is_by_phase = run_cost(compare, MAPPING_PHASE, &runs[MAPPING_PHASE]) < cost;
    }
    tell_run(compare, clip, &runs[clip->is_by_phase ? MAPPING_PHASE : MAPPING_TIME]);
    return 0;
}

static int compare_matched(struct compare *compare, int32_t *const partners[COMPARE_SIDES], struct pair_error *errors)
{
    const uint32_t count = compare->sides[COMPARE_NEW].model->clip_count;
    struct clip_run runs[CLIP_MAPPINGS];
    uint32_t left = 0;
    int rc = 0;
    for (int m = 0; m < CLIP_MAPPINGS; m++)
        runs[m].worsts = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *runs[m].worsts);
    for (uint32_t c = 0; c < count; c++)
        left += partners[COMPARE_NEW][c] >= 0;
    compare->out->clips =
        mem_zalloc((left < COMPARED_CLIPS_MOST ? left : COMPARED_CLIPS_MOST) + 1, sizeof *compare->out->clips);
    for (uint32_t c = 0; c < count && rc == 0; c++) {
        const int32_t partner = partners[COMPARE_NEW][c];
        if (partner < 0)
            continue;
        if (compare->out->clip_count == COMPARED_CLIPS_MOST)
            compare->out->clips_left_out++;
        else if (!compare->options->has_clip || compare->options->clip == (int32_t)c)
            rc = compare_clip(compare, (const int32_t[]){partner, (int32_t)c},
                              compare->options->has_clip ? 1 : left - compare->out->clip_count, errors, runs);
    }
    for (int m = 0; m < CLIP_MAPPINGS; m++)
        free(runs[m].worsts);
    return rc;
}

int clips_compare(struct compare *compare)
{
    const struct compare_options *options = compare->options;
    struct pair_error *errors = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *errors);
    int32_t *partners[COMPARE_SIDES];
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const uint32_t count = compare->sides[s].model->clip_count;
        partners[s] = mem_alloc(((size_t)count + 1) * sizeof *partners[s]);
        for (uint32_t c = 0; c < count; c++)
            partners[s][c] = -1;
    }
    clips_match(compare, partners, errors);
    for (uint32_t s = 0; s < COMPARE_SIDES; s++)
        for (uint32_t c = 0; c < compare->sides[s].model->clip_count; c++)
            if (partners[s][c] < 0 && (!options->has_clip || (s == COMPARE_NEW && options->clip == (int32_t)c)))
                tell_alone(compare, (enum compare_side)s, c);
    const int rc = compare_matched(compare, partners, errors);
    for (int s = 0; s < COMPARE_SIDES; s++)
        free(partners[s]);
    free(errors);
    return rc;
}
