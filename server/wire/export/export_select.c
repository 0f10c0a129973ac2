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

/* Nodes that are kept, and whose own needs are not yet. Each stands there once. */
struct kept {
    struct export *e;
    uint32_t *sources; /* [node_count]: of the node's constraint, or GLB_NONE */
    uint32_t *nodes;   /* [node_count] */
    uint32_t count;
};

static void keep_transform(struct kept *kept, uint32_t node)
{
    if (kept->e->keeps[node] != KEEP_NOTHING)
        return;
    kept->e->keeps[node] = KEEP_TRANSFORM;
    kept->nodes[kept->count++] = node;
}

/* Marks the joints of the file's skins, and the ancestors and the sources of constraints of everything kept. */
static bool keep_needed(struct export *e)
{
    const struct model *model = e->model;
    struct kept kept = {.e = e,
                        .sources = export_array(e, model->node_count, sizeof *kept.sources),
                        .nodes = export_array(e, model->node_count, sizeof *kept.nodes)};
    if (kept.sources == NULL || kept.nodes == NULL)
        return false;
    for (uint32_t n = 0; n < model->node_count; n++) {
        kept.sources[n] = GLB_NONE;
        if (e->keeps[n] != KEEP_NOTHING)
            kept.nodes[kept.count++] = n;
    }
    for (uint32_t i = 0; i < model->constraint_count; i++)
        kept.sources[model->constraints[i].node] = model->constraints[i].source;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; e->skin_places[s] != GLB_NONE && j < model->skins[s].joint_count; j++)
            keep_transform(&kept, model->joints[model->skins[s].joint_first + j].node);
    while (kept.count > 0) {
        const uint32_t n = kept.nodes[--kept.count];
        if (model->nodes[n].parent >= 0)
            keep_transform(&kept, (uint32_t)model->nodes[n].parent);
        if (kept.sources[n] != GLB_NONE)
            keep_transform(&kept, kept.sources[n]);
    }
    return true;
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
    if (!keep_needed(e))
        return false;
    e->size = size_of(model);
    return true;
}
