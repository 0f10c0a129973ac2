/* entity_chain.c - evaluates a node and its ancestors. */
#include "anim/entity/entity_chain.h"

#include "base/mem.h"

/* Lists the node and its ancestors from the top. end_chain() restores work->is_in_chain. */
static struct node_list start_chain(struct entity_work *work, uint32_t node)
{
    const struct model *model = work->entity.model;
    uint32_t count = 0;
    if (!entity_reserve_chain(work, model->node_count))
        mem_exhausted();
    for (int32_t n = (int32_t)node; n >= 0; n = model->nodes[n].parent)
        count++;
    uint32_t i = count;
    for (int32_t n = (int32_t)node; n >= 0; n = model->nodes[n].parent) {
        work->chain[--i] = (uint32_t)n;
        work->is_in_chain[n] = 1;
    }
    return (struct node_list){work->chain, count, work->is_in_chain};
}

static void end_chain(struct entity_work *work, const struct node_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        work->is_in_chain[list->nodes[i]] = 0;
}

static void evaluate_chain(struct entity_work *work, const struct node_list *list)
{
    const struct clip_blend_plan *plan = &work->plan;
    const struct blend_layer *layer = &plan->layers[0];
    const struct model *model = work->entity.model;
    if (work->is_mixed) {
        blend_evaluate_nodes(&work->blend, &work->pose, model, list, work->entity.layers, work->entity.layer_count);
        return;
    }
    const struct model *source = layer->source != NULL ? layer->source : model;
    pose_sample_nodes(&work->pose, source, list, layer->clip, layer->clip_time_s);
    pose_compose_nodes(&work->pose, source, list);
}

void entity_chain_still(struct entity_work *work)
{
    const struct root_motion *motion = work->entity.motion;
    const struct node_list list = start_chain(work, motion->node);
    evaluate_chain(work, &list);
    work->still_from_scene = root_motion_remove_nodes(motion, &work->pose, work->entity.model, &list, &work->step);
    end_chain(work, &list);
}

struct dmat4 entity_scene_from_node(struct entity_work *work, uint32_t node)
{
    const struct entity *entity = &work->entity;
    if (work->has_exact)
        return work->pose.scene_from_node[node];
    const struct node_list list = start_chain(work, node);
    evaluate_chain(work, &list);
    end_chain(work, &list);
    struct dmat4 *scene_from_node = &work->pose.scene_from_node[node];
    if (entity->motion != NULL && entity->motion->is_moved[node])
        *scene_from_node = dmat4_mul(&work->still_from_scene, scene_from_node);
    return *scene_from_node;
}
