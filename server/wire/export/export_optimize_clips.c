/* export_optimize_clips.c - optimize=1: drops keys that others give, and chooses how the rest are stored. */
#include "anim/pose/pose.h"
#include "wire/export/export_optimize.h"
#include "wire/optimize/key_reduction.h"

#include <math.h>
#include <stdlib.h>

/* What is tried for a clip, one after the other, until its poses are near enough: by which share of
 * e->optimizing->units a key may be off, and whether rotations are stored in 16 bits. The last one loses nothing. */
static const struct attempt {
    double share;
    bool has_short_rotations;
} ATTEMPTS[] = {{0.3, true}, {0.15, true}, {0.07, true}, {0.15, false}, {0.05, false}, {0, false}};
enum { ATTEMPT_COUNT = sizeof ATTEMPTS / sizeof *ATTEMPTS };
/* What a joint carries is about this near, as a share of the model's size. Skinned vertices are measured themselves. */
static const double LEVER_SHARE = 0.1;

/* --- one channel --- */

/* Uses of export_shared(): keys of the clip that were reduced or stored before in this attempt. */
enum { SHARED_REDUCED = 3000, SHARED_STORED };

/* Whether the channel has one key, which is the rest pose. */
static bool is_at_rest(const struct export *e, const struct channel *channel, double tolerance)
{
    static const double REPAIRED = 2.5e-7; /* evaluation repairs the rounding of rotations at rest */
    const struct node *node = &e->model->nodes[channel->node];
    const struct trs rest = pose_rest_transform(node);
    const float *values = export_values(e, channel);
    double plus = 0, minus = 0;
    if (channel->key_count > 1 || (e->model->nodes[channel->node].flags & NODE_SHEAR) != 0)
        return false;
    for (uint32_t i = 0; i < channel->component_count; i++) {
        const double own = channel->path == PATH_TRANSLATION ? rest.translation[i]
                           : channel->path == PATH_ROTATION  ? rest.rotation[i]
                           : channel->path == PATH_SCALE     ? rest.scale[i]
                                                             : (double)e->model->weights[node->weight_first + i];
        minus = fmax(minus, fabs((double)values[i] - own));
        plus = fmax(plus, fabs((double)values[i] + own));
    }
    return channel->path == PATH_ROTATION ? 2 * fmin(minus, plus) <= fmax(tolerance, REPAIRED) : minus <= tolerance;
}

/* Copies the kept keys of a channel to a new place. One key needs no tangents. */
static bool keep_keys(struct export *e, struct channel *channel, const uint32_t *kept, uint32_t count)
{
    const struct channel from = *channel;
    const bool is_cubic = from.interpolation == INTERPOLATION_CUBICSPLINE, has_tangents = is_cubic && count > 1;
    const size_t width = from.component_count, from_width = is_cubic ? 3 * width : width,
                 to_width = has_tangents ? 3 * width : width, skipped = is_cubic && !has_tangents ? width : 0;
    if (is_cubic && !has_tangents)
        channel->interpolation = INTERPOLATION_LINEAR;
    if (!export_add_keys(e, channel, count))
        return false;
    const double *times = export_times(e, &from);
    const float *values = export_values(e, &from);
    for (uint32_t k = 0; k < count; k++) {
        export_times(e, channel)[k] = times[kept[k]];
        memcpy(export_values(e, channel) + k * to_width, values + kept[k] * from_width + skipped,
               to_width * sizeof *values);
    }
    return true;
}

/* Replaces a channel by one with fewer keys. */
static bool reduce(struct export *e, struct channel *channel, double tolerance)
{
    enum { LOOKS_PER_STEP = 4, WIDTH = 8 };
    const struct key_curve curve = {.times = export_times(e, channel),
                                    .values = export_values(e, channel),
                                    .count = channel->key_count,
                                    .width = channel->component_count,
                                    .is_rotation = channel->path == PATH_ROTATION,
                                    .is_step = channel->interpolation == INTERPOLATION_STEP,
                                    .is_cubic = channel->interpolation == INTERPOLATION_CUBICSPLINE};
    const uint64_t spent = e->context->workspace->cost.evaluations,
                   limit = e->context->limits->value[LIMIT_EVALUATIONS], cost = 1 + channel->component_count / WIDTH;
    const uint64_t looks_most = spent < limit ? (limit - spent) * LOOKS_PER_STEP / cost : 0;
    uint64_t looks;
    uint32_t *kept = malloc(((size_t)channel->key_count + 1) * sizeof *kept);
    if (kept == NULL)
        return context_fail_memory(e->context);
    const uint32_t count = keys_reduce(&curve, curve.is_step ? 0 : tolerance, looks_most, kept, &looks);
    const bool is_good =
        export_is_affordable(e, looks * cost / LOOKS_PER_STEP + 1) && keep_keys(e, channel, kept, count);
    free(kept);
    return is_good;
}

/* Likewise of channel `c` of a clip. Any number of rotations may share their keys, which are reduced once. */
static bool reduce_shared(struct export *e, const struct export_clip *clip, uint32_t c, struct channel *channel,
                          double tolerance)
{
    struct export_optimizing *optimizing = e->optimizing;
    const struct channel *plain = optimizing->plain_channels + clip->channel_first;
    const void *place = (const void *)(uintptr_t)((uint64_t)channel->value_first + 1); /* the arrays may move */
    uint32_t *first =
        channel->path != PATH_ROTATION ? NULL : export_shared(e, place, channel->key_count, SHARED_REDUCED);
    if (channel->path == PATH_ROTATION && first == NULL)
        return false;
    if (first != NULL && *first != GLB_NONE && plain[*first].key_time_first == plain[c].key_time_first &&
        plain[*first].interpolation == plain[c].interpolation) {
        const struct channel *reduced = &optimizing->reduced[clip->channel_first + *first];
        channel->key_time_first = reduced->key_time_first;
        channel->key_count = reduced->key_count;
        channel->interpolation = reduced->interpolation;
        channel->value_first = reduced->value_first;
        return true;
    }
    if (first != NULL)
        *first = c;
    const bool is_good = reduce(e, channel, tolerance);
    optimizing->reduced[clip->channel_first + c] = *channel;
    return is_good;
}

/* --- one clip --- */

static double first_time(const struct export *e, const struct export_clip *clip, uint32_t channel)
{
    return export_times(e, &export_channels(e, clip)[channel])[0];
}

/* How many channels begin with the clip. One of them has to stay. */
static uint32_t count_first(const struct export *e, const struct export_clip *clip, double *first_s)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const double time_s = first_time(e, clip, c);
        count = c == 0 || time_s < *first_s ? 0 : count;
        *first_s = c == 0 || time_s < *first_s ? time_s : *first_s;
        count += !(time_s > *first_s);
    }
    return count;
}

/* Reduces the clip's channels, which are as at first. */
static bool reduce_clip(struct export *e, struct export_clip *clip, const struct attempt *attempt)
{
    double first_s = 0;
    uint32_t kept = 0, first_count = count_first(e, clip, &first_s);
    export_share_free(&e->share); /* what earlier steps shared is done */
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        struct channel channel = export_channels(e, clip)[c];
        const bool is_first = !(first_time(e, clip, c) > first_s), is_reduced = export_is_reducible(&channel);
        const double units = e->optimizing->units * attempt->share;
        const double tolerance = is_reduced ? export_tolerance_of(e, &channel, export_values(e, &channel), units) : 0;
        if (is_reduced && !reduce_shared(e, clip, c, &channel, tolerance))
            return false;
        if (is_reduced && is_at_rest(e, &channel, tolerance) && !(is_first && first_count == 1)) {
            first_count -= is_first;
            continue;
        }
        export_channels(e, clip)[kept++] = channel;
        context_check_stop(e->context);
        if (buf_failed(e->out))
            return context_fail_too_large(e->context);
    }
    clip->channel_count = kept;
    return export_fit_length(e, clip);
}

/* Chooses how a channel is stored, and fills its values in e->optimizing->decoded, once for all that share them. */
static bool store_channel(struct export *e, const struct channel *channel, const struct attempt *attempt, uint8_t *bits)
{
    enum { ROWS_PER_STEP = 4 };
    const uint32_t rows = export_row_count(channel);
    const void *place = (const void *)(uintptr_t)((uint64_t)channel->value_first + 1);
    uint32_t *stored = export_shared(e, place, rows, SHARED_STORED);
    if (stored == NULL)
        return false;
    if (*stored == GLB_NONE) {
        const double units = e->optimizing->units * attempt->share;
        *stored = export_choose_bits(e, channel, units, attempt->has_short_rotations);
        if (*stored > 0)
            export_decode_values(channel, *stored, (float *)(void *)e->optimizing->decoded.data + channel->value_first);
        *bits = (uint8_t)*stored;
        return export_is_affordable(e, (uint64_t)rows * channel->component_count / 4 / ROWS_PER_STEP);
    }
    *bits = (uint8_t)*stored;
    return true;
}

static bool store_clip(struct export *e, const struct export_clip *clip, const struct attempt *attempt)
{
    struct export_optimizing *optimizing = e->optimizing;
    struct buf *decoded = &optimizing->decoded;
    const size_t before = decoded->size_bytes, more = e->clips.values.size_bytes - before;
    if (more > 0)
        buf_put(decoded, e->clips.values.data + before, more);
    if (buf_failed(decoded))
        return context_fail_memory(e->context);
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const uint32_t place = clip->channel_first + c;
        if (!store_channel(e, &export_channels(e, clip)[c], attempt, &optimizing->key_bits[place]))
            return false;
        context_check_stop(e->context);
        if (buf_failed(e->out))
            return context_fail_too_large(e->context);
    }
    return true;
}

static bool measure(struct export *e, uint32_t index, struct export_distance *out)
{
    enum { LEAST = 16 };
    const struct export_clip *plain = &e->optimizing->plain_clips[index];
    struct clip clips[2];
    const struct model before = export_plain_view(e, &clips[0], index),
                       after = export_decoded_view(e, &clips[1], index);
    const uint64_t steps = 2 * pose_step_count(e->model) + 1;
    const uint64_t most =
        e->context->limits->value[LIMIT_EVALUATIONS] / (12 * ATTEMPT_COUNT) / e->clips.count / steps + LEAST;
    struct export_times times = {.times = NULL};
    bool is_good = export_list_keys(e, before.channels + plain->channel_first,
                                    plain->channel_count - plain->property_count, before.key_times, &times);
    *out = (struct export_distance){.node = 0};
    if (is_good) {
        export_sort_times(&times);
        is_good = export_compare_clips(e, &before, 0, &after, &times, e->size * LEVER_SHARE, most, out);
    }
    free(times.times);
    return is_good;
}

static bool optimize_clip(struct export *e, uint32_t index)
{
    struct export_optimizing *optimizing = e->optimizing;
    struct export_clip *clip = &e->clips.clips[index];
    const size_t times_bytes = e->clips.times.size_bytes, values_bytes = e->clips.values.size_bytes;
    struct export_distance distance = {.units = 0};
    for (int a = optimizing->units > 0 ? 0 : ATTEMPT_COUNT - 1; a < ATTEMPT_COUNT; a++) {
        *clip = optimizing->plain_clips[index];
        memcpy(export_channels(e, clip), optimizing->plain_channels + clip->channel_first,
               clip->channel_count * sizeof(struct channel));
        e->clips.times.size_bytes = times_bytes;
        e->clips.values.size_bytes = values_bytes;
        if (optimizing->decoded.size_bytes > values_bytes)
            optimizing->decoded.size_bytes = values_bytes;
        if (!reduce_clip(e, clip, &ATTEMPTS[a]) || !store_clip(e, clip, &ATTEMPTS[a]) || !measure(e, index, &distance))
            return false;
        if (distance.units <= optimizing->joints_share * optimizing->units)
            break;
    }
    for (uint32_t c = 0; c < optimizing->plain_clips[index].channel_count; c++)
        optimizing->keys += optimizing->plain_channels[clip->channel_first + c].key_count;
    for (uint32_t c = 0; c < clip->channel_count; c++)
        optimizing->kept_keys += export_channels(e, clip)[c].key_count;
    optimizing->still_channels += optimizing->plain_clips[index].channel_count - clip->channel_count;
    if (distance.units > optimizing->worst.units)
        optimizing->worst = distance;
    return true;
}

/* Remembers the clips as they are before. */
static bool keep_plain(struct export *e)
{
    struct export_optimizing *optimizing = e->optimizing;
    const size_t channel_count = e->clips.channels.size_bytes / sizeof(struct channel);
    optimizing->plain_clips = export_array(e, e->clips.count, sizeof *optimizing->plain_clips);
    optimizing->plain_channels = export_array(e, channel_count, sizeof *optimizing->plain_channels);
    optimizing->key_bits = export_array(e, channel_count, sizeof *optimizing->key_bits);
    optimizing->reduced = export_array(e, channel_count, sizeof *optimizing->reduced);
    if (optimizing->plain_clips == NULL || optimizing->plain_channels == NULL || optimizing->key_bits == NULL ||
        optimizing->reduced == NULL)
        return false;
    if (e->clips.count > 0)
        memcpy(optimizing->plain_clips, e->clips.clips, e->clips.count * sizeof *optimizing->plain_clips);
    if (channel_count > 0)
        memcpy(optimizing->plain_channels, e->clips.channels.data, e->clips.channels.size_bytes);
    return true;
}

bool export_optimize_clips(struct export *e)
{
    struct export_optimizing *optimizing = e->optimizing;
    optimizing->keys = optimizing->kept_keys = 0;
    optimizing->still_channels = 0;
    bool is_good = optimizing->plain_clips != NULL || keep_plain(e);
    for (uint32_t i = 0; i < e->clips.count && is_good; i++) {
        is_good = optimize_clip(e, i);
        if (buf_failed(e->out))
            return context_fail_too_large(e->context);
    }
    return is_good;
}

/* --- views --- */

struct model export_plain_view(const struct export *e, struct clip *clip_of_view, uint32_t clip)
{
    struct model view = export_view(e, clip_of_view, clip);
    const struct export_clip *plain = &e->optimizing->plain_clips[clip];
    clip_of_view->channel_count = plain->channel_count - plain->property_count;
    view.channels = e->optimizing->plain_channels;
    return view;
}

struct model export_decoded_view(const struct export *e, struct clip *clip_of_view, uint32_t clip)
{
    struct model view = export_view(e, clip_of_view, clip);
    view.key_values = (const float *)(const void *)e->optimizing->decoded.data;
    return view;
}
