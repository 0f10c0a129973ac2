/* eval_info.c - describes the contents of a model. */
#include "clients/eval/eval_internal.h"

#include <string.h>

void pe_model_info(const struct pe_model *model, struct pe_info *out)
{
    const struct model *m = &model->file.model;
    const struct model_info *info = m->infos;
    *out = (struct pe_info){
        .content_hash = info->content_hash,
        .node_count = m->node_count,
        .skin_count = m->skin_count,
        .clip_count = m->clip_count,
        .mesh_count = m->mesh_count,
        .draw_count = m->draw_count,
        .marker_count = m->marker_count,
        .expression_count = m->expression_count,
        .unit_m = info->unit_m,
        .rest_min = {info->rest_min.x, info->rest_min.y, info->rest_min.z},
        .rest_max = {info->rest_max.x, info->rest_max.y, info->rest_max.z},
        .file_version = (int)model->file.version,
        .has_compiled = model->file.is_compiled,
        .has_gaze = model->look_fault.code == 0,
    };
    memcpy(out->up, info->up, sizeof out->up);
    memcpy(out->forward, info->forward, sizeof out->forward);
}

int pe_node_at(const struct pe_model *model, uint32_t index, struct pe_node *out)
{
    if (index >= model->file.model.node_count)
        return PE_E_ARGUMENT;
    const struct node *node = &model->file.model.nodes[index];
    *out = (struct pe_node){
        .name = eval_name(model, NAMES_NODES, index), .parent = node->parent, .mesh = node->mesh, .skin = node->skin};
    memcpy(out->translation, node->translation, sizeof out->translation);
    memcpy(out->rotation, node->rotation, sizeof out->rotation);
    memcpy(out->scale, node->scale, sizeof out->scale);
    return 0;
}

int pe_node_is_below(const struct pe_model *model, uint32_t node, uint32_t ancestor)
{
    const struct model *m = &model->file.model;
    if (node >= m->node_count || ancestor >= m->node_count)
        return 0;
    while (node != ancestor && m->nodes[node].parent >= 0)
        node = (uint32_t)m->nodes[node].parent;
    return node == ancestor;
}

int pe_skin_at(const struct pe_model *model, uint32_t index, struct pe_skin *out)
{
    if (index >= model->file.model.skin_count)
        return PE_E_ARGUMENT;
    const struct skin *skin = &model->file.model.skins[index];
    *out = (struct pe_skin){.name = eval_name(model, NAMES_SKINS, index),
                            .joint_count = skin->joint_count,
                            .mesh_node = skin->mesh_node,
                            .is_rigid = (skin->flags & SKIN_RIGID) != 0};
    return 0;
}

int pe_joint_at(const struct pe_model *model, uint32_t skin, uint32_t joint, uint32_t *node, float *joint_from_bind)
{
    const struct model *m = &model->file.model;
    if (skin >= m->skin_count || joint >= m->skins[skin].joint_count)
        return PE_E_ARGUMENT;
    const struct joint *at = &m->joints[m->skins[skin].joint_first + joint];
    if (node != NULL)
        *node = at->node;
    if (joint_from_bind != NULL)
        memcpy(joint_from_bind, at->joint_from_bind.m, sizeof at->joint_from_bind.m);
    return 0;
}

enum pe_evaluation eval_evaluation(const struct model *model, uint32_t clip)
{
    if (!clip_palette_is_compiled(model, (int32_t)clip))
        return PE_EXACT;
    return (model->compiled_clips[clip].flags & COMPILED_CUBIC) != 0 ? PE_CUBIC : PE_LINEAR;
}

int pe_clip_at(const struct pe_model *model, uint32_t index, struct pe_clip *out)
{
    if (index >= model->file.model.clip_count)
        return PE_E_ARGUMENT;
    const struct clip *clip = &model->file.model.clips[index];
    *out = (struct pe_clip){.name = eval_name(model, NAMES_CLIPS, index),
                            .start_s = clip->start_s,
                            .duration_s = clip->duration_s,
                            .is_compiled = clip_palette_is_compiled(&model->file.model, (int32_t)index),
                            .evaluation = eval_evaluation(&model->file.model, index)};
    return 0;
}

int pe_draw_at(const struct pe_model *model, uint32_t index, struct pe_draw *out)
{
    const struct model *m = &model->file.model;
    if (index >= m->draw_count)
        return PE_E_ARGUMENT;
    const struct draw *draw = &m->draws[index];
    const struct primitive *p = &m->primitives[draw->primitive];
    *out = (struct pe_draw){.node = draw->node,
                            .mesh = p->mesh,
                            .skin = draw->skin,
                            .primitive = draw->primitive - m->meshes[p->mesh].primitive_first,
                            .is_in_scene = (draw->flags & DRAW_IN_SCENE) != 0,
                            .topology = (int)p->topology,
                            .vertex_count = p->vertex_count,
                            .index_count = p->index_count,
                            .positions = &m->positions[p->vertex_first].x,
                            .normals = &m->normals[p->vertex_first].x,
                            .indices = m->indices + p->index_first};
    return 0;
}

int pe_marker_at(const struct pe_model *model, uint32_t index, struct pe_marker *out)
{
    if (index >= model->file.model.marker_count)
        return PE_E_ARGUMENT;
    const struct marker *marker = &model->file.model.markers[index];
    *out = (struct pe_marker){.clip = marker->clip,
                              .name = eval_name(model, NAMES_MARKERS, index),
                              .value = eval_name(model, NAMES_VALUES, index),
                              .time_s = marker->time_s};
    return 0;
}

int pe_expression_at(const struct pe_model *model, uint32_t index, struct pe_expression *out)
{
    if (index >= model->file.model.expression_count)
        return PE_E_ARGUMENT;
    const struct expression *at = &model->file.model.expressions[index];
    *out = (struct pe_expression){.name = eval_name(model, NAMES_EXPRESSIONS, index),
                                  .weight_count = at->bind_count,
                                  .is_binary = (at->flags & EXPRESSION_BINARY) != 0};
    return 0;
}
