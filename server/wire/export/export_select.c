/* export_select.c - selects what the file contains: the whole model, or some subtrees and everything that these need.
 */
#include "anim/model/mat.h"
#include "anim/pose/pose.h"
#include "wire/export/export_internal.h"
#include "wire/reply/select.h"

#include <string.h>

/* Marks the nodes of subtree= and all their descendants. */
static bool keep_subtrees(struct export *e)
{
    const struct model *model = e->model;
    const struct request *request = e->context->request;
    for (uint32_t i = 0; i < request->pose.joint_count; i++) {
        uint32_t top;
        if (select_thing(model, request->model, THING_NODE, &request->pose.joints[i], &top, e->context->reply) < 0)
            return false;
        e->keeps[top] = KEEP_ALL;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        if (model->nodes[n].parent >= 0 && e->keeps[model->nodes[n].parent] == KEEP_ALL)
            e->keeps[n] = KEEP_ALL;
    }
    return true;
}

/* Marks the joints of the file's skins, and the ancestors of everything kept. */
static void keep_needed(struct export *e)
{
    const struct model *model = e->model;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; e->skin_places[s] != GLB_NONE && j < model->skins[s].joint_count; j++) {
            uint8_t *keep = &e->keeps[model->joints[model->skins[s].joint_first + j].node];
            *keep = *keep == KEEP_NOTHING ? KEEP_TRANSFORM : *keep;
        }
    for (uint32_t i = model->order_count; i-- > 0;) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        if (e->keeps[n] != KEEP_NOTHING && parent >= 0 && e->keeps[parent] == KEEP_NOTHING)
            e->keeps[parent] = KEEP_TRANSFORM;
    }
}

/* The file's skins come first in the model; rigid ones are plain mesh nodes. */
static void number_skins(struct export *e, bool is_whole)
{
    const struct model *model = e->model;
    const bool takes_all = is_whole && e->optimizing == NULL; /* else those that a mesh of the file uses */
    uint32_t next = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        e->skin_places[s] = takes_all && (model->skins[s].flags & SKIN_RIGID) == 0 ? 0 : GLB_NONE;
    for (uint32_t n = 0; n < model->node_count && !takes_all; n++)
        if (e->keeps[n] == KEEP_ALL && model->nodes[n].mesh >= 0 && model->nodes[n].skin >= 0)
            e->skin_places[model->nodes[n].skin] = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (e->skin_places[s] != GLB_NONE)
            e->skin_places[s] = next++;
}

/* Returns the longest side of the drawn geometry at rest, else of the box around the nodes' origins; 0: no extent. */
static double size_of(const struct model *model)
{
    const struct model_info *info = &model->infos[0];
    struct box box = BOX_EMPTY;
    if (info->rest_min.x <= info->rest_max.x) {
        box_add(&box, DOUBLE3(info->rest_min));
        box_add(&box, DOUBLE3(info->rest_max));
    }
    if (!box_is_empty(&box) && box_size(&box) > 0)
        return box_size(&box);
    struct pose pose;
    pose_init(&pose);
    pose_evaluate(&pose, model, POSE_REST, 0);
    for (uint32_t n = 0; n < model->node_count; n++)
        box_add(&box, pose.scene_from_node[n].m + 12);
    pose_fini(&pose);
    return box_is_empty(&box) ? 0 : box_size(&box);
}

bool export_select(struct export *e)
{
    const struct model *model = e->model;
    const bool is_whole = e->context->request->pose.joint_count == 0;
    e->keeps = export_array(e, model->node_count, sizeof *e->keeps);
    e->skin_places = export_array(e, model->skin_count, sizeof *e->skin_places);
    if (e->keeps == NULL || e->skin_places == NULL)
        return false;
    if (is_whole)
        memset(e->keeps, KEEP_ALL, model->node_count);
    else if (!keep_subtrees(e))
        return false;
    number_skins(e, is_whole);
    keep_needed(e);
    e->size = size_of(model);
    return true;
}
