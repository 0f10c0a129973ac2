/* export_posed.c - the model of a .posed file whose clips have poses at a rate in place of the keys of the file. */
#include "wire/export/export_internal.h"

#include <math.h>

/* Takes all channels of a clip, and samples them. */
static bool sample_clip(struct export *e, uint32_t index)
{
    const struct clip *from = &e->model->clips[index];
    struct export_clip *clip = &e->clips.clips[e->clips.count++];
    *clip = (struct export_clip){.source = e->model,
                                 .origin = e->model,
                                 .index = index,
                                 .channel_first = (uint32_t)(e->clips.channels.size_bytes / sizeof(struct channel)),
                                 .channel_count = from->channel_count,
                                 .duration_s = from->duration_s};
    for (uint32_t c = 0; c < from->channel_count; c++)
        if (!export_take_channel(e, e->model, &e->model->channels[from->channel_first + c], c))
            return false;
    if (buf_failed(&e->clips.channels) || buf_failed(&e->clips.times) || buf_failed(&e->clips.values))
        return context_fail_too_large(e->context);
    return export_sample_clip(e, clip);
}

static void put_clip(const struct export *e, uint32_t index, struct clip *out)
{
    const struct export_clip *clip = &e->clips.clips[index];
    struct channel *channels = export_channels(e, clip);
    *out = e->model->clips[index];
    out->channel_first = clip->channel_first;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const double first_s = *export_times(e, &channels[c]);
        out->start_s = c == 0 ? first_s : fmin(out->start_s, first_s);
        channels[c].reserved = 0; /* the index of its source so far */
    }
}

bool export_sample_model(struct export *e, struct model *out)
{
    struct err err;
    const struct model *model = e->model;
    struct clip *clips = export_array(e, model->clip_count, sizeof *clips);
    e->clips.clips = export_array(e, model->clip_count, sizeof *e->clips.clips);
    buf_init(&e->clips.channels, e->context->limit_bytes);
    buf_init(&e->clips.times, 2 * e->context->limit_bytes);
    buf_init(&e->clips.values, e->context->limit_bytes);
    if (clips == NULL || e->clips.clips == NULL)
        return false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (!sample_clip(e, i))
            return false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        put_clip(e, i, &clips[i]);
    *out = *model;
    out->clips = clips;
    out->channels = (const struct channel *)(const void *)e->clips.channels.data;
    out->channel_count = (uint32_t)(e->clips.channels.size_bytes / sizeof *out->channels);
    out->key_times = (const double *)(const void *)e->clips.times.data;
    out->key_time_count = (uint32_t)(e->clips.times.size_bytes / sizeof *out->key_times);
    out->key_values = (const float *)(const void *)e->clips.values.data;
    out->key_value_count = (uint32_t)(e->clips.values.size_bytes / sizeof *out->key_values);
    out->compiled_clip_count = out->lane_value_count = 0; /* opening the file compiles the clips */
    err_set(&err, ERR_NOT_FINITE, "'%s' has keys between which a value is not finite", e->context->request->model);
    return floats_are_finite(out->key_values, out->key_value_count) || context_fail(e->context, &err);
}
