/* export_keys.c - key times as glTF has them: floats from 0 on that rise, the last one the clip's length. */
#include "wire/export/export_parts.h"

#include <math.h>

static struct channel *channels_of(const struct export *e, const struct export_clip *clip)
{
    return (struct channel *)(void *)e->clips.channels.data + clip->channel_first;
}

static double *times_of(const struct export *e, const struct channel *channel)
{
    return (double *)(void *)e->clips.times.data + channel->key_time_first;
}

/* "clip 2 'walk'", for messages. */
static const char *clip_label(const struct export_clip *clip, char out[EXPORT_LABEL_SIZE])
{
    char name[SHORT_NAME_SIZE];
    snprintf(out, EXPORT_LABEL_SIZE, "clip %u '%s'", clip->index,
             short_name(clip->source, clip->source->clips[clip->index].name, name));
    return out;
}

/* --- times that are floats --- */

static double below(double time_s)
{
    const float rounded = (float)time_s;
    return (double)((double)rounded <= time_s ? rounded : nextafterf(rounded, -INFINITY));
}

/* Rounds rising times so that they still rise: where several are within one float the values jump, and the floats
 * before the last of them stand for the others. False: some would have to go too far. */
static bool round_times(double *times, uint32_t count)
{
    enum { STEPS_MOST = 4 };
    double next = INFINITY;
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

static bool fit_times(struct export *e, const struct export_clip *clip, const struct channel *channel)
{
    char label[EXPORT_LABEL_SIZE], name[SHORT_NAME_SIZE];
    double *times = times_of(e, channel);
    const char *node = short_name(e->model, e->model->nodes[channel->node].name, name);
    if (times[0] < 0)
        return export_refuse(e, "%s has a key at %.9g s for node %u '%s'; glTF has none before 0",
                             clip_label(clip, label), times[0], channel->node, node);
    if (!round_times(times, channel->key_count))
        return export_refuse(e,
                             "%s has keys for node %u '%s' that are nearer to each other than 32 bit floats can tell",
                             clip_label(clip, label), channel->node, node);
    return true;
}

/* --- length --- */

static const struct channel *cheapest(const struct export *e, const struct export_clip *clip)
{
    const struct channel *channels = channels_of(e, clip), *found = channels;
    for (uint32_t c = 1; c < clip->channel_count; c++)
        if ((uint64_t)channels[c].key_count * channels[c].component_count <
            (uint64_t)found->key_count * found->component_count)
            found = &channels[c];
    return found;
}

/* A clip of glTF ends with its last key: one that lasts longer gets one more, which holds the last value. */
static void fit_length(struct export *e, struct export_clip *clip)
{
    const struct channel *channels = channels_of(e, clip);
    const double end_s = (double)(float)clip->duration_s;
    double last_s = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++)
        last_s = fmax(last_s, times_of(e, &channels[c])[channels[c].key_count - 1]);
    if (!(end_s > last_s))
        return;
    const uint32_t place = (uint32_t)(cheapest(e, clip) - channels);
    const struct channel from = channels[place];
    struct channel made = from;
    const bool is_cubic = from.interpolation == INTERPOLATION_CUBICSPLINE;
    const uint32_t width = from.component_count * (is_cubic ? 3 : 1);
    made.key_time_first = (uint32_t)(e->clips.times.size_bytes / sizeof(double));
    made.value_first = (uint32_t)(e->clips.values.size_bytes / sizeof(float));
    made.key_count++;
    double *times = (double *)(void *)buf_reserve(&e->clips.times, made.key_count * sizeof *times);
    float *values = (float *)(void *)buf_reserve(&e->clips.values, (size_t)made.key_count * width * sizeof *values);
    if (times == NULL || values == NULL)
        return;
    memcpy(times, times_of(e, &from), from.key_count * sizeof *times);
    memcpy(values, (const float *)(const void *)e->clips.values.data + from.value_first,
           (size_t)from.key_count * width * sizeof *values);
    times[from.key_count] = end_s;
    float *last = values + (size_t)(from.key_count - 1) * width;
    memcpy(last + width, last, width * sizeof *last);
    if (is_cubic) { /* between the two nothing moves */
        memset(last + 2 * (size_t)from.component_count, 0, from.component_count * sizeof *last);
        memset(last + width, 0, from.component_count * sizeof *last);
        memset(last + width + 2 * (size_t)from.component_count, 0, from.component_count * sizeof *last);
    }
    buf_advance(&e->clips.times, made.key_count * sizeof *times);
    buf_advance(&e->clips.values, (size_t)made.key_count * width * sizeof *values);
    channels_of(e, clip)[place] = made;
}

bool export_fit_clips(struct export *e)
{
    for (uint32_t i = 0; i < e->clips.count; i++) {
        struct export_clip *clip = &e->clips.clips[i];
        for (uint32_t c = 0; c < clip->channel_count; c++)
            if (!fit_times(e, clip, &channels_of(e, clip)[c]))
                return false;
        fit_length(e, clip);
    }
    return true;
}
