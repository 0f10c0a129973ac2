/* compare_clips.c - compares clips: matches them, then compares their lengths, ranges and poses. */
#include "anim/compare/compare_internal.h"
#include "anim/pose/appearance.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define SAME_S  1e-4              /* times this close are the same */
#define FRAME_S (1 / 24.0 + 1e-6) /* a tool that resamples may lengthen a clip by this */

/* --- matching --- */

struct clip_matches {
    int32_t *partners[COMPARE_SIDES]; /* [clip_count] */
};

static void match_names(const struct compare *compare, struct clip_matches *matches)
{
    const struct model *models[COMPARE_SIDES] = {compare->sides[COMPARE_OLD].model, compare->sides[COMPARE_NEW].model};
    struct name_entry *entries =
        mem_alloc(((size_t)models[COMPARE_OLD]->clip_count + models[COMPARE_NEW]->clip_count + 1) * sizeof *entries);
    for (int level = NAME_EXACT; level <= NAME_REWRITTEN; level++) {
        size_t count = 0;
        for (uint32_t s = 0; s < COMPARE_SIDES; s++)
            for (uint32_t c = 0; c < models[s]->clip_count; c++) {
                const uint64_t key = name_key(models[s], models[s]->clips[c].name, (enum name_level)level);
                if (matches->partners[s][c] < 0 && key != 0)
                    entries[count++] = (struct name_entry){.key = key, .index = c, .side = s};
            }
        names_match(entries, count, matches->partners);
    }
    free(entries);
}

/* Returns how far both clips differ at a few times, relative to the tolerance; above 1 they are different clips. */
static double differ(struct compare *compare, const int32_t clips[COMPARE_SIDES], struct pair_error *errors)
{
    enum { MOMENTS = 5 };
    const struct clip *old = &compare->sides[COMPARE_OLD].model->clips[clips[COMPARE_OLD]];
    const struct clip *new = &compare->sides[COMPARE_NEW].model->clips[clips[COMPARE_NEW]];
    double most = 0;
    if (fabs(old->duration_s - new->duration_s) > FRAME_S)
        return HUGE_VAL;
    for (int i = 0; i < MOMENTS && most <= 1; i++) {
        const double time_s = old->duration_s * i / (MOMENTS - 1);
        poses_measure(compare, clips, (const double[]){time_s, time_s}, errors);
        for (uint32_t p = 0; p < compare->pair_count; p++)
            most = fmax(most, errors[p].distance / (compare->size * compare->tolerance));
    }
    return most;
}

/* Half of the steps are reserved for the clips that both files have. */
static bool has_time(const struct compare *compare)
{
    return compare->steps_left > compare->options->steps / 2 && !compare_is_stopped(compare);
}

/* Matches clips that are left: with the same poses, they are the same under another name. */
static void match_poses(struct compare *compare, struct clip_matches *matches, struct pair_error *errors)
{
    enum { TRIES_MOST = 1024 };
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    uint32_t *left = mem_alloc(((size_t) new->clip_count + 1) * sizeof *left);
    uint32_t tries = 0, left_count = 0;
    for (uint32_t b = 0; b < new->clip_count; b++)
        if (matches->partners[COMPARE_NEW][b] < 0)
            left[left_count++] = b;
    for (uint32_t a = 0; a < old->clip_count; a++) {
        double best = 1;
        uint32_t found = UINT32_MAX;
        if (matches->partners[COMPARE_OLD][a] >= 0)
            continue;
        for (uint32_t i = 0; i < left_count && tries < TRIES_MOST && has_time(compare); i++, tries++) {
            const double apart = differ(compare, (const int32_t[]){(int32_t)a, (int32_t)left[i]}, errors);
            if (apart < best) {
                best = apart;
                found = i;
            }
        }
        if (found == UINT32_MAX)
            continue;
        matches->partners[COMPARE_OLD][a] = (int32_t)left[found];
        matches->partners[COMPARE_NEW][left[found]] = (int32_t)a;
        left_count--;
        memmove(left + found, left + found + 1, (left_count - found) * sizeof *left);
    }
    free(left);
}

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

/* A tool that resamples moves the ends of a clip by less than a frame, and changes no pose. */
static void tell_range(struct compare *compare, const int32_t clips[COMPARE_SIDES], bool has_same_poses)
{
    const struct clip *old = &compare->sides[COMPARE_OLD].model->clips[clips[COMPARE_OLD]];
    const struct clip *new = &compare->sides[COMPARE_NEW].model->clips[clips[COMPARE_NEW]];
    if (fabs(old->duration_s - new->duration_s) > (has_same_poses ? FRAME_S : SAME_S))
        tell_times(compare, clips, DIFFERENCE_CLIP_LENGTH, old->duration_s, new->duration_s);
    if (fabs(old->start_s - new->start_s) > (has_same_poses ? FRAME_S : SAME_S))
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
        difference, "%s: %s is %.4g units (%.3g %% of the size) and %.3g degrees away at %.6g s",
        compare_thing(new, "clip", new->clips[clips[COMPARE_NEW]].name, (uint32_t)clips[COMPARE_NEW], names[0]),
        compare_thing(new, "joint", new->nodes[node].name, node, names[1]), distance,
        100 * worst->error.distance / compare->size, compare_told_deg(difference->angle_deg), worst->time_s);
}

/* Reports the joints that differ by themselves, or the farthest one where small errors add up along a chain. True:
 * there are none. */
static bool tell_poses(struct compare *compare, const int32_t clips[COMPARE_SIDES], const struct pair_worst *worsts,
                       uint32_t farthest, const struct pair_worst *far)
{
    bool is_same = true;
    for (uint32_t p = 0; p < compare->pair_count; p++) {
        if (!(worsts[p].error.score > 1))
            continue;
        tell_pose(compare, clips, p, &worsts[p]);
        is_same = false;
    }
    if (is_same && compare->pair_count > 0 && far->error.distance > compare->tolerance * compare->size) {
        tell_pose(compare, clips, farthest, far);
        is_same = false;
    }
    return is_same;
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

/* Compares a clip that both files have at all its times. */
static int measure_clip(struct compare *compare, struct compared_clip *clip, const struct compare_times *times,
                        struct pair_error *errors, struct pair_worst *worsts)
{
    struct pair_worst far = {.error = {.distance = -1}};
    uint32_t farthest = 0;
    for (uint32_t p = 0; p < compare->pair_count; p++)
        worsts[p] = (struct pair_worst){.error = {.score = -1}};
    morphs_begin(compare);
    for (uint32_t i = 0; i < times->count; i++) {
        const double time_s = times->at[i];
        if (compare_is_stopped(compare))
            return err_set(compare->err, ERR_REQUEST_TIMEOUT, "the comparison was stopped");
        const double at_s = time_s + times->shift_s;
        poses_measure(compare, clip->clips, (const double[]){at_s, at_s}, errors);
        morphs_measure(compare, time_s);
        for (uint32_t p = 0; p < compare->pair_count; p++) {
            if (!isfinite(errors[p].distance))
                return fail_not_finite(compare, clip->clips[COMPARE_NEW], p, time_s);
            if (errors[p].score > worsts[p].error.score)
                worsts[p] = (struct pair_worst){errors[p], time_s};
            if (errors[p].distance > far.error.distance) {
                far = (struct pair_worst){errors[p], time_s};
                farthest = p;
            }
        }
    }
    if (compare->pair_count > 0 && times->count > 0) {
        for (int s = 0; s < COMPARE_SIDES; s++)
            clip->nodes[s] = (int32_t)compare->pairs[farthest].nodes[s];
        clip->time_s = far.time_s;
        clip->distance = far.error.distance / compare->unit;
        clip->vertex_distance = far.error.vertex_distance / compare->unit;
        clip->angle_deg = far.error.angle * 180 / M_PI;
    }
    const bool has_same_joints = tell_poses(compare, clip->clips, worsts, farthest, &far);
    const bool has_same_morphs = morphs_tell(compare, clip->clips);
    tell_range(compare, clip->clips, has_same_joints && has_same_morphs);
    return 0;
}

static int compare_clip(struct compare *compare, const int32_t clips[COMPARE_SIDES], uint32_t clips_left,
                        struct pair_error *errors, struct pair_worst *worsts)
{
    struct comparison *out = compare->out;
    struct compare_times times;
    struct compared_clip *clip = &out->clips[out->clip_count++];
    *clip = (struct compared_clip){.clips = {clips[COMPARE_OLD], clips[COMPARE_NEW]},
                                   .nodes = {-1, -1},
                                   .time_s = (double)NAN,
                                   .distance = (double)NAN,
                                   .vertex_distance = (double)NAN,
                                   .angle_deg = (double)NAN};
    tell_name(compare, clips);
    compare_times_make(&times, compare, clips, clips_left);
    clip->pose_count = times.count;
    clip->left_out = times.left_out;
    const int rc = measure_clip(compare, clip, &times, errors, worsts);
    compare_times_free(&times);
    return rc;
}

static int compare_matched(struct compare *compare, const struct clip_matches *matches, struct pair_error *errors)
{
    const uint32_t count = compare->sides[COMPARE_NEW].model->clip_count;
    struct pair_worst *worsts = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *worsts);
    uint32_t left = 0;
    int rc = 0;
    for (uint32_t c = 0; c < count; c++)
        left += matches->partners[COMPARE_NEW][c] >= 0;
    compare->out->clips =
        mem_zalloc((left < COMPARED_CLIPS_MOST ? left : COMPARED_CLIPS_MOST) + 1, sizeof *compare->out->clips);
    for (uint32_t c = 0; c < count && rc == 0; c++) {
        const int32_t partner = matches->partners[COMPARE_NEW][c];
        if (partner < 0)
            continue;
        if (compare->out->clip_count == COMPARED_CLIPS_MOST)
            compare->out->clips_left_out++;
        else if (!compare->options->has_clip || compare->options->clip == (int32_t)c)
            rc = compare_clip(compare, (const int32_t[]){partner, (int32_t)c},
                              compare->options->has_clip ? 1 : left - compare->out->clip_count, errors, worsts);
    }
    free(worsts);
    return rc;
}

int clips_compare(struct compare *compare)
{
    const struct compare_options *options = compare->options;
    struct pair_error *errors = mem_alloc(((size_t)compare->pair_count + 1) * sizeof *errors);
    struct clip_matches matches;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const uint32_t count = compare->sides[s].model->clip_count;
        matches.partners[s] = mem_alloc(((size_t)count + 1) * sizeof *matches.partners[s]);
        for (uint32_t c = 0; c < count; c++)
            matches.partners[s][c] = -1;
    }
    match_names(compare, &matches);
    match_poses(compare, &matches, errors);
    for (uint32_t s = 0; s < COMPARE_SIDES; s++)
        for (uint32_t c = 0; c < compare->sides[s].model->clip_count; c++)
            if (matches.partners[s][c] < 0 && (!options->has_clip || (s == COMPARE_NEW && options->clip == (int32_t)c)))
                tell_alone(compare, (enum compare_side)s, c);
    const int rc = compare_matched(compare, &matches, errors);
    for (int s = 0; s < COMPARE_SIDES; s++)
        free(matches.partners[s]);
    free(errors);
    return rc;
}
