/* clip_rig.c - sorts the joints of a model and their ancestors by depth. */
#include "anim/compiled/clip_rig.h"

#include "base/mem.h"

#include <stdlib.h>

/* The sort key of rig nodes. */
struct place {
    uint32_t node, depth;
    bool is_animated; /* by some clip; moving nodes lie side by side, and so do still ones */
    uint32_t order;   /* index in node_order */
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->depth != q->depth)
        return p->depth < q->depth ? -1 : 1;
    if (p->is_animated != q->is_animated)
        return p->is_animated ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* Collects the joints and their ancestors, with their depth. Returns how many there are. */
static uint32_t collect(const struct model *model, struct place *places)
{
    bool *is_needed = mem_zalloc(model->node_count, sizeof *is_needed);
    bool *is_animated = mem_zalloc(model->node_count, sizeof *is_animated);
    uint32_t *depths = mem_alloc(model->node_count * sizeof *depths);
    uint32_t count = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; j < model->skins[s].joint_count; j++) {
            int32_t n = (int32_t)model->joints[model->skins[s].joint_first + j].node;
            for (; n >= 0 && !is_needed[n]; n = model->nodes[n].parent)
                is_needed[n] = true;
        }
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t i = 0; i < model->clips[c].channel_count; i++) {
            const struct channel *channel = &model->channels[model->clips[c].channel_first + i];
            is_animated[channel->node] = is_animated[channel->node] || path_is_transform(channel->path);
        }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        depths[n] = parent < 0 ? 0 : depths[parent] + 1;
        if (is_needed[n])
            places[count++] = (struct place){n, depths[n], is_animated[n], i};
    }
    free(is_needed);
    free(is_animated);
    free(depths);
    return count;
}

static int compare_outputs(const void *a, const void *b)
{
    const struct rig_output *p = a, *q = b;
    if (p->rig_node != q->rig_node)
        return p->rig_node < q->rig_node ? -1 : 1;
    return p->joint < q->joint ? -1 : p->joint > q->joint;
}

static void add_skin(struct bake_builder *builder, uint32_t s, const uint32_t *rig_of_node)
{
    const struct skin *skin = &builder->skins[s];
    struct rig_skin *rig_skin = bake_add_rig_skin(builder, 1);
    const uint32_t first = builder->rig_output_count;
    struct rig_output *outputs = bake_add_rig_output(builder, skin->joint_count);
    if (rig_skin == NULL || outputs == NULL)
        return;
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        const struct joint *joint = &builder->joints[skin->joint_first + j];
        outputs[j].rig_node = rig_of_node[joint->node];
        outputs[j].joint = j;
        for (uint32_t e = 0; e < 12; e++)
            outputs[j].joint_from_bind[e] = joint->joint_from_bind.m[e % 4 * 4 + e / 4];
    }
    qsort(outputs, skin->joint_count, sizeof *outputs, compare_outputs);
    rig_skin->output_first = first;
    for (uint32_t i = 0; i < skin->joint_count; i++)
        if (outputs[i].rig_node > i + rig_skin->lag)
            rig_skin->lag = outputs[i].rig_node - i;
}

void clip_rig_add(struct bake_builder *builder, uint32_t *rig_of_node)
{
    const struct model model = bake_builder_view(builder);
    struct place *places = mem_alloc(((size_t)model.node_count + 1) * sizeof *places);
    const uint32_t count = collect(&model, places);
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t n = 0; n < model.node_count; n++)
        rig_of_node[n] = UINT32_MAX;
    struct rig_node *nodes = bake_add_rig_node(builder, count);
    for (uint32_t i = 0; i < count && nodes != NULL; i++) {
        const int32_t parent = model.nodes[places[i].node].parent;
        nodes[i] = (struct rig_node){places[i].node, parent < 0 ? -1 : (int32_t)rig_of_node[parent]};
        rig_of_node[places[i].node] = i;
    }
    for (uint32_t s = 0; s < model.skin_count && nodes != NULL; s++)
        add_skin(builder, s, rig_of_node);
    free(places);
}
