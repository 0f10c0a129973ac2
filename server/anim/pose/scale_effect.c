/* scale_effect.c - propagates the kind of scale down the tree: 1, uniform, or neither.
 *
 * A uniform scale commutes with every rotation, so it makes no difference whether a node inherits it by its parent's
 * matrix or axis by axis. Inherited scales can then be ignored below: the unscaled frame is larger by as much as the
 * scale is smaller. */
#include "anim/pose/scale_effect.h"

#include "anim/pose/pose.h"
#include "base/mem.h"

#include <stdlib.h>

enum kind { KIND_ONE, KIND_ALIKE, KIND_OTHER };

static enum kind kind_of(const float v[3])
{
    if (v[0] != v[1] || v[1] != v[2]) /* also for NaN */
        return KIND_OTHER;
    return v[0] == 1 ? KIND_ONE : KIND_ALIKE;
}

static enum kind kind_of_keys(const struct model *model, const struct channel *channel)
{
    const bool is_cubic = channel->interpolation == INTERPOLATION_CUBICSPLINE;
    const float *values = model->key_values + channel->value_first;
    enum kind kind = KIND_ONE;
    for (uint32_t k = 0; k < channel->key_count && kind != KIND_OTHER; k++, values += is_cubic ? 9 : 3) {
        const float *value = is_cubic ? values + 3 : values;
        const enum kind of_key = kind_of(value);
        kind = of_key > kind ? of_key : kind;
        if (is_cubic && (kind_of(values) == KIND_OTHER || kind_of(values + 6) == KIND_OTHER))
            kind = KIND_OTHER;
        else if (is_cubic && kind == KIND_ONE && (values[0] != 0 || values[6] != 0))
            kind = KIND_ALIKE;
    }
    return kind;
}

/* Finds the kind of each node's own scale in the clip. A node with a matrix, which is not decomposed, has the scale 1
 * beside it. */
static void find_kinds(const struct model *model, int32_t clip, uint8_t *kinds)
{
    for (uint32_t n = 0; n < model->node_count; n++)
        kinds[n] = (uint8_t)(model->nodes[n].matrix >= 0 ? KIND_ONE : kind_of(model->nodes[n].scale));
    if (clip < 0)
        return;
    const struct clip *of = &model->clips[clip];
    for (uint32_t i = 0; i < of->channel_count; i++) {
        const struct channel *channel = &model->channels[of->channel_first + i];
        if (channel->path == PATH_SCALE)
            kinds[channel->node] = (uint8_t)kind_of_keys(model, channel);
        else if (path_is_transform(channel->path) && model->nodes[channel->node].matrix >= 0)
            kinds[channel->node] = KIND_OTHER; /* its rest scale counts; too rare for a closer check */
    }
}

void scale_effect_find(const struct model *model, int32_t clip, uint8_t *effects)
{
    /* of the scale of a node's own space, and of the inherited part of it */
    uint8_t *kinds = mem_alloc(2 * (size_t)model->node_count), *inherited = kinds + model->node_count;
    find_kinds(model, clip, kinds);
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const struct node *node = &model->nodes[n];
        const int32_t p = node->parent;
        effects[n] = SCALE_EFFECT_NONE;
        inherited[n] = KIND_ONE;
        if (p < 0 || (node->flags & NODE_SCALES) == 0)
            continue;
        const bool is_by_axis = (node->flags & NODE_SCALE_BY_AXIS) != 0;
        if (kinds[p] == KIND_OTHER)
            effects[n] = SCALE_EFFECT_BY_AXIS;
        else if (!is_by_axis && (kinds[p] != KIND_ONE || inherited[p] == KIND_OTHER))
            effects[n] = SCALE_EFFECT_ALIKE;
        else
            continue;
        inherited[n] = is_by_axis ? KIND_OTHER : inherited[p];
        if (inherited[n] == KIND_OTHER)
            kinds[n] = KIND_OTHER;
    }
    free(kinds);
}
