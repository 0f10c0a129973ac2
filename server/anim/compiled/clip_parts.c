/* clip_parts.c - fills sets of struct rig_part. */
#include "anim/compiled/clip_parts.h"

#include <string.h>

bool clip_parts_have_capacity(const struct bake_builder *builder, uint64_t size_bytes)
{
    return builder->limit_bytes == 0 ||
           (builder->used_bytes < builder->limit_bytes && size_bytes < builder->limit_bytes - builder->used_bytes);
}

static void put_part(const struct trs *local, bool is_animated, struct rig_part *part)
{
    double rotation[4];
    memcpy(rotation, local->rotation, sizeof rotation);
    quat_normalize(rotation);
    *part = (struct rig_part){.is_animated = is_animated};
    for (int i = 0; i < 4; i++)
        part->rotation[i] = (float)rotation[i];
    for (int i = 0; i < 3; i++) {
        part->translation[i] = (float)local->translation[i];
        part->scale[i] = (float)local->scale[i];
    }
}

static void add_matrix(struct bake_builder *builder, const struct model *model, uint32_t rig_node)
{
    const int32_t matrix = model->nodes[model->rig_nodes[rig_node].node].matrix;
    struct still_node *still = matrix >= 0 ? bake_add_rig_matrix(builder, 1) : NULL;
    if (still == NULL)
        return;
    still->rig_node = rig_node;
    for (int e = 0; e < 12; e++)
        still->parent_from_node[e] = model->node_matrices[matrix].m[e % 4 * 4 + e / 4];
}

void clip_parts_add_rest(struct bake_builder *builder, const uint32_t *rig_of_node)
{
    const struct model model = bake_builder_view(builder);
    uint32_t *places = bake_add_rig_place(builder, model.node_count);
    if (places == NULL)
        return;
    memcpy(places, rig_of_node, model.node_count * sizeof *places);
    const uint64_t size_bytes =
        model.rig_node_count * (uint64_t)(sizeof(struct rig_part) + 2 * sizeof(struct still_node));
    if (!clip_plan_is_plain(&model, POSE_REST) || !clip_parts_have_capacity(builder, 2 * size_bytes))
        return;
    struct rig_part *parts = bake_add_rig_part(builder, model.rig_node_count);
    for (uint32_t i = 0; i < model.rig_node_count && parts != NULL; i++) {
        const struct trs rest = pose_rest_transform(&model.nodes[model.rig_nodes[i].node]);
        put_part(&rest, false, &parts[i]);
        add_matrix(builder, &model, i);
    }
}

static bool is_sized(const struct clip_plan *plan, uint32_t rig_node)
{
    const struct node *node = &plan->model->nodes[plan->model->rig_nodes[rig_node].node];
    const double *scale = plan->pose.local[plan->model->rig_nodes[rig_node].node].scale;
    return (plan->motions[rig_node] & MOTION_MOVES << PATH_SCALE) != 0 ||
           !(scale[0] == 1 && scale[1] == 1 && scale[2] == 1) ||
           !(node->scale[0] == 1 && node->scale[1] == 1 && node->scale[2] == 1);
}

void clip_parts_add(struct bake_builder *builder, const struct clip_plan *plan, struct compiled_clip *out)
{
    const struct model *model = plan->model;
    out->part_first = builder->rig_part_count;
    if (builder->rig_part_count == 0)
        return;
    struct rig_part *parts = bake_add_rig_part(builder, model->rig_node_count);
    for (uint32_t i = 0; i < model->rig_node_count && parts != NULL; i++) {
        const uint32_t node = model->rig_nodes[i].node;
        put_part(&plan->pose.local[node], plan->pose.is_animated[node], &parts[i]);
        out->sized_count += is_sized(plan, i);
    }
}
