/* track.c - a track as a channel of the model. */
#include "import/curve/track.h"

#include <stdlib.h>
#include <string.h>

void track_fini(struct track *track)
{
    free(track->times_s);
    free(track->values);
    *track = (struct track){0};
}

int track_put(const struct track *track, struct import *import, uint32_t node, uint32_t path, struct err *err)
{
    struct bake_builder *builder = import->builder;
    const uint64_t values = (uint64_t)track->count * track->components * (track->is_cubic ? 3 : 1);
    if (builder->key_value_count + values > import->limits->value[LIMIT_KEYS])
        return err_set(err, ERR_MODEL_LIMIT, "the clips have more key values than %s",
                       LIMIT_TEXT(import->limits, LIMIT_KEYS));
    struct channel added = {
        .node = node,
        .path = path,
        .interpolation = track->is_cubic  ? INTERPOLATION_CUBICSPLINE
                         : track->is_step ? INTERPOLATION_STEP
                                          : INTERPOLATION_LINEAR,
        .component_count = track->components,
        .key_count = track->count,
        .key_time_first = builder->key_time_count,
        .value_first = builder->key_value_count,
    };
    /* Most channels have the same times as the previous channel and share its array. */
    const struct channel *last = builder->channel_count > 0 ? &builder->channels[builder->channel_count - 1] : NULL;
    if (last != NULL && last->key_count == track->count &&
        memcmp(builder->key_times + last->key_time_first, track->times_s, track->count * sizeof(double)) == 0) {
        added.key_time_first = last->key_time_first;
    } else {
        double *times = bake_add_key_time(builder, track->count);
        if (times == NULL)
            return import_full(import, err);
        memcpy(times, track->times_s, track->count * sizeof *times);
    }
    float *out = bake_add_key_value(builder, (uint32_t)values);
    if (out == NULL)
        return import_full(import, err);
    for (uint64_t i = 0; i < values; i++)
        out[i] = (float)track->values[i];
    return import_put_channel(import, &added, err);
}
