/* clip_splines.c - joins keys of splines to segments of one clip. */
#include "anim/compiled/clip_splines.h"

#include "anim/compiled/clip_turns.h"
#include "anim/compiled/spline_end.h"
#include "anim/pose/sample.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- segments --- */

struct spline {
    const struct channel *channel;
    const double *times;
    double tolerance;
    uint32_t key;              /* the last one at or before the segment's start, or the first */
    struct spline_end start;   /* after the segment's start */
    double stop_s;             /* the latest time at which it was needed; NaN at first */
    uint32_t stop_key;         /* the last key at or before that time, or the first */
    struct spline_end stop[2]; /* on both sides of that time */
};

struct choice {
    struct clip_plan *plan;
    struct spline *splines;
    uint32_t count;
    uint32_t last_bad;    /* tried first, as it is often bad again */
    uint64_t *looks_left; /* at keys */
    uint64_t frame_limit;
    uint32_t capacity;
    double *kinks; /* for each time of the plan: the greatest jump of a slope there, in its spline's tolerances */
};

/* A slope's weight is at most 4/27 of the distance (clip_magnitude.h); a mean is off by half of the difference. */
static const double KINK_WEIGHT = 4.0 / 27 / 2;

/* The difference between a segment and its spline at one key, with the Bezier points beside it. */
static bool is_near_key(const struct spline *spline, const struct spline_end *before, const struct spline_end *after,
                        const struct spline_end *segment, double before_s, double after_s)
{
    const uint32_t n = spline->channel->component_count;
    double most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double off = before->value[i] - segment->value[i];
        const double left = off - (before->slope[i] - segment->slope[i]) * before_s / 3;
        const double right = off + (after->slope[i] - segment->slope[i]) * after_s / 3;
        most = larger_of(most, larger_of(fabs(off), larger_of(fabs(left), fabs(right))));
    }
    return most <= spline->tolerance;
}

/* Returns the last key at or before a time after the segment's start, which is mostly near. */
static uint32_t find_key(const struct spline *spline, double time_s)
{
    enum { NEAR = 4 };
    const uint32_t count = spline->channel->key_count;
    uint32_t key = spline->key;
    while (key + 1 < count && spline->times[key + 1] <= time_s)
        if (++key == spline->key + NEAR)
            return sample_key(spline->times, count, time_s);
    return key;
}

/* Evaluates the spline on both sides of a time after the segment's start. */
static void evaluate_stop(const struct clip_plan *plan, struct spline *spline, double time_s)
{
    if (time_s == spline->stop_s)
        return;
    spline->stop_key = find_key(spline, time_s);
    spline_ends(plan->model, spline->channel, spline->stop_key, time_s, &spline->stop[0], &spline->stop[1]);
    spline->stop_s = time_s;
}

/* True when one cubic from from_s to to_s is near the spline at all times between, and a rotation not near 0. */
static bool is_near(struct choice *choice, struct spline *spline, double from_s, double to_s)
{
    const struct model *model = choice->plan->model;
    const struct channel *channel = spline->channel;
    const double *times = spline->times, distance_s = to_s - from_s;
    const struct spline_end *stop = &spline->stop[0];
    uint32_t k = spline->key + (times[spline->key] <= from_s); /* the first key inside, if there is one */
    *choice->looks_left -= *choice->looks_left > 0;
    if (channel->path != PATH_ROTATION && (k == channel->key_count || times[k] >= to_s))
        return true;
    evaluate_stop(choice->plan, spline, to_s);
    double former_s = from_s;
    for (; k < channel->key_count && times[k] < to_s; k++) {
        struct spline_end before, after, segment;
        const double next_s = k + 1 < channel->key_count && times[k + 1] < to_s ? times[k + 1] : to_s;
        spline_key(model, channel, k, &before, &after);
        spline_between(&spline->start, stop, channel->component_count, (times[k] - from_s) / distance_s, distance_s,
                       &segment);
        *choice->looks_left -= *choice->looks_left > 0;
        if (!is_near_key(spline, &before, &after, &segment, times[k] - former_s, next_s - times[k]))
            return false;
        former_s = times[k];
    }
    return channel->path != PATH_ROTATION || clip_turns_is_good(&spline->start, stop, distance_s);
}

static bool are_near(struct choice *choice, double from_s, double to_s)
{
    if (*choice->looks_left == 0)
        return false;
    if (choice->last_bad < choice->count && !is_near(choice, &choice->splines[choice->last_bad], from_s, to_s))
        return false;
    for (uint32_t i = 0; i < choice->count; i++)
        if (i != choice->last_bad && !is_near(choice, &choice->splines[i], from_s, to_s)) {
            choice->last_bad = i;
            return false;
        }
    return true;
}

/* Returns the jump of a spline's slope at its stop, in tolerances for one second between frames. */
static double kink_of(const struct spline *spline)
{
    double most = 0;
    for (uint32_t i = 0; i < spline->channel->component_count; i++)
        most = larger_of(most, fabs(spline->stop[1].slope[i] - spline->stop[0].slope[i]));
    return most > 0 ? most * KINK_WEIGHT / spline->tolerance : 0;
}

/* Ends the segment so far at a time, where the next one starts. False: there are too many. */
static bool push(struct choice *choice, double time_s)
{
    struct clip_plan *plan = choice->plan;
    if (plan->time_count >= choice->frame_limit)
        return false;
    if (plan->time_count == choice->capacity) {
        choice->capacity = 2 * choice->capacity + 64;
        plan->times = mem_realloc(plan->times, choice->capacity * sizeof *plan->times);
        choice->kinks = mem_realloc(choice->kinks, choice->capacity * sizeof *choice->kinks);
    }
    double kink = 0;
    for (uint32_t i = 0; i < choice->count; i++) {
        struct spline *spline = &choice->splines[i];
        evaluate_stop(plan, spline, time_s);
        spline->key = spline->stop_key;
        spline->start = spline->stop[1];
        kink = larger_of(kink, kink_of(spline));
    }
    choice->kinks[plan->time_count] = kink;
    plan->times[plan->time_count++] = time_s;
    return true;
}

/* No time lies between two neighbouring doubles, where curve_fit.h puts what jumps. */
static bool is_jump(double from_s, double to_s) { return nextafter(from_s, HUGE_VAL) >= to_s; }

/* Pushes the end of a segment without keys inside. Each spline is one cubic there, but a rotation may pass too near 0
 * for the bound of a long segment, and is halved. */
static bool push_next(struct choice *choice, double from_s, double to_s)
{
    enum { HALVINGS_MAX = 5 };
    uint32_t pieces = 1;
    bool is_good = is_jump(from_s, to_s) || are_near(choice, from_s, to_s);
    for (int halvings = 1; halvings <= HALVINGS_MAX && !is_good && *choice->looks_left > 0; halvings++) {
        const double middle_s = from_s + (to_s - from_s) / (1 << halvings);
        pieces = 1u << halvings;
        is_good = middle_s > from_s && are_near(choice, from_s, middle_s);
    }
    for (uint32_t i = 1; i < pieces && is_good; i++) {
        const double last_s = choice->plan->times[choice->plan->time_count - 1];
        const double time_s = from_s + (to_s - from_s) * ((double)i / pieces);
        is_good = time_s > last_s && time_s < to_s && are_near(choice, last_s, time_s) && push(choice, time_s);
    }
    return is_good && push(choice, to_s);
}

/* Returns the last of keys[first + 1 .. limit] to which one segment reaches from keys[first]. */
static uint32_t find_reach(struct choice *choice, const double *keys, uint32_t first, uint32_t limit)
{
    uint32_t good = first + 1, bad = limit + 1;
    for (uint32_t step = 1; good < limit && bad > limit; step *= 2) {
        const uint32_t tried = limit - good < step ? limit : good + step;
        if (are_near(choice, keys[first], keys[tried]))
            good = tried;
        else
            bad = tried;
    }
    while (bad - good > 1 && bad <= limit) {
        const uint32_t tried = good + (bad - good) / 2;
        if (are_near(choice, keys[first], keys[tried]))
            good = tried;
        else
            bad = tried;
    }
    return good;
}

/* `fixed`: the times that must be frames, among the keys. */
static bool choose_times(struct choice *choice, const double *keys, uint32_t key_count, const double *fixed,
                         uint32_t fixed_count)
{
    uint32_t f = 0, i = 0, limit = 0; /* keys[limit]: the next fixed one */
    bool is_good = push(choice, keys[0]);
    while (is_good && i + 1 < key_count && *choice->looks_left > 0) {
        while (f < fixed_count && fixed[f] <= keys[i])
            f++;
        for (limit = limit > i ? limit : i + 1; limit + 1 < key_count; limit++)
            if (f < fixed_count && keys[limit] >= fixed[f])
                break;
        const uint32_t next = is_jump(keys[i], keys[i + 1]) ? i + 1 : find_reach(choice, keys, i, limit);
        is_good = next == i + 1 ? push_next(choice, keys[i], keys[next]) : push(choice, keys[next]);
        i = next;
    }
    return is_good && *choice->looks_left > 0;
}

/* --- sides --- */

void clip_splines_find_sides(struct clip_plan *plan)
{
    const double *times = plan->times;
    const uint32_t count = plan->time_count;
    free(plan->sides);
    plan->sides = mem_alloc(count * sizeof *plan->sides);
    for (uint32_t f = 0; f < count; f++) {
        const bool begins = f == 0 || is_jump(times[f - 1], times[f]),
                   ends = f + 1 == count || is_jump(times[f], times[f + 1]);
        plan->sides[f] = begins ? FRAME_RIGHT : ends ? FRAME_LEFT : FRAME_BOTH;
    }
}

/* Gives frames with kinks a second one, and each its sides. False: there are too many. */
static bool choose_sides(struct choice *choice)
{
    struct clip_plan *plan = choice->plan;
    const uint32_t count = plan->time_count;
    double *times = mem_alloc(2 * (size_t)count * sizeof *times);
    uint32_t out = 0;
    for (uint32_t f = 0; f < count; f++) {
        const double time_s = plan->times[f];
        const bool is_first = f == 0 || is_jump(plan->times[f - 1], time_s);
        const bool is_last = f + 1 == count || is_jump(time_s, plan->times[f + 1]);
        const double longest_s =
            is_first || is_last ? 0 : fmax(time_s - plan->times[f - 1], plan->times[f + 1] - time_s);
        times[out++] = time_s;
        if (longest_s > 0 && !(choice->kinks[f] * longest_s <= 1)) /* its mean would show */
            times[out++] = time_s;
    }
    free(plan->times);
    plan->times = times;
    plan->time_count = out;
    clip_splines_find_sides(plan);
    return out <= choice->frame_limit;
}

/* --- all --- */

/* Returns the longest of the three columns of a matrix' 3x3 part. */
static double norm_of(const struct dmat4 *matrix)
{
    double most = 0;
    for (int c = 0; c < 3; c++) {
        const double *column = matrix->m + 4 * c;
        most = fmax(most, sqrt(column[0] * column[0] + column[1] * column[1] + column[2] * column[2]));
    }
    return most;
}

/* The greatest scale of a channel. */
static double largest_of(const struct model *model, const struct channel *channel)
{
    const float *values = model->key_values + channel->value_first;
    double most = 0;
    for (uint32_t k = 0; k < channel->key_count; k++)
        for (uint32_t i = 0; i < 3; i++)
            most = fmax(most, fabs((double)values[9 * (size_t)k + 3 + i]));
    return most;
}

static void add_splines(struct choice *choice, double tolerance, double size)
{
    const struct clip_plan *plan = choice->plan;
    const struct model *model = plan->model;
    double *norms = mem_alloc(model->rig_node_count * sizeof *norms);
    choice->splines = mem_alloc(3 * (size_t)model->rig_node_count * sizeof *choice->splines);
    for (uint32_t i = 0; i < model->rig_node_count; i++) {
        const struct dmat4 local = pose_parent_from_node(&plan->pose, model, model->rig_nodes[i].node);
        const double above = model->rig_nodes[i].parent < 0 ? 1 : norms[model->rig_nodes[i].parent];
        norms[i] = above * norm_of(&local);
        for (int path = 0; path < 3; path++) {
            if ((plan->motions[i] & MOTION_CUBIC << path) == 0)
                continue;
            const struct channel *channel = &model->channels[plan->channels[i][path]];
            const double unit = path == PATH_ROTATION      ? 1
                                : path == PATH_TRANSLATION ? size / fmax(above, 1e-30)
                                                           : largest_of(model, channel);
            choice->splines[choice->count++] = (struct spline){
                .channel = channel,
                .times = model->key_times + channel->key_time_first,
                .tolerance = tolerance * unit,
                .stop_s = (double)NAN,
            };
        }
    }
    free(norms);
}

bool clip_splines_choose(struct clip_plan *plan, double tolerance, double size, uint64_t frame_limit,
                         uint64_t *looks_left)
{
    struct choice choice = {.plan = plan, .last_bad = UINT32_MAX, .looks_left = looks_left, .frame_limit = frame_limit};
    double *keys, *fixed;
    const uint32_t key_count = clip_plan_times(plan, true, &keys);
    const uint32_t fixed_count = clip_plan_times(plan, false, &fixed);
    add_splines(&choice, tolerance, size);
    plan->time_count = 0;
    const bool is_chosen = choose_times(&choice, keys, key_count, fixed, fixed_count) && choose_sides(&choice);
    free(keys);
    free(fixed);
    free(choice.splines);
    free(choice.kinks);
    return is_chosen;
}
