/* export_nodes.c - plans the nodes of the file, their hierarchy, and the roots of the scene. */
#include "wire/glb/axes.h"
#include "wire/export/export_optimize.h"

#include <string.h>

/* State of the planning. */
struct planner {
    struct export *e;
    uint32_t *tops;    /* [node_count of the model]: the root above each node */
    uint8_t *is_root;  /* likewise: a root of the scene */
    uint8_t *is_drawn; /* [skin_count]: the scene draws a mesh with this skin */
    uint32_t *marks;   /* likewise: scratch */
    bool needs_top;    /* roots need a common parent */
};

static uint32_t add_node(struct export *e, enum export_kind kind, uint32_t source, uint32_t parent)
{
    e->nodes[e->node_count] = (struct export_node){
        .kind = kind, .source = source, .parent = parent, .first_child = GLB_NONE, .next_sibling = GLB_NONE};
    return e->node_count++;
}

static void number_nodes(struct export *e)
{
    const struct model *model = e->model;
    for (uint32_t n = 0; n < model->node_count; n++)
        e->node_places[n] = e->keeps[n] == KEEP_NOTHING ? GLB_NONE : add_node(e, EXPORT_NODE, n, GLB_NONE);
    for (uint32_t p = 0; p < e->node_count; p++) {
        const int32_t parent = model->nodes[e->nodes[p].source].parent;
        e->nodes[p].parent = parent < 0 ? GLB_NONE : e->node_places[parent];
    }
}

/* glTF allows each node only once per skin. */
static void find_joints(struct planner *planner)
{
    struct export *e = planner->e;
    const struct model *model = e->model;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; e->skin_places[s] != GLB_NONE && j < model->skins[s].joint_count; j++) {
            const uint32_t joint = model->skins[s].joint_first + j, n = model->joints[joint].node;
            const bool is_again = planner->marks[n] == s + 1;
            e->joint_places[joint] = is_again ? add_node(e, EXPORT_TWIN, n, e->node_places[n]) : e->node_places[n];
            planner->marks[n] = s + 1;
        }
}

/* A mesh whose positions are places on a grid is at a node of its own. A skin has the grid in its matrices. */
static void add_meshes(struct export *e)
{
    for (uint32_t n = 0; n < e->model->node_count; n++) {
        const bool is_on_grid = e->model->nodes[n].skin < 0 && export_grid_of_node(e, n) != NULL;
        e->mesh_node_places[n] = is_on_grid ? add_node(e, EXPORT_MESH, n, e->node_places[n]) : e->node_places[n];
    }
}

static void add_views(struct export *e)
{
    uint32_t next = 0;
    for (uint32_t c = 0; c < e->model->camera_count; c++) {
        const struct model_camera *camera = &e->model->cameras[c];
        e->camera_places[c] = next;
        next += e->keeps[camera->node] == KEEP_ALL;
        if (e->keeps[camera->node] == KEEP_ALL && camera->facing == CAMERA_FACING_X)
            add_node(e, EXPORT_VIEW, camera->node, e->node_places[camera->node]);
    }
}

/* glTF matrices must decompose into translation, rotation and scale, so a shearing matrix becomes two nodes. */
static void add_shears(struct export *e)
{
    const struct model *model = e->model;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const uint32_t place = e->node_places[n];
        if (place == GLB_NONE || (model->nodes[n].flags & NODE_SHEAR) == 0 || e->is_moved[n])
            continue;
        const uint32_t shear = add_node(e, EXPORT_SHEAR, n, e->nodes[place].parent);
        e->nodes[place].parent = shear;
    }
}

/* --- the scene --- */

static void find_tops(const struct planner *planner)
{
    const struct model *model = planner->e->model;
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const int32_t parent = model->nodes[n].parent;
        planner->tops[n] = parent < 0 ? n : planner->tops[parent];
    }
}

/* glTF scenes list only nodes without a parent. */
static void find_roots(struct planner *planner)
{
    struct export *e = planner->e;
    const struct model *model = e->model;
    uint32_t count = 0;
    for (uint32_t r = 0; r < model->root_count; r++) {
        const uint32_t root = model->scene_roots[r], top = planner->tops[root];
        if (e->keeps[root] == KEEP_NOTHING)
            continue;
        if (top != root && !planner->is_root[top] && e->context->request->pose.joint_count == 0)
            export_warn(e, "scene_grown",
                        "the scene lists node %u, which is below another: here it has all that is below node %u", root,
                        top);
        planner->is_root[top] = 1;
        count++;
    }
    for (uint32_t n = 0; n < model->node_count && count == 0 && e->context->request->pose.joint_count > 0; n++)
        if (e->keeps[n] != KEEP_NOTHING)
            planner->is_root[planner->tops[n]] = 1; /* the requested nodes lie outside the scene */
}

/* The scene must contain the joints of the meshes that it draws (3.7.3.2), and the joints of a skin need a common root.
 */
static void join_skins(struct planner *planner)
{
    struct export *e = planner->e;
    const struct model *model = e->model;
    for (uint32_t n = 0; n < model->node_count; n++)
        if (e->keeps[n] == KEEP_ALL && model->nodes[n].skin >= 0 && planner->is_root[planner->tops[n]] != 0)
            planner->is_drawn[model->nodes[n].skin] = 1;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const struct skin *skin = &model->skins[s];
        const struct joint *joints = &model->joints[skin->joint_first];
        if (e->skin_places[s] == GLB_NONE)
            continue;
        const bool is_drawn = planner->is_drawn[s] != 0;
        bool is_split = false;
        for (uint32_t j = 0; j < skin->joint_count; j++)
            is_split = is_split || planner->tops[joints[j].node] != planner->tops[joints[0].node];
        planner->needs_top = planner->needs_top || is_split;
        for (uint32_t j = 0; j < skin->joint_count && (is_drawn || is_split); j++) {
            const uint32_t top = planner->tops[joints[j].node];
            if (!planner->is_root[top])
                export_warn(e, "scene_grown", "skin %u has joints outside of the scene: here node %u is in it", s, top);
            planner->is_root[top] = 1;
        }
    }
}

/* Lists the file's own roots first, then the added ones. */
static void list_roots(struct planner *planner)
{
    struct export *e = planner->e;
    const struct model *model = e->model;
    for (uint32_t r = 0; r < model->root_count; r++) {
        const uint32_t top = planner->tops[model->scene_roots[r]];
        if (planner->is_root[top] == 1)
            e->roots[e->root_count++] = e->node_places[top];
        planner->is_root[top] = planner->is_root[top] != 0 ? 2 : 0;
    }
    for (uint32_t n = 0; n < model->node_count; n++)
        if (planner->is_root[n] == 1)
            e->roots[e->root_count++] = e->node_places[n];
    /* a root whose matrix shears has another node above it */
    for (uint32_t r = 0; r < e->root_count; r++)
        if (e->nodes[e->roots[r]].parent != GLB_NONE)
            e->roots[r] = e->nodes[e->roots[r]].parent;
}

static void link_children(struct export *e)
{
    for (uint32_t p = e->node_count; p-- > 0;) {
        const uint32_t parent = e->nodes[p].parent;
        if (parent == GLB_NONE)
            continue;
        e->nodes[p].next_sibling = e->nodes[parent].first_child;
        e->nodes[parent].first_child = p;
    }
}

static void add_top(struct export *e)
{
    const uint32_t top = add_node(e, EXPORT_TOP, GLB_NONE, GLB_NONE);
    for (uint32_t r = 0; r < e->root_count; r++)
        e->nodes[e->roots[r]].parent = top;
    e->roots[0] = top;
    e->root_count = 1;
}

bool export_plan_nodes(struct export *e)
{
    const struct model *model = e->model;
    struct planner planner = {.e = e};
    const size_t most = 3 * (size_t)model->node_count + model->joint_count + model->camera_count + 1;
    e->nodes = export_array(e, most, sizeof *e->nodes);
    e->node_places = export_array(e, model->node_count, sizeof *e->node_places);
    e->joint_places = export_array(e, model->joint_count, sizeof *e->joint_places);
    e->camera_places = export_array(e, model->camera_count, sizeof *e->camera_places);
    e->mesh_node_places = export_array(e, model->node_count, sizeof *e->mesh_node_places);
    e->roots = export_array(e, (size_t)model->node_count + 1, sizeof *e->roots);
    planner.tops = export_array(e, model->node_count, sizeof *planner.tops);
    planner.marks = export_array(e, model->node_count, sizeof *planner.marks);
    planner.is_root = export_array(e, model->node_count, sizeof *planner.is_root);
    planner.is_drawn = export_array(e, model->skin_count, sizeof *planner.is_drawn);
    if (e->nodes == NULL || e->node_places == NULL || e->joint_places == NULL || e->roots == NULL ||
        e->mesh_node_places == NULL || e->camera_places == NULL || planner.tops == NULL || planner.marks == NULL ||
        planner.is_root == NULL || planner.is_drawn == NULL)
        return false;
    number_nodes(e);
    find_joints(&planner);
    add_views(e);
    add_meshes(e);
    add_shears(e);
    find_tops(&planner);
    find_roots(&planner);
    join_skins(&planner);
    list_roots(&planner);
    if (e->root_count > 0 && (planner.needs_top || e->has_axes))
        add_top(e);
    link_children(e);
    return true;
}
