/* clip_blend_mask.c - propagates masks down the rig, as blend.c does in the whole tree. */
#include "anim/compiled/clip_blend_mask.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_known(const struct clip_blend_mask *mask, const struct model *model, const struct blend_layer *layer)
{
    return mask->mask_count == layer->mask_count && mask->node_count == model->rig_node_count &&
           memcmp(mask->masks, layer->masks, layer->mask_count * sizeof *layer->masks) == 0 &&
           memcmp(mask->content_hash, model->infos[0].content_hash, sizeof mask->content_hash) == 0;
}

bool clip_blend_mask_reserve(struct clip_blend_mask *mask, uint32_t rig_node_count, uint32_t mask_count)
{
    if (mask_count > mask->mask_capacity) {
        struct blend_mask *masks = realloc(mask->masks, mask_count * sizeof *masks);
        if (masks == NULL)
            return false;
        mask->masks = masks;
        mask->mask_capacity = mask_count;
    }
    if (rig_node_count > mask->node_capacity) {
        uint8_t *is_moved = realloc(mask->is_moved, rig_node_count);
        if (is_moved == NULL)
            return false;
        mask->is_moved = is_moved;
        mask->node_capacity = rig_node_count;
    }
    return true;
}

static void remember(struct clip_blend_mask *mask, const struct model *model, const struct blend_layer *layer)
{
    if (!clip_blend_mask_reserve(mask, model->rig_node_count, layer->mask_count))
        mem_exhausted();
    memcpy(mask->masks, layer->masks, layer->mask_count * sizeof *mask->masks);
    memcpy(mask->content_hash, model->infos[0].content_hash, sizeof mask->content_hash);
    mask->mask_count = layer->mask_count;
    mask->node_count = model->rig_node_count;
}

/* Nodes outside the rig have no rig nodes below them. */
const uint8_t *clip_blend_mask_find(struct clip_blend_mask *mask, const struct model *model,
                                    const struct blend_layer *layer)
{
    enum { NAMED = 1, SUBTREE = 2, EXCEPT = 4 };
    static const uint8_t MARK_OF[] = {[BLEND_NODE] = NAMED, [BLEND_SUBTREE] = SUBTREE, [BLEND_EXCEPT] = EXCEPT};
    bool is_all = true;
    if (is_known(mask, model, layer))
        return mask->is_moved;
    remember(mask, model, layer);
    uint8_t *marks = mask->is_moved;
    memset(marks, 0, model->rig_node_count);
    for (uint32_t i = 0; i < layer->mask_count; i++) {
        const uint32_t place = model->rig_places[layer->masks[i].node];
        if (place != UINT32_MAX)
            marks[place] |= MARK_OF[layer->masks[i].scope];
        is_all = is_all && layer->masks[i].scope == BLEND_EXCEPT;
    }
    for (uint32_t n = 0; n < model->rig_node_count; n++) {
        const int32_t parent = model->rig_nodes[n].parent;
        if (parent >= 0)
            marks[n] |= marks[parent] & (SUBTREE | EXCEPT);
    }
    for (uint32_t n = 0; n < model->rig_node_count; n++)
        marks[n] = (is_all || (marks[n] & (NAMED | SUBTREE)) != 0) && (marks[n] & EXCEPT) == 0;
    return marks;
}
