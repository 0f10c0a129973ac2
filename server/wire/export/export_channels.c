/* export_channels.c - the keys of the file's clips. */
#include "wire/export/export_internal.h"

struct channel *export_channels(const struct export *e, const struct export_clip *clip)
{
    void *all = e->clips.channels.data; /* NULL if no clip has any */
    return all == NULL ? NULL : (struct channel *)all + clip->channel_first;
}

const struct channel *export_source_channel(const struct export_clip *clip, const struct channel *channel)
{
    const struct model *source = clip->source;
    return channel->path >= PATH_COUNT
               ? &source->property_channels[channel->reserved].channel
               : &source->channels[source->clips[clip->index].channel_first + channel->reserved];
}

double *export_times(const struct export *e, const struct channel *channel)
{
    return (double *)(void *)e->clips.times.data + channel->key_time_first;
}

float *export_values(const struct export *e, const struct channel *channel)
{
    return (float *)(void *)e->clips.values.data + channel->value_first;
}

const char *export_clip_label(const struct export *e, const struct export_clip *clip, char out[EXPORT_LABEL_SIZE])
{
    char name[SHORT_NAME_SIZE];
    snprintf(out, EXPORT_LABEL_SIZE, "clip %u '%s'", clip->index,
             short_name(clip->source, clip->source->clips[clip->index].name, name));
    if (clip->file > 0) {
        const size_t used = strlen(out);
        snprintf(out + used, EXPORT_LABEL_SIZE - used, " of '%.*s'", SHORT_NAME_SIZE,
                 e->context->request->sources[clip->file - 1].path);
    }
    return out;
}

bool export_add_keys(struct export *e, struct channel *channel, uint32_t key_count)
{
    const uint64_t values =
        (uint64_t)key_count * channel->component_count * (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
    double *times = (double *)(void *)buf_reserve(&e->clips.times, key_count * sizeof *times);
    float *floats = (float *)(void *)buf_reserve(&e->clips.values, values * sizeof *floats);
    if (times == NULL || floats == NULL)
        return context_fail_too_large(e->context);
    channel->key_count = key_count;
    channel->key_time_first = (uint32_t)(e->clips.times.size_bytes / sizeof *times);
    channel->value_first = (uint32_t)(e->clips.values.size_bytes / sizeof *floats);
    buf_advance(&e->clips.times, key_count * sizeof *times);
    buf_advance(&e->clips.values, values * sizeof *floats);
    return true;
}
