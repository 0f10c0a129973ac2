/* clip_plan.c - classifies channels and merges their key times. */
#include "anim/compiled/clip_plan.h"

#include "anim/compiled/clip_splines.h"
#include "base/mem.h"
#include "anim/pose/scale_effect.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const struct channel *channel, const float *a, const float *b)
{
    bool is_equal = true, is_opposite = channel->path == PATH_ROTATION; /* q and -q are the same rotation */
    for (uint32_t i = 0; i < channel->component_count; i++) {
        is_equal = is_equal && a[i] == b[i];
        is_opposite = is_opposite && a[i] == -b[i];
    }
    return is_equal || is_opposite;
}

static bool is_zero(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* True when the channel has the same value at all times. */
static bool is_still(const struct model *model, const struct channel *channel)
{
    const uint32_t n = channel->component_count;
    const bool is_cubic = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    const size_t stride = is_cubic ? 3 * (size_t)n : n;
    const float *values = model->key_values + channel->value_first;
    if (channel->key_count == 1)
        return true;
    for (uint32_t k = 0; k < channel->key_count; k++, values += stride) {
        if (is_cubic && (!is_zero(values, n) || !is_zero(values + 2 * n, n)))
            return false;
        if (k > 0 && !is_same(channel, values + (is_cubic ? n : 0), values + (is_cubic ? n : 0) - stride))
            return false;
        /* A spline passes through the values between q and -q. */
        if (k > 0 && is_cubic && memcmp(values + n, values + n - stride, n * sizeof *values) != 0)
            return false;
    }
    return true;
}

static void classify(struct clip_plan *plan, const uint32_t *rig_of_node)
{
    const struct model *model = plan->model;
    const struct clip *clip = &model->clips[plan->clip];
    for (uint32_t i = 0; i < model->rig_node_count; i++)
        for (int path = 0; path < 3; path++)
            plan->channels[i][path] = -1;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const struct channel *channel = &model->channels[clip->channel_first + i];
        const uint32_t rig_node = rig_of_node[channel->node];
        if (rig_node == UINT32_MAX || !path_is_transform(channel->path))
            continue;
        plan->channels[rig_node][channel->path] = (int32_t)(clip->channel_first + i);
        if (is_still(model, channel))
            continue;
        static const unsigned BITS[] = {
            [INTERPOLATION_LINEAR] = MOTION_MOVES,
            [INTERPOLATION_STEP] = MOTION_MOVES | MOTION_HOLDS,
            [INTERPOLATION_CUBICSPLINE] = MOTION_MOVES | MOTION_CUBIC,
        };
        const bool is_cubic = channel->interpolation == INTERPOLATION_CUBICSPLINE;
        const unsigned bits = BITS[channel->interpolation] << channel->path;
        plan->motions[rig_node] = (uint16_t)(plan->motions[rig_node] | bits);
        plan->has_splines = plan->has_splines || is_cubic;
        plan->key_floats += (uint64_t)channel->key_count * channel->component_count * (is_cubic ? 3 : 1);
        plan->moving_floats += channel->component_count * (is_cubic ? 2u : 1u);
    }
}

/* --- times --- */

/* A growing list of times. */
struct times {
    double *times;
    uint32_t count;
    size_t capacity;
};

static int compare_times(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Sorts the times and removes duplicates. */
static void unite(struct times *of)
{
    uint32_t kept = 0;
    if (of->count > 0)
        qsort(of->times, of->count, sizeof *of->times, compare_times);
    for (uint32_t i = 0; i < of->count; i++)
        if (kept == 0 || of->times[i] > of->times[kept - 1])
            of->times[kept++] = of->times[i];
    of->count = kept;
}

/* Adds a channel's times, unless it shares those of the channel before, as most do. */
static void add_times(struct times *of, const struct model *model, const struct channel *channel,
                      const struct channel *before)
{
    const double *times = model->key_times + channel->key_time_first;
    const size_t size_bytes = channel->key_count * sizeof *times;
    if (before != NULL && before->key_count == channel->key_count &&
        memcmp(times, model->key_times + before->key_time_first, size_bytes) == 0)
        return;
    if ((size_t)of->count + channel->key_count > of->capacity) {
        unite(of); /* so that memory follows the size of the union, not of the sum */
        of->capacity = 2 * ((size_t)of->count + channel->key_count);
        of->times = mem_realloc(of->times, of->capacity * sizeof *of->times);
    }
    memcpy(of->times + of->count, times, size_bytes);
    of->count += channel->key_count;
}

uint32_t clip_plan_times(const struct clip_plan *plan, bool has_splines, double **times)
{
    const struct channel *before = NULL;
    struct times of = {0};
    for (uint32_t i = 0; i < plan->model->rig_node_count; i++)
        for (int path = 0; path < 3; path++) {
            const unsigned motions = (unsigned)plan->motions[i] >> path;
            if ((motions & MOTION_MOVES) == 0 || (!has_splines && (motions & MOTION_CUBIC) != 0))
                continue;
            const struct channel *channel = &plan->model->channels[plan->channels[i][path]];
            add_times(&of, plan->model, channel, before);
            before = channel;
        }
    unite(&of);
    *times = of.times;
    return of.count;
}

static void collect_times(struct clip_plan *plan)
{
    plan->time_count = clip_plan_times(plan, true, &plan->times);
    if (plan->time_count == 0) {
        plan->times = mem_realloc(plan->times, sizeof *plan->times);
        plan->times[plan->time_count++] = plan->model->clips[plan->clip].start_s;
    }
}

bool clip_plan_is_plain(const struct model *model, int32_t clip)
{
    if ((model->infos[0].flags & MODEL_OWN_SCALES) == 0)
        return true;
    uint8_t *has_effect = mem_alloc(model->node_count);
    bool is_plain = true;
    scale_effect_find(model, clip, has_effect);
    for (uint32_t i = 0; i < model->rig_node_count && is_plain; i++)
        is_plain = has_effect[model->rig_nodes[i].node] == 0;
    free(has_effect);
    return is_plain;
}

/* Without times. */
static void start(struct clip_plan *plan, const struct model *model, const uint32_t *rig_of_node, uint32_t clip)
{
    *plan = (struct clip_plan){
        .model = model,
        .clip = clip,
        .channels = mem_alloc((size_t)model->rig_node_count * sizeof *plan->channels),
        .motions = mem_zalloc(model->rig_node_count, sizeof *plan->motions),
    };
    classify(plan, rig_of_node);
    pose_init(&plan->pose);
}

void clip_plan_init(struct clip_plan *plan, const struct model *model, const uint32_t *rig_of_node, uint32_t clip)
{
    start(plan, model, rig_of_node, clip);
    collect_times(plan);
    pose_sample(&plan->pose, model, (int32_t)clip, plan->times[0]);
}

void clip_plan_init_at(struct clip_plan *plan, const struct model *model, const uint32_t *rig_of_node, uint32_t clip,
                       const double *times, uint32_t time_count)
{
    start(plan, model, rig_of_node, clip);
    plan->times = mem_alloc(time_count * sizeof *plan->times);
    plan->time_count = time_count;
    memcpy(plan->times, times, time_count * sizeof *plan->times);
    if (plan->has_splines)
        clip_splines_find_sides(plan);
    pose_sample(&plan->pose, model, (int32_t)clip, plan->times[0]);
}

void clip_plan_fini(struct clip_plan *plan)
{
    pose_fini(&plan->pose);
    free(plan->channels);
    free(plan->motions);
    free(plan->times);
    free(plan->sides);
}
