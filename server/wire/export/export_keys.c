/* export_keys.c - converts key times to glTF's form: ascending floats from 0 on, the last one equal to the clip's
 * length. */
#include "wire/export/export_internal.h"

#include <math.h>

/* --- rounding to floats --- */

static double below(double time_s)
{
    const float rounded = (float)time_s;
    return (double)((double)rounded <= time_s ? rounded : nextafterf(rounded, -INFINITY));
}

/* Rounds ascending times so that they stay ascending. Several times within one float mean that the value jumps: the
 * last of them gets that float, the others get preceding floats. False: some would move too far. */
static bool round_times(double *times, uint32_t count)
{
    enum { STEPS_MOST = 4 };
    double next = (double)INFINITY;
    for (uint32_t k = count; k-- > 0;) {
        const double time_s = times[k], step_s = (double)(nextafterf((float)time_s, INFINITY) - (float)time_s);
        const bool is_jump = k > 0 && (float)times[k - 1] >= (float)time_s;
        double rounded = is_jump ? below(time_s) : (double)(float)time_s;
        if (rounded >= next)
            rounded = (double)nextafterf((float)next, -INFINITY);
        if (rounded < 0 || fabs(rounded - time_s) > STEPS_MOST * step_s)
            return false;
        next = times[k] = rounded;
    }
    return true;
}

/* Moves times up where others took their floats, so that all ascend again. False: the last one is beyond floats. */
static bool push_times(double *times, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        times[k] = fmax((double)(float)times[k], 0);
        if (k > 0 && times[k] <= times[k - 1])
            times[k] = (double)nextafterf((float)times[k - 1], INFINITY);
    }
    return isfinite(times[count - 1]) != 0;
}

static bool refuse_keys(struct export *e, const struct export_clip *clip, const struct channel *channel,
                        const char *why)
{
    char label[EXPORT_LABEL_SIZE], name[SHORT_NAME_SIZE], pointer[PROPERTY_POINTER_SIZE];
    if (channel->path >= PATH_COUNT) {
        export_put_pointer(e, channel, pointer);
        return export_refuse(e, "%s has keys of '%s' %s", export_clip_label(e, clip, label), pointer, why);
    }
    return export_refuse(e, "%s has keys of node %u '%s' %s", export_clip_label(e, clip, label), channel->node,
                         short_name(e->model, e->model->nodes[channel->node].name, name), why);
}

/* No one plays keys before 0, so removing them loses no pose. */
static bool crop(struct export *e, const struct export_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        struct channel channel = export_channels(e, clip)[c];
        if (!(export_times(e, &channel)[0] < 0))
            continue;
        if (e->context->request->export.is_exact)
            return refuse_keys(e, clip, &channel, "before time 0, where glTF has none");
        if (!export_crop_channel(e, &channel))
            return false;
        export_channels(e, clip)[c] = channel;
        count++;
    }
    char label[EXPORT_LABEL_SIZE];
    if (count > 0)
        export_approximate(e, "keys_cropped", 0,
                           "%s has keys before time 0 in %u channels: here they begin with a key of the pose at 0",
                           export_clip_label(e, clip, label), count);
    return true;
}

/* Use of export_shared() for times already rounded to floats, and what it then returns. */
enum { SHARED_FITTED = 1500 };
enum { TIMES_STAY, TIMES_MOVE };

/* Whether some time of the channel differs from the source's. */
static bool is_moved_from(const struct export *e, const struct export_clip *clip, const struct channel *channel)
{
    if (channel->reserved == EXPORT_OF_NOTHING)
        return false;
    const struct channel *from = export_source_channel(clip, channel);
    return from->key_count != channel->key_count ||
           memcmp(export_times(e, channel), clip->source->key_times + from->key_time_first,
                  channel->key_count * sizeof(double)) != 0;
}

/* Sets *is_moved when a time changed. Any number of channels may share their times, which are processed once. */
static bool fit_times(struct export *e, const struct export_clip *clip, bool *is_moved)
{
    *is_moved = false;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *channel = &export_channels(e, clip)[c];
        const void *place = (const void *)(uintptr_t)((uint64_t)channel->key_time_first + 1); /* the arrays may move */
        uint32_t *fitted = export_shared(e, place, channel->key_count, SHARED_FITTED);
        if (fitted == NULL)
            return false;
        if (*fitted == GLB_NONE) {
            double *times = export_times(e, channel);
            if (!round_times(times, channel->key_count) &&
                (e->context->request->export.is_exact || !push_times(times, channel->key_count)))
                return refuse_keys(e, clip, channel, "that are nearer to each other than 32 bit floats can tell");
            *fitted = is_moved_from(e, clip, channel) ? TIMES_MOVE : TIMES_STAY;
        }
        *is_moved = *is_moved || *fitted == TIMES_MOVE;
    }
    return true;
}

/* Rounded times change the pose. If the change is too large, keys take the values that the motion has at their new
 * times. */
static bool check_times(struct export *e, uint32_t index)
{
    const struct export_clip *clip = &e->clips.clips[index];
    struct export_distance distance = {.node = 0};
    if (!clip->is_approximated && !export_measure(e, index, &distance)) /* otherwise measured at the end */
        return false;
    if (!clip->is_approximated && export_share_of_size(e, &distance) <= EXPORT_EXACT)
        return true;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        struct channel channel = export_channels(e, clip)[c];
        if (!export_follow_times(e, clip, &channel))
            return false;
        export_channels(e, clip)[c] = channel;
    }
    if (!clip->is_approximated && !export_measure(e, index, &distance))
        return false;
    if (clip->is_approximated || export_share_of_size(e, &distance) <= EXPORT_EXACT)
        return true;
    char label[EXPORT_LABEL_SIZE], where[EXPORT_DISTANCE_SIZE];
    export_clip_label(e, clip, label);
    export_distance_label(e, &distance, where);
    if (e->context->request->export.is_exact)
        return export_refuse(e, "%s has key times that 32 bit floats are too far from: poses would be off by %s", label,
                             where);
    export_approximate(e, "key_times_rounded", export_share_of_size(e, &distance),
                       "%s has key times that 32 bit floats are far from: poses are off by %s", label, where);
    return true;
}

/* --- length --- */

static const struct channel *cheapest(const struct export *e, const struct export_clip *clip)
{
    const struct channel *channels = export_channels(e, clip), *found = channels;
    for (uint32_t c = 1; c < clip->channel_count; c++)
        if ((uint64_t)channels[c].key_count * channels[c].component_count <
            (uint64_t)found->key_count * found->component_count)
            found = &channels[c];
    return found;
}

/* A glTF clip ends with its last key. A longer clip gets another key, which holds the last value. */
bool export_fit_length(struct export *e, struct export_clip *clip)
{
    const struct channel *channels = export_channels(e, clip);
    const double end_s = (double)(float)clip->duration_s;
    double last_s = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++)
        last_s = fmax(last_s, export_times(e, &channels[c])[channels[c].key_count - 1]);
    if (!(end_s > last_s))
        return true;
    const uint32_t place = (uint32_t)(cheapest(e, clip) - channels);
    const struct channel from = channels[place];
    struct channel made = from;
    const bool is_cubic = from.interpolation == INTERPOLATION_CUBICSPLINE;
    const uint32_t width = from.component_count * (is_cubic ? 3 : 1);
    if (!export_add_keys(e, &made, from.key_count + 1))
        return false;
    double *times = export_times(e, &made);
    float *values = export_values(e, &made);
    memcpy(times, export_times(e, &from), from.key_count * sizeof *times);
    memcpy(values, export_values(e, &from), (size_t)from.key_count * width * sizeof *values);
    times[from.key_count] = end_s;
    float *last = values + (size_t)(from.key_count - 1) * width;
    memcpy(last + width, last, width * sizeof *last);
    if (is_cubic) { /* nothing moves between the two */
        memset(last + 2 * (size_t)from.component_count, 0, from.component_count * sizeof *last);
        memset(last + width, 0, from.component_count * sizeof *last);
        memset(last + width + 2 * (size_t)from.component_count, 0, from.component_count * sizeof *last);
    }
    export_channels(e, clip)[place] = made;
    return true;
}

bool export_fit_clips(struct export *e)
{
    const bool is_sampled = e->sample_rate > 0;
    for (uint32_t i = 0; i < e->clips.count; i++) {
        struct export_clip *clip = &e->clips.clips[i];
        bool is_moved;
        if (is_sampled && !export_sample_clip(e, clip))
            return false;
        if (!crop(e, clip) || !fit_times(e, clip, &is_moved))
            return false;
        if (is_moved && !is_sampled && !check_times(e, i))
            return false;
        if (!export_fit_length(e, clip))
            return false;
    }
    return true;
}
