/* bake_check_clips.c - checks channels, clips and markers. */
#include "anim/bake/bake_check.h"

#include "anim/model/property.h"

#include <math.h>
#include <stdlib.h>

static bool is_component_count(const struct model *model, const struct channel *channel)
{
    if (channel->path == PATH_WEIGHTS)
        return channel->component_count > 0 && channel->component_count == model->nodes[channel->node].weight_count;
    static const uint32_t COUNTS[] = {
        [PATH_TRANSLATION] = 3, [PATH_ROTATION] = 4, [PATH_SCALE] = 3, [PATH_VISIBILITY] = 1};
    return channel->component_count == COUNTS[channel->path];
}

static bool is_interpolation(const struct channel *channel)
{
    return channel->path == PATH_VISIBILITY ? channel->interpolation == INTERPOLATION_STEP
                                            : channel->interpolation <= INTERPOLATION_CUBICSPLINE;
}

static bool is_value_range(const struct model *model, const struct channel *channel)
{
    const uint64_t values = (uint64_t)channel->key_count * channel->component_count; /* below 2^64: both are 32 bit */
    const uint64_t per_key = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
    return values <= model->key_value_count &&
           bake_is_range(channel->value_first, values * per_key, model->key_value_count);
}

/* Sets falls[i] to the number of key times among 1..i that do not exceed the one before. Channels share key times, so
 * this is counted once: a range rises when its first and its last element have the same count. */
static void count_falls(const struct model *model, uint32_t *falls)
{
    for (uint32_t i = 0; i < model->key_time_count; i++)
        falls[i] = i == 0 ? 0 : falls[i - 1] + !(model->key_times[i] > model->key_times[i - 1]);
}

static bool is_key_range(const struct model *model, const struct channel *channel, const uint32_t *falls)
{
    return channel->key_count > 0 &&
           bake_is_range(channel->key_time_first, channel->key_count, model->key_time_count) &&
           falls[channel->key_time_first] == falls[channel->key_time_first + channel->key_count - 1];
}

static int check_channel(const struct model *model, uint32_t c, const uint32_t *falls, struct err *err)
{
    const struct channel *channel = &model->channels[c];
    const char *field = channel->node >= model->node_count     ? "node"
                        : channel->path >= PATH_COUNT          ? "path"
                        : !is_interpolation(channel)           ? "interpolation"
                        : !is_component_count(model, channel)  ? "component_count"
                        : !is_key_range(model, channel, falls) ? "key_times"
                        : !is_value_range(model, channel)      ? "values"
                        : channel->reserved != 0               ? "reserved"
                                                               : NULL;
    return field == NULL ? 0 : bake_check_fail(err, "channels", c, field);
}

static bool is_sorted(const struct property_channel *before, const struct property_channel *at)
{
    return before->clip != at->clip                   ? before->clip < at->clip
           : before->channel.node != at->channel.node ? before->channel.node < at->channel.node
                                                      : before->channel.path < at->channel.path;
}

/* The order allows a clip to drive a property once, which bounds the cost of evaluating it. Clips are checked. */
static int check_property_channel(const struct model *model, uint32_t i, const uint32_t *falls, struct err *err)
{
    const struct property_channel *at = &model->property_channels[i];
    const struct channel *channel = &at->channel;
    const uint32_t id = channel->path - PATH_COUNT;
    const char *field =
        at->clip >= model->clip_count                        ? "clip"
        : id >= PROPERTY_COUNT                               ? "path"
        : !property_is_drawn(model, id, channel->node)       ? "node"
        : i > 0 && !is_sorted(at - 1, at)                    ? "order"
        : channel->interpolation > INTERPOLATION_CUBICSPLINE ? "interpolation"
        : channel->component_count != property_of(id).count  ? "component_count"
        : !is_key_range(model, channel, falls)               ? "key_times"
        : !is_value_range(model, channel)                    ? "values"
        : model->key_times[channel->key_time_first + channel->key_count - 1] > model->clips[at->clip].duration_s
            ? "duration"
        : channel->reserved != 0 ? "reserved"
                                 : NULL;
    return field == NULL ? 0 : bake_check_fail(err, "property_channels", i, field);
}

/* `driven`: for each node and path, the last clip that drove it, from 1. A clip drives a target once, so evaluating it
 * costs at most as much as the model has nodes and weights. */
static int check_clip(const struct model *model, uint32_t c, uint32_t *driven, struct err *err)
{
    const struct clip *clip = &model->clips[c];
    double start_s = HUGE_VAL, duration_s = 0;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const struct channel *channel = &model->channels[clip->channel_first + i];
        uint32_t *last = &driven[PATH_COUNT * (size_t)channel->node + channel->path];
        if (*last == c + 1)
            return bake_check_fail(err, "channels", clip->channel_first + i, "node");
        *last = c + 1;
        start_s = fmin(start_s, model->key_times[channel->key_time_first]);
        duration_s = fmax(duration_s, model->key_times[channel->key_time_first + channel->key_count - 1]);
    }
    if (clip->channel_count == 0)
        start_s = 0;
    if (!(clip->start_s == start_s))
        return bake_check_fail(err, "clips", c, "start_s");
    if (!(clip->duration_s >= duration_s && clip->duration_s <= BAKE_TIME_MAX))
        return bake_check_fail(err, "clips", c, "duration_s");
    return 0;
}

static int check_clips(const struct model *model, uint32_t *driven, struct err *err)
{
    uint64_t channels = 0;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const struct clip *clip = &model->clips[c];
        channels += clip->channel_count;
        if (!bake_is_str(model, clip->name))
            return bake_check_fail(err, "clips", c, "name");
        if (channels > model->channel_count ||
            !bake_is_range(clip->channel_first, clip->channel_count, model->channel_count))
            return bake_check_fail(err, "clips", c, "channels");
        const int rc = check_clip(model, c, driven, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static const char *marker_fault(const struct model *model, uint32_t i)
{
    const struct marker *marker = &model->markers[i], *before = i > 0 ? marker - 1 : NULL;
    return marker->clip >= model->clip_count || (before != NULL && before->clip > marker->clip) ? "clip"
           : !isfinite(marker->time_s) ||
                   (before != NULL && before->clip == marker->clip && before->time_s > marker->time_s)
               ? "time_s"
           : !bake_is_str(model, marker->name)  ? "name"
           : !bake_is_str(model, marker->value) ? "value"
           : marker->reserved != 0              ? "reserved"
                                                : NULL;
}

int bake_check_clips(const struct model *model, struct err *err)
{
    for (uint32_t i = 0; i < model->key_time_count; i++)
        if (!(fabs(model->key_times[i]) <= BAKE_TIME_MAX))
            return bake_check_fail(err, "key_times", i, "time");
    if (!floats_are_finite(model->key_values, model->key_value_count))
        return err_set(err, ERR_BAD_BAKE, "key_values has a value that is not finite");
    uint32_t *falls = malloc(((size_t)model->key_time_count + 1) * sizeof *falls);
    uint32_t *driven = calloc((size_t)model->node_count + 1, PATH_COUNT * sizeof *driven);
    int rc = 0;
    if (falls == NULL || driven == NULL) {
        rc = err_set(err, ERR_NO_MEMORY, "no memory to check %u key times", model->key_time_count);
        goto done;
    }
    count_falls(model, falls);
    for (uint32_t c = 0; c < model->channel_count && rc == 0; c++)
        rc = check_channel(model, c, falls, err);
    if (rc == 0)
        rc = check_clips(model, driven, err);
    for (uint32_t i = 0; i < model->property_channel_count && rc == 0; i++)
        rc = check_property_channel(model, i, falls, err);
    if (rc == 0)
        rc = bake_check_each(model, "markers", model->marker_count, marker_fault, err);
done:
    free(falls);
    free(driven);
    return rc;
}
