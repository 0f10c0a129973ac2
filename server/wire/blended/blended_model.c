#include "wire/blended/blended_model.h"

#include "anim/pose/appearance.h"

#include <stdlib.h>
#include <string.h>

static const char NAME[] = "blend";

/* Extras of clips come last. */
static uint32_t count_other_extras(const struct model *model)
{
    uint32_t count = model->extra_count;
    while (count > 0 && model->extras[count - 1].owner == EXTRA_CLIP)
        count--;
    return count;
}

/* Makes it the only clip, without what belongs to others. */
static bool put_alone(struct blended_clip *blended, const struct model *model)
{
    blended->text = malloc((size_t)model->text_byte_count + sizeof NAME);
    blended->clips = calloc(1, sizeof *blended->clips);
    if (blended->text == NULL || blended->clips == NULL || model->text_byte_count > UINT32_MAX - sizeof NAME)
        return false;
    memcpy(blended->text, model->text, model->text_byte_count);
    memcpy(blended->text + model->text_byte_count, NAME, sizeof NAME);
    blended->clips[0].name = (struct str){(uint32_t)model->text_byte_count, (uint32_t)sizeof NAME - 1};
    blended->model.text = blended->text;
    blended->model.text_byte_count = model->text_byte_count + (uint32_t)sizeof NAME;
    blended->model.clip_count = 1;
    blended->model.extra_count = count_other_extras(model);
    blended->model.marker_count = 0;
    return true;
}

/* Adds the clip's keys of visibility to those of nodes, in the order of nodes and paths. */
static void put_channels(struct blended_clip *blended, const struct model *model, int32_t clip)
{
    const struct entity_clip *made = &blended->made;
    const struct clip *from = clip == POSE_REST ? NULL : &model->clips[clip];
    const uint32_t count = from == NULL ? 0 : from->channel_count;
    uint32_t next = 0;
    for (uint32_t c = 0, own = 0; own < count || c < made->channel_count;) {
        const struct channel *visible = own < count ? &model->channels[from->channel_first + own] : NULL;
        if (visible != NULL && visible->path != PATH_VISIBILITY)
            own++;
        else if (visible != NULL && (c == made->channel_count || made->channels[c].node > visible->node))
            blended->channels[next++] = model->channels[from->channel_first + own++];
        else
            blended->channels[next++] = made->channels[c++];
    }
    blended->model.channels = blended->channels;
    blended->model.channel_count = next;
}

/* Orders property channels of a clip. */
static int order_of(const struct channel *a, const struct channel *b)
{
    const int by_node = (a->node > b->node) - (a->node < b->node);
    return by_node != 0 ? by_node : (a->path > b->path) - (a->path < b->path);
}

/* Merges what expressions do to materials with the other keys of the clip below, of which theirs replace those of the
 * same numbers. */
static void put_properties(struct blended_clip *blended, const struct model *model, int32_t clip)
{
    const struct entity_clip *made = &blended->made;
    uint32_t own_count = 0, next = 0;
    const struct property_channel *own =
        clip == POSE_REST ? NULL : appearance_channels(model, (uint32_t)clip, &own_count);
    for (uint32_t o = 0, m = 0; o < own_count || m < made->property_count;) {
        const int order = o == own_count              ? 1
                          : m == made->property_count ? -1
                                                      : order_of(&own[o].channel, &made->properties[m].channel);
        blended->properties[next] = order < 0 ? own[o] : made->properties[m];
        blended->properties[next++].clip = blended->clip;
        o += order <= 0;
        m += order >= 0;
    }
    blended->model.property_channels = blended->properties;
    blended->model.property_channel_count = next;
}

/* Takes the clip's place among those of the model, which lose their channels. */
static bool put_below(struct blended_clip *blended, const struct model *model, int32_t clip)
{
    blended->clips = malloc(model->clip_count * sizeof *blended->clips);
    if (blended->clips == NULL)
        return false;
    memcpy(blended->clips, model->clips, model->clip_count * sizeof *blended->clips);
    for (uint32_t i = 0; i < model->clip_count; i++)
        blended->clips[i].channel_count = 0;
    blended->clip = (uint32_t)clip;
    return true;
}

/* Keys of the model that stay, then those of the clip. NULL: no memory. */
static void *join(const void *own, uint64_t own_count, const void *made, uint64_t made_count, size_t item_bytes)
{
    char *joined = malloc((own_count + made_count + 1) * item_bytes);
    if (joined == NULL)
        return NULL;
    if (own_count > 0)
        memcpy(joined, own, own_count * item_bytes);
    memcpy(joined + own_count * item_bytes, made, made_count * item_bytes);
    return joined;
}

static void shift(struct channel *channel, uint64_t times, uint64_t values)
{
    channel->key_time_first += (uint32_t)times;
    channel->value_first += (uint32_t)values;
}

/* False: no memory, or too many keys. */
static bool put_keys(struct blended_clip *blended, const struct model *model, bool keeps_own)
{
    struct entity_clip *made = &blended->made;
    const uint64_t own_times = keeps_own ? model->key_time_count : 0,
                   own_values = keeps_own ? model->key_value_count : 0;
    if (own_times + made->time_count > UINT32_MAX || own_values + made->value_count > UINT32_MAX)
        return false;
    for (uint32_t c = 0; c < made->channel_count; c++)
        shift(&made->channels[c], own_times, own_values);
    for (uint32_t c = 0; c < made->property_count; c++)
        shift(&made->properties[c].channel, own_times, own_values);
    blended->key_times = join(model->key_times, own_times, made->times_s, made->time_count, sizeof(double));
    blended->key_values = join(model->key_values, own_values, made->values, made->value_count, sizeof(float));
    blended->model.key_times = blended->key_times;
    blended->model.key_time_count = (uint32_t)own_times + made->time_count;
    blended->model.key_values = blended->key_values;
    blended->model.key_value_count = (uint32_t)(own_values + made->value_count);
    return blended->key_times != NULL && blended->key_values != NULL;
}

bool blended_model_make(struct blended_clip *blended, const struct model *model, int32_t below, double end_s)
{
    const bool is_below = below != POSE_REST;
    const uint32_t own_channels = is_below ? model->clips[below].channel_count : 0;
    uint32_t own_properties = 0;
    if (is_below)
        appearance_channels(model, (uint32_t)below, &own_properties);
    blended->model = *model;
    blended->model.compiled_clip_count = blended->model.lane_value_count = 0;
    blended->channels = calloc((size_t)blended->made.channel_count + own_channels + 1, sizeof *blended->channels);
    blended->properties =
        calloc((size_t)blended->made.property_count + own_properties + 1, sizeof *blended->properties);
    if (blended->channels == NULL || blended->properties == NULL || !put_keys(blended, model, is_below) ||
        !(is_below ? put_below(blended, model, below) : put_alone(blended, model)))
        return false;
    put_channels(blended, model, below);
    put_properties(blended, model, below);
    struct clip *clip = &blended->clips[blended->clip];
    clip->channel_first = 0;
    clip->channel_count = blended->model.channel_count;
    clip->start_s = 0;
    clip->duration_s = end_s;
    blended->model.clips = blended->clips;
    return true;
}
