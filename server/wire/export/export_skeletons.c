/* export_skeletons.c - the skeleton of a skin as a glTF source has it: a node above or at all its joints, from which
 * programs begin (glTF 2.0, 5.28 skin.skeleton). */
#include "wire/export/export_internal.h"

#include <cjson/cJSON.h>
#include <string.h>

/* Numbers of the nodes, in which the nodes below each follow it. */
struct export_order {
    uint32_t *firsts, *sizes; /* [node_count]: a node's number, and how many it and those below it are */
};

static bool order_nodes(struct export *e, struct export_order *out)
{
    const struct model *model = e->model;
    uint32_t root = 0, *nexts = export_array(e, model->node_count, sizeof *nexts);
    out->firsts = export_array(e, model->node_count, sizeof *out->firsts);
    out->sizes = export_array(e, model->node_count, sizeof *out->sizes);
    if (nexts == NULL || out->firsts == NULL || out->sizes == NULL)
        return false;
    for (uint32_t i = model->order_count; i-- > 0;) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        out->sizes[n]++;
        if (parent >= 0)
            out->sizes[parent] += out->sizes[n];
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        uint32_t *next = model->nodes[n].parent < 0 ? &root : &nexts[model->nodes[n].parent];
        out->firsts[n] = *next;
        *next += out->sizes[n];
        nexts[n] = out->firsts[n] + 1;
    }
    return true;
}

/* Returns the node that the source names, or -1. */
static int64_t carried_skeleton(const struct model *model, uint32_t skin)
{
    static const char NAME[] = "skeleton";
    uint32_t count;
    int64_t node = -1;
    const struct carried *all = model_carried(model, CARRY_SKIN, skin, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (all[i].member.size_bytes != sizeof NAME - 1 ||
            memcmp(model->text + all[i].member.offset, NAME, sizeof NAME - 1) != 0)
            continue;
        cJSON *number = cJSON_ParseWithLength(model->text + all[i].json.offset, all[i].json.size_bytes);
        if (cJSON_IsNumber(number) && number->valuedouble >= 0 && number->valuedouble < model->node_count)
            node = (int64_t)number->valuedouble;
        cJSON_Delete(number);
    }
    return node;
}

static bool is_above(const struct export_order *order, uint32_t node, uint32_t below)
{
    return order->firsts[below] - order->firsts[node] < order->sizes[node];
}

bool export_plan_skeletons(struct export *e)
{
    const struct model *model = e->model;
    struct export_order order = {0};
    e->skeletons = export_array(e, model->skin_count, sizeof *e->skeletons);
    for (uint32_t s = 0; e->skeletons != NULL && s < model->skin_count; s++) {
        const struct skin *skin = &model->skins[s];
        const int64_t node = carried_skeleton(model, s);
        e->skeletons[s] = GLB_NONE;
        if (node < 0 || e->skin_places[s] == GLB_NONE)
            continue;
        if (order.firsts == NULL && !order_nodes(e, &order))
            return false;
        bool is_common = true;
        for (uint32_t j = skin->joint_first; j < skin->joint_first + skin->joint_count; j++)
            is_common = is_common && is_above(&order, (uint32_t)node, model->joints[j].node);
        if (is_common)
            e->skeletons[s] = e->node_places[node];
        else
            export_drop(e, "skeleton", "the skeleton of a skin, which is not above its joints");
    }
    return e->skeletons != NULL;
}
