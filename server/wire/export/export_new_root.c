/* export_new_root.c - a root bone above hips that have nothing above them, so that a clip's motion over the ground can
 * go there. */
#include "wire/export/export_internal.h"

#include "anim/pose/root_motion.h"
#include "anim/humanoid/humanoid.h"
#include "wire/reply/select.h"

#include <string.h>

static const char NAME[] = "root";

enum { NO_CHILD = -1, MANY_CHILDREN = -2 };

/* Fills in e->root.only_children. */
static void find_only_children(struct export *e)
{
    const struct model *model = e->model;
    int32_t *children = e->root.only_children;
    for (uint32_t n = 0; n < model->node_count; n++)
        children[n] = NO_CHILD;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const int32_t parent = model->nodes[n].parent;
        if (parent >= 0)
            children[parent] = children[parent] == NO_CHILD ? (int32_t)n : MANY_CHILDREN;
    }
}

bool export_find_root(struct export *e)
{
    const struct request *request = e->context->request;
    struct humanoid humanoid;
    struct err ignored;
    e->root.top = e->root.hips = -1;
    if (request->export.root_motion == EXPORT_ROOT_KEEP)
        return true;
    uint8_t *marks = export_array(e, e->model->node_count, sizeof *marks);
    e->root.only_children = export_array(e, e->model->node_count, sizeof *e->root.only_children);
    e->root.moves = export_array(e, (size_t)e->model->node_count + 1, sizeof *e->root.moves);
    if (marks == NULL || e->root.only_children == NULL || e->root.moves == NULL)
        return false;
    find_only_children(e);
    e->root.is_given = request->motion.root.kind != SELECT_NONE;
    if (e->root.is_given) {
        uint32_t node;
        if (select_thing(e->model, request->model, THING_NODE, &request->motion.root, &node, e->context->reply) < 0)
            return false;
        e->root.top = (int32_t)node;
        return true;
    }
    e->root.top = root_motion_find_root(e->model, marks);
    if (humanoid_find(e->model, &(struct humanoid_choice){.map = HUMANOID_AUTO}, &humanoid, &ignored) == 0)
        e->root.hips = humanoid.nodes[ROLE_HIPS];
    return true;
}

void export_put_root(const struct export *e, struct model *model)
{
    if (e->root.nodes == NULL || model->nodes == e->root.nodes)
        return;
    model->nodes = e->root.nodes;
    model->node_order = e->root.order;
    model->scene_roots = e->root.scene_roots;
    model->node_count++;
    model->order_count++;
}

/* The node that has nothing above it and gets the root bone; -1: none. */
static int32_t node_without(const struct export *e)
{
    const int32_t top = e->root.top;
    const bool is_wanted = e->context->request->export.root_motion == EXPORT_ROOT_TO_ROOT && top >= 0 &&
                           (e->root.is_given || e->root.hips < 0 || e->root.hips == top);
    return is_wanted && e->model->nodes[top].parent < 0 ? top : -1;
}

bool export_add_root(struct export *e)
{
    const struct model *model = e->model;
    const int32_t top = node_without(e);
    if (top < 0)
        return true;
    const uint32_t count = model->node_count;
    struct node *nodes = export_array(e, (size_t)count + 1, sizeof *nodes);
    uint32_t *order = export_array(e, (size_t)model->order_count + 1, sizeof *order);
    uint32_t *roots = export_array(e, (size_t)model->root_count + 1, sizeof *roots);
    char *text = export_array(e, (size_t)model->text_byte_count + sizeof NAME, 1);
    struct model *rooted = export_array(e, 1, sizeof *rooted);
    if (nodes == NULL || order == NULL || roots == NULL || text == NULL || rooted == NULL)
        return false;
    memcpy(nodes, model->nodes, count * sizeof *nodes);
    nodes[count] = (struct node){.name = {(uint32_t)model->text_byte_count, (uint32_t)sizeof NAME - 1},
                                 .parent = -1,
                                 .mesh = -1,
                                 .skin = -1,
                                 .matrix = -1,
                                 .rotation = {0, 0, 0, 1},
                                 .scale = {1, 1, 1},
                                 .flags = nodes[top].flags & NODE_IN_SCENE};
    nodes[top].parent = (int32_t)count;
    order[0] = count;
    memcpy(order + 1, model->node_order, model->order_count * sizeof *order);
    for (uint32_t i = 0; i < model->root_count; i++)
        roots[i] = model->scene_roots[i] == (uint32_t)top ? count : model->scene_roots[i];
    memcpy(text, model->text, model->text_byte_count);
    memcpy(text + model->text_byte_count, NAME, sizeof NAME - 1);
    e->root.nodes = nodes;
    e->root.order = order;
    e->root.scene_roots = roots;
    *rooted = *model;
    export_put_root(e, rooted);
    rooted->text = text;
    rooted->text_byte_count = model->text_byte_count + sizeof NAME - 1;
    e->root.model = e->context->model;
    e->model = e->context->model = rooted;
    return true;
}

void export_end_root(struct export *e)
{
    if (e->root.nodes != NULL)
        e->context->model = e->root.model;
}
