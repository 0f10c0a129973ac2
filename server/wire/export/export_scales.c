/* export_scales.c - gives nodes that do not inherit scales by matrix products their channels: the transforms of
 * export_unscale.c, sampled where a clip moves the scales. */
#include "anim/pose/scale_effect.h"
#include "anim/pose/scale_frame.h"
#include "wire/export/export_internal.h"

#include <math.h>
#include <stdlib.h>

/* Which scales of a node a clip moves. */
enum {
    MOVES_OWN = 1,       /* the node's own */
    MOVES_INHERITED = 2, /* what it inherits axis by axis */
};

/* A scale that is sampled: of `node` in the file, for node `of` of the request's model, which is the same or below it.
 */
struct target {
    uint32_t of, node;
};

/* The scales of a clip. */
struct sampler {
    struct export *e;
    const struct model *source; /* plays the clip; its nodes are the request's model's */
    uint32_t clip;
    uint8_t *moves;         /* [own_node_count]: MOVES_ */
    struct target *targets; /* [target_count] */
    uint32_t target_count;
    struct buf times;  /* double */
    struct buf values; /* float: [number of times][target_count][3] */
    bool is_step;      /* all scales jump at keys */
};

/* Between keys, the inverse of a scale and products of scales are not linear. They are sampled at this rate per second,
 * and, where a number is further from its neighbours' mean than NEAR of itself, up to 2^HALVINGS times as often. */
enum { RATE = 60, HALVINGS = 5 };
static const double NEAR = 1e-5;

static void mark_moves(struct sampler *sampler)
{
    const struct model *model = sampler->source;
    const struct clip *clip = &model->clips[sampler->clip];
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *channel = &model->channels[clip->channel_first + c];
        if (channel->path == PATH_SCALE)
            sampler->moves[channel->node] = MOVES_OWN;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const uint32_t flags = model->nodes[n].flags;
        const uint8_t above = model->nodes[n].parent < 0 ? 0 : sampler->moves[model->nodes[n].parent];
        if (((flags & NODE_SCALE_BY_AXIS) != 0 && above != 0) ||
            ((flags & NODE_SCALE_OWN) != 0 && (above & MOVES_INHERITED) != 0))
            sampler->moves[n] |= MOVES_INHERITED;
    }
}

static bool moves_above(const struct sampler *sampler, uint32_t n)
{
    return sampler->moves[sampler->source->nodes[n].parent] != 0;
}

/* Whether the node has its own scale in the file, too, so that the clip's keys of it stay. */
static bool keeps_own(const struct sampler *sampler, uint32_t n)
{
    const struct export *e = sampler->e;
    const float *scale = e->model->nodes[n].scale;
    return e->unscaled[n] != GLB_NONE && (sampler->moves[n] & MOVES_INHERITED) == 0 && scale[0] != 0 && scale[1] != 0 &&
           scale[2] != 0 && memcmp(scale, sampler->source->nodes[n].scale, 3 * sizeof *scale) == 0;
}

/* Whether the clip gets keys of the node's scale. */
static bool moves_own(const struct sampler *sampler, uint32_t n)
{
    const bool is_moved = sampler->moves[n] != 0 || (sampler->e->unscaled[n] == GLB_NONE && moves_above(sampler, n));
    return is_moved && !keeps_own(sampler, n);
}

static void find_targets(struct sampler *sampler)
{
    const struct export *e = sampler->e;
    for (uint32_t n = 0; n < e->own_node_count; n++) {
        if (e->scale_effects[n] == SCALE_EFFECT_NONE)
            continue;
        if (e->unscaled[n] != GLB_NONE && moves_above(sampler, n))
            sampler->targets[sampler->target_count++] = (struct target){n, e->unscaled[n]};
        if (moves_own(sampler, n))
            sampler->targets[sampler->target_count++] = (struct target){n, n};
    }
}

/* --- times and values --- */

/* Lists the key times of all scales of the clip from 0 on, and those of RATE. False: the reply is an error. */
static bool list_times(struct sampler *sampler, struct export_times *out)
{
    const struct clip *clip = &sampler->source->clips[sampler->clip];
    struct channel *scales = calloc((size_t)clip->channel_count + 1, sizeof *scales);
    uint32_t count = 0;
    if (scales == NULL)
        return context_fail_memory(sampler->e->context);
    sampler->is_step = true;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *channel = &sampler->source->channels[clip->channel_first + c];
        if (channel->path != PATH_SCALE)
            continue;
        scales[count++] = *channel;
        sampler->is_step = sampler->is_step && channel->interpolation == INTERPOLATION_STEP;
    }
    const double frames = sampler->is_step ? 0 : ceil(clip->duration_s * RATE);
    const bool is_listed = frames < 1e7 ? export_list_keys(sampler->e, scales, count, sampler->source->key_times, out)
                                        : context_fail_too_large(sampler->e->context);
    free(scales);
    double *grown = is_listed ? realloc(out->times, (out->count + (size_t)frames + 2) * sizeof *grown) : NULL;
    if (grown == NULL)
        return is_listed ? context_fail_memory(sampler->e->context) : false;
    out->times = grown;
    for (size_t f = 0; (double)f < frames || f == 0; f++)
        out->times[out->count++] = (double)f / RATE;
    export_sort_times(out);
    return true;
}

/* Computes the scales at a time: out[target_count][3]. */
static void scales_at(const struct sampler *sampler, double time_s, float *out)
{
    pose_evaluate(&sampler->e->before, sampler->source, (int32_t)sampler->clip, time_s);
    for (uint32_t i = 0; i < sampler->target_count; i++) {
        const struct target *target = &sampler->targets[i];
        double scales[2][3];
        export_scales_of(sampler->e, target->of, scales[0], scales[1]);
        for (size_t c = 0; c < 3; c++)
            out[3 * (size_t)i + c] = (float)scales[target->node == target->of][c];
    }
}

static void put(struct sampler *sampler, double time_s, const float *scales)
{
    buf_put(&sampler->times, &time_s, sizeof time_s);
    buf_put(&sampler->values, scales, 3 * (size_t)sampler->target_count * sizeof *scales);
}

static bool is_linear(const struct sampler *sampler, const float *from, const float *middle, const float *to)
{
    for (size_t i = 0; i < 3 * (size_t)sampler->target_count; i++) {
        const double mean = ((double)from[i] + (double)to[i]) / 2;
        if (!(fabs(mean - (double)middle[i]) <= NEAR * fabs((double)middle[i])))
            return false;
    }
    return true;
}

/* Adds the times between two others that `halvings` allows and that are needed. scratch: as many rows as that. False:
 * the reply is an error. */
static bool put_between(struct sampler *sampler, double from_s, const float *from, double to_s, const float *to,
                        float *scratch, int halvings)
{
    const double middle_s = (from_s + to_s) / 2;
    if (halvings == 0 || !((float)from_s < (float)middle_s && (float)middle_s < (float)to_s))
        return true;
    if (!export_is_affordable(sampler->e, sampler->e->own_node_count))
        return false;
    scales_at(sampler, middle_s, scratch);
    if (is_linear(sampler, from, scratch, to))
        return true;
    float *deeper = scratch + 3 * (size_t)sampler->target_count;
    if (!put_between(sampler, from_s, from, middle_s, scratch, deeper, halvings - 1))
        return false;
    put(sampler, middle_s, scratch);
    return put_between(sampler, middle_s, scratch, to_s, to, deeper, halvings - 1);
}

/* Samples at the times, each float once, and between them. rows: scratch for HALVINGS + 2. False: the reply is an
 * error. */
static bool sample_at(struct sampler *sampler, const struct export_times *times, float *rows)
{
    const size_t width = 3 * (size_t)sampler->target_count;
    float *last = rows, *next = rows + width;
    double last_s = 0;
    bool is_first = true;
    for (size_t i = 0; i < times->count && !buf_failed(sampler->e->out) && !buf_failed(&sampler->values); i++) {
        const double time_s = times->times[i];
        if (!is_first && !((float)time_s > (float)last_s))
            continue;
        scales_at(sampler, time_s, next);
        if (!is_first && !sampler->is_step &&
            !put_between(sampler, last_s, last, time_s, next, rows + 2 * width, HALVINGS))
            return false;
        put(sampler, time_s, next);
        memcpy(last, next, width * sizeof *next);
        last_s = time_s;
        is_first = false;
        context_check_stop(sampler->e->context);
    }
    return !buf_failed(&sampler->values) && !buf_failed(&sampler->times) ? true
                                                                         : context_fail_too_large(sampler->e->context);
}

/* Makes all values of the targets. False: the reply is an error. */
static bool sample(struct sampler *sampler)
{
    struct export *e = sampler->e;
    struct export_times times = {.times = NULL};
    float *rows = malloc((HALVINGS + 2) * 3 * (size_t)sampler->target_count * sizeof *rows);
    bool is_good = rows != NULL ? list_times(sampler, &times) : context_fail_memory(e->context);
    is_good = is_good && export_is_affordable(e, (2 + (uint64_t)times.count) * e->own_node_count) &&
              sample_at(sampler, &times, rows);
    free(rows);
    free(times.times);
    return is_good;
}

/* --- channels --- */

/* Gives the translations of nodes with an added node to that, and removes the scales that are sampled. */
static void change_channels(const struct sampler *sampler, struct export_clip *clip)
{
    struct export *e = sampler->e;
    struct channel *channels = export_channels(e, clip);
    uint32_t kept = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const uint32_t n = channels[c].node;
        if (channels[c].path == PATH_SCALE && e->scale_effects[n] != SCALE_EFFECT_NONE && moves_own(sampler, n))
            continue;
        channels[kept] = channels[c];
        if (channels[c].path == PATH_TRANSLATION && e->unscaled[n] != GLB_NONE)
            channels[kept].node = e->unscaled[n];
        kept++;
    }
    e->clips.channels.size_bytes -= (clip->channel_count - kept) * sizeof *channels;
    clip->channel_count = kept;
}

/* Adds the channel of a target: one key if its value never changes, otherwise *shared_times. */
static bool add_channel(const struct sampler *sampler, struct export_clip *clip, uint32_t target,
                        uint32_t *shared_times)
{
    struct export *e = sampler->e;
    const size_t count = sampler->times.size_bytes / sizeof(double), width = 3 * (size_t)sampler->target_count;
    const float *values = (const float *)(const void *)sampler->values.data + (size_t)3 * target;
    struct channel channel = {.node = sampler->targets[target].node,
                              .path = PATH_SCALE,
                              .interpolation = sampler->is_step ? INTERPOLATION_STEP : INTERPOLATION_LINEAR,
                              .component_count = 3,
                              .reserved = EXPORT_OF_NOTHING};
    size_t equal = 1;
    while (equal < count && memcmp(values, values + equal * width, 3 * sizeof *values) == 0)
        equal++;
    const size_t kept = equal == count ? 1 : count;
    if (kept > UINT32_MAX / 16)
        return context_fail_too_large(e->context);
    if (!export_add_keys(e, &channel, (uint32_t)kept))
        return false;
    if (kept == 1 || *shared_times == GLB_NONE) {
        memcpy(export_times(e, &channel), sampler->times.data, kept * sizeof(double));
        *shared_times = kept == 1 ? *shared_times : channel.key_time_first;
    } else {
        e->clips.times.size_bytes -= kept * sizeof(double);
        channel.key_time_first = *shared_times;
    }
    for (size_t k = 0; k < kept; k++)
        memcpy(export_values(e, &channel) + 3 * k, values + k * width, 3 * sizeof *values);
    buf_put(&e->clips.channels, &channel, sizeof channel);
    clip->channel_count++;
    return !buf_failed(&e->clips.channels) || context_fail_too_large(e->context);
}

static bool put_channels(struct sampler *sampler, struct export_clip *clip)
{
    mark_moves(sampler);
    find_targets(sampler);
    if (sampler->target_count > 0 && !sample(sampler))
        return false;
    change_channels(sampler, clip);
    uint32_t shared_times = GLB_NONE;
    for (uint32_t i = 0; i < sampler->target_count; i++)
        if (!add_channel(sampler, clip, i, &shared_times))
            return false;
    clip->is_approximated = sampler->target_count > 0;
    return true;
}

bool export_put_scales(struct export *e, struct export_clip *clip)
{
    if (e->scale_effects == NULL)
        return true;
    struct sampler sampler = {.e = e, .source = clip->source, .clip = clip->index};
    buf_init(&sampler.times, e->context->limit_bytes);
    buf_init(&sampler.values, e->context->limit_bytes);
    sampler.moves = calloc((size_t)e->own_node_count + 1, sizeof *sampler.moves);
    sampler.targets = calloc(2 * (size_t)e->own_node_count + 1, sizeof *sampler.targets);
    const bool is_good = sampler.moves != NULL && sampler.targets != NULL ? put_channels(&sampler, clip)
                                                                          : context_fail_memory(e->context);
    free(sampler.moves);
    free(sampler.targets);
    buf_fini(&sampler.times);
    buf_fini(&sampler.values);
    return is_good;
}

/* --- the report --- */

static bool report(struct export *e, const char *what, const struct export_distance *distance)
{
    const double share = export_share_of_size(e, distance);
    char where[EXPORT_DISTANCE_SIZE];
    if (share <= EXPORT_EXACT)
        return true;
    export_distance_label(e, distance, where);
    if (e->context->request->export.is_exact)
        return export_refuse(e,
                             "%s has nodes that do not inherit the scales above them as glTF has them: poses would be "
                             "off by %s",
                             what, where);
    export_approximate(e, "scales_approximated", share,
                       "%s has nodes that do not inherit the scales above them as glTF has them: poses are off by %s",
                       what, where);
    return true;
}

bool export_report_scales(struct export *e)
{
    struct export_distance distance;
    char label[EXPORT_LABEL_SIZE];
    if (e->scale_effects == NULL)
        return true;
    export_measure_rest(e, &distance);
    if (!report(e, "the rest pose", &distance))
        return false;
    for (uint32_t i = 0; i < e->clips.count; i++) {
        if (!e->clips.clips[i].is_approximated)
            continue;
        if (!export_measure(e, i, &distance) || !report(e, export_clip_label(e, &e->clips.clips[i], label), &distance))
            return false;
    }
    return true;
}
