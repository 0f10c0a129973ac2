#include "anim/pose/visibility.h"

#include "anim/pose/sample.h"

bool visibility_is_animated(const struct model *model, int32_t clip)
{
    for (uint32_t i = 0; clip >= 0 && i < model->clips[clip].channel_count; i++)
        if (model->channels[model->clips[clip].channel_first + i].path == PATH_VISIBILITY)
            return true;
    return false;
}

void visibility_evaluate(const struct model *model, uint32_t clip, double clip_time_s, uint8_t *is_shown)
{
    const struct clip *of = &model->clips[clip];
    for (uint32_t n = 0; n < model->node_count; n++)
        is_shown[n] = (model->nodes[n].flags & NODE_HIDES) == 0;
    for (uint32_t i = 0; i < of->channel_count; i++) {
        const struct channel *channel = &model->channels[of->channel_first + i];
        if (channel->path != PATH_VISIBILITY)
            continue;
        double value;
        sample_channel(model, channel, clip_time_s, &value);
        is_shown[channel->node] = value != 0;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        if (parent >= 0 && !is_shown[parent])
            is_shown[n] = 0;
    }
}
