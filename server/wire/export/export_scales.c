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

/* The scales of a clip. */
struct sampler {
    struct export *e;
    const struct model *source; /* plays the clip; its nodes are the request's model's */
    uint32_t clip;
    uint8_t *moves; /* [own_node_count]: MOVES_ */
    double *times;  /* [count] */
    size_t count;
    bool is_step;    /* all scales jump at keys */
    uint32_t *nodes; /* [channel_count]: of the added channels the node of the request's model */
    uint32_t channel_first, channel_count;
};

/* Between keys, the inverse of a scale and products of scales are not linear, so they are sampled at this rate per
 * second. */
enum { RATE = 60 };

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

/* Lists the key times of all scales of the clip from 0 on, and the times of RATE, once each. False: the reply is an
 * error. */
static bool list_times(struct sampler *sampler)
{
    const struct clip *clip = &sampler->source->clips[sampler->clip];
    struct export_times all = {.times = NULL};
    struct channel *scales = calloc((size_t)clip->channel_count + 1, sizeof *scales);
    uint32_t count = 0;
    size_t kept = 0;
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
    const bool is_listed = frames < 1e7 ? export_list_keys(sampler->e, scales, count, sampler->source->key_times, &all)
                                        : context_fail_too_large(sampler->e->context);
    free(scales);
    sampler->times = is_listed ? realloc(all.times, (all.count + (size_t)frames + 2) * sizeof *all.times) : NULL;
    if (sampler->times == NULL) {
        free(all.times);
        return is_listed ? context_fail_memory(sampler->e->context) : false;
    }
    all.times = sampler->times;
    for (size_t f = 0; (double)f < frames || f == 0; f++)
        all.times[all.count++] = (double)f / RATE;
    export_sort_times(&all);
    for (size_t i = 0; i < all.count; i++)
        if (kept == 0 || (float)all.times[i] > (float)all.times[kept - 1])
            all.times[kept++] = all.times[i];
    sampler->count = kept;
    return true;
}

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

static bool add_channel(struct sampler *sampler, struct export_clip *clip, uint32_t of, uint32_t node)
{
    struct export *e = sampler->e;
    struct channel channel = {.node = node,
                              .path = PATH_SCALE,
                              .interpolation = sampler->is_step ? INTERPOLATION_STEP : INTERPOLATION_LINEAR,
                              .component_count = 3,
                              .reserved = EXPORT_OF_NOTHING};
    if (sampler->count > UINT32_MAX / 16 || !export_add_keys(e, &channel, (uint32_t)sampler->count))
        return e->context->reply->code != 0 ? false : context_fail_too_large(e->context);
    if (sampler->channel_count > 0) /* all share the times of the first */
        e->clips.times.size_bytes -= sampler->count * sizeof(double);
    else
        memcpy(export_times(e, &channel), sampler->times, sampler->count * sizeof(double));
    const struct channel *first = export_channels(e, clip) + sampler->channel_first;
    channel.key_time_first = sampler->channel_count > 0 ? first->key_time_first : channel.key_time_first;
    buf_put(&e->clips.channels, &channel, sizeof channel);
    sampler->nodes[sampler->channel_count++] = of;
    clip->channel_count++;
    return !buf_failed(&e->clips.channels) || context_fail_too_large(e->context);
}

static bool add_channels(struct sampler *sampler, struct export_clip *clip)
{
    const struct export *e = sampler->e;
    sampler->channel_first = clip->channel_count;
    for (uint32_t n = 0; n < e->own_node_count; n++) {
        if (e->scale_effects[n] == SCALE_EFFECT_NONE)
            continue;
        if (e->unscaled[n] != GLB_NONE && moves_above(sampler, n) && !add_channel(sampler, clip, n, e->unscaled[n]))
            return false;
        if (moves_own(sampler, n) && !add_channel(sampler, clip, n, n))
            return false;
    }
    return true;
}

static void fill(const struct sampler *sampler, const struct export_clip *clip)
{
    struct export *e = sampler->e;
    for (size_t k = 0; k < sampler->count && !buf_failed(e->out); k++) {
        pose_evaluate(&e->before, sampler->source, (int32_t)sampler->clip, sampler->times[k]);
        for (uint32_t c = 0; c < sampler->channel_count; c++) {
            const struct channel *channel = export_channels(e, clip) + sampler->channel_first + c;
            double scales[2][3];
            export_scales_of(e, sampler->nodes[c], scales[0], scales[1]);
            for (size_t i = 0; i < 3; i++)
                export_values(e, channel)[3 * k + i] = (float)scales[channel->node == sampler->nodes[c]][i];
        }
        context_check_stop(e->context);
    }
}

/* Leaves one key of each channel that holds its value. */
static void drop_equal_keys(const struct sampler *sampler, const struct export_clip *clip)
{
    for (uint32_t c = 0; c < sampler->channel_count; c++) {
        struct channel *channel = export_channels(sampler->e, clip) + sampler->channel_first + c;
        const float *values = export_values(sampler->e, channel);
        uint32_t k = 1;
        while (k < channel->key_count && memcmp(values, values + (size_t)3 * k, 3 * sizeof *values) == 0)
            k++;
        channel->key_count = k == channel->key_count ? 1 : channel->key_count;
    }
}

static bool sample(struct sampler *sampler, struct export_clip *clip)
{
    struct export *e = sampler->e;
    mark_moves(sampler);
    if (!list_times(sampler) || !export_is_affordable(e, 2 * (uint64_t)sampler->count * e->own_node_count))
        return false;
    change_channels(sampler, clip);
    if (!add_channels(sampler, clip))
        return false;
    if (sampler->channel_count == 0)
        return true;
    fill(sampler, clip);
    drop_equal_keys(sampler, clip);
    clip->is_approximated = true;
    return true;
}

bool export_put_scales(struct export *e, struct export_clip *clip)
{
    if (e->scale_effects == NULL)
        return true;
    struct sampler sampler = {.e = e, .source = clip->source, .clip = clip->index};
    sampler.moves = calloc((size_t)e->own_node_count + 1, sizeof *sampler.moves);
    sampler.nodes = calloc(2 * (size_t)e->own_node_count + 1, sizeof *sampler.nodes);
    const bool is_good =
        sampler.moves != NULL && sampler.nodes != NULL ? sample(&sampler, clip) : context_fail_memory(e->context);
    free(sampler.moves);
    free(sampler.nodes);
    free(sampler.times);
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
