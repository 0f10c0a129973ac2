/* export_grids.c - optimize=1: the grids on which meshes have their positions. */
#include "anim/pose/pose.h"
#include "wire/export/export_optimize.h"
#include "wire/optimize/quantize.h"

#include <math.h>

enum { GRID_BITS_LEAST = 14, GRID_BITS_MOST = 16 };
/* Positions may be off by this share of e->optimizing->units at rest. */
static const double POSITIONS_SHARE = 0.6;

/* What the meshes on a grid have in common. */
struct region {
    struct box box;
    double delta, stretch; /* largest difference of a morph target; by how much the scene enlarges positions */
    bool has_targets;
};

static uint32_t root_of(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

/* Joins the meshes that share a skin. */
static void join_meshes(const struct export *e, uint32_t *parents)
{
    const struct model *model = e->model;
    uint32_t *of_skin = e->optimizing->skin_grids;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct node *node = &model->nodes[n];
        if (export_mesh_of(e, n) == GLB_NONE || node->skin < 0)
            continue;
        if (of_skin[node->skin] == GLB_NONE)
            of_skin[node->skin] = (uint32_t)node->mesh;
        parents[root_of(parents, (uint32_t)node->mesh)] = root_of(parents, of_skin[node->skin]);
    }
    for (uint32_t m = 0; m < model->mesh_count; m++)
        parents[m] = root_of(parents, m);
    for (uint32_t s = 0; s < model->skin_count; s++)
        of_skin[s] = of_skin[s] == GLB_NONE ? GLB_NONE : parents[of_skin[s]];
}

static void look_at_deltas(const struct model *model, const struct primitive *p, struct region *region)
{
    for (uint32_t t = p->morph_target_first; t < p->morph_target_first + p->morph_target_count; t++) {
        const uint32_t first = model->morph_targets[t].position_first;
        region->has_targets = true;
        for (uint32_t v = 0; first != UINT32_MAX && v < p->vertex_count; v++)
            for (int i = 0; i < 3; i++)
                region->delta = fmax(region->delta, fabs(DOUBLE3(model->morph_deltas[first + v])[i]));
    }
}

static void find_boxes(const struct export *e, struct region *regions)
{
    const struct model *model = e->model;
    for (uint32_t m = 0; m < e->mesh_count; m++) {
        const struct mesh *mesh = &model->meshes[e->meshes[m].mesh];
        struct region *region = &regions[e->optimizing->mesh_grids[e->meshes[m].mesh]];
        for (uint32_t i = mesh->primitive_first; i < mesh->primitive_first + mesh->primitive_count; i++) {
            const struct primitive *p = &model->primitives[i];
            for (uint32_t v = 0; v < p->vertex_count && p->index_count > 0; v++)
                box_add(&region->box, DOUBLE3(model->positions[p->vertex_first + v]));
            look_at_deltas(model, p, region);
        }
    }
}

static double stretch_of(const struct dmat4 *m)
{
    double most = 0;
    for (int c = 0; c < 3; c++)
        most = fmax(most, sqrt(dot3(m->m + 4 * c, m->m + 4 * c)));
    return most;
}

/* Finds by how much the rest pose enlarges each mesh, and e->optimizing->stretches. */
static void find_stretches(struct export *e, struct region *regions)
{
    const struct model *model = e->model;
    pose_evaluate(&e->before, model, POSE_REST, 0);
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct node *node = &model->nodes[n];
        e->optimizing->stretches[n] = node->parent < 0 ? 1 : stretch_of(&e->before.scene_from_node[node->parent]);
        if (export_mesh_of(e, n) == GLB_NONE || node->skin >= 0)
            continue;
        struct region *region = &regions[e->optimizing->mesh_grids[node->mesh]];
        region->stretch = fmax(region->stretch, stretch_of(&e->before.scene_from_node[n]));
    }
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const struct skin *skin = &model->skins[s];
        for (uint32_t j = 0; e->optimizing->skin_grids[s] != GLB_NONE && j < skin->joint_count; j++) {
            const struct joint *joint = &model->joints[skin->joint_first + j];
            const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
            const struct dmat4 palette = dmat4_mul(&e->before.scene_from_node[joint->node], &joint_from_bind);
            struct region *region = &regions[e->optimizing->skin_grids[s]];
            region->stretch = fmax(region->stretch, stretch_of(&palette));
        }
    }
}

/* Chooses the coarsest grid on which positions are near enough. Its bits are 0 if there is none. */
static struct grid choose_grid(const struct export *e, const struct region *region)
{
    const double units = e->optimizing->units * POSITIONS_SHARE;
    struct grid grid = {.bits = 0};
    if (!(units > 0) || box_is_empty(&region->box) || !(box_size(&region->box) > 0))
        return grid;
    for (int bits = GRID_BITS_LEAST; bits <= GRID_BITS_MOST; bits++) {
        grid = grid_make(region->box.min, region->box.max, bits);
        grid.delta = region->delta;
        const double off = sqrt(3) / 2 * grid.step * region->stretch * (region->has_targets ? 2 : 1);
        if (grid.step > 0 && isfinite(grid.step) && region->delta / grid.step < INT16_MAX && off <= units)
            return grid;
    }
    grid.bits = 0;
    return grid;
}

/* Steps of looking at all vertices, and of welding them. Targets may share their differences. */
static uint64_t vertex_steps(const struct model *model)
{
    enum { VERTICES_PER_STEP = 2, DELTAS_PER_STEP = 8 };
    uint64_t deltas = 0;
    for (uint32_t p = 0; p < model->primitive_count; p++)
        deltas += (uint64_t)model->primitives[p].vertex_count * model->primitives[p].morph_target_count;
    return model->node_count + model->joint_count +
           ((uint64_t)model->position_count + model->index_count) / VERTICES_PER_STEP + deltas / DELTAS_PER_STEP;
}

bool export_plan_grids(struct export *e)
{
    struct export_optimizing *optimizing = e->optimizing;
    const struct model *model = e->model;
    static const double SHARE = 1e-4;
    if (optimizing == NULL)
        return true;
    if (!export_is_affordable(e, vertex_steps(model)))
        return false;
    optimizing->units_most = e->context->request->export.is_exact ? 0 : SHARE * e->size;
    optimizing->units = optimizing->units_most;
    optimizing->stretches = export_array(e, model->node_count, sizeof *optimizing->stretches);
    optimizing->mesh_grids = export_array(e, model->mesh_count, sizeof *optimizing->mesh_grids);
    optimizing->skin_grids = export_array(e, model->skin_count, sizeof *optimizing->skin_grids);
    optimizing->grids = export_array(e, model->mesh_count, sizeof *optimizing->grids);
    struct region *regions = export_array(e, model->mesh_count, sizeof *regions);
    if (optimizing->stretches == NULL || optimizing->mesh_grids == NULL || optimizing->skin_grids == NULL ||
        optimizing->grids == NULL || regions == NULL)
        return false;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        optimizing->mesh_grids[m] = m;
        regions[m].box = BOX_EMPTY;
    }
    memset(optimizing->skin_grids, 0xff, model->skin_count * sizeof *optimizing->skin_grids); /* GLB_NONE */
    join_meshes(e, optimizing->mesh_grids);
    find_boxes(e, regions);
    find_stretches(e, regions);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        optimizing->grids[m] = choose_grid(e, &regions[m]);
    return true;
}

static const struct grid *used_grid(const struct export *e, uint32_t index)
{
    return index == GLB_NONE || e->optimizing->grids[index].bits == 0 ? NULL : &e->optimizing->grids[index];
}

const struct grid *export_grid_of_node(const struct export *e, uint32_t node)
{
    return e->optimizing == NULL || export_mesh_of(e, node) == GLB_NONE
               ? NULL
               : used_grid(e, e->optimizing->mesh_grids[e->model->nodes[node].mesh]);
}

const struct grid *export_grid_of_skin(const struct export *e, uint32_t skin)
{
    return e->optimizing == NULL ? NULL : used_grid(e, e->optimizing->skin_grids[skin]);
}

void export_refine_grids(struct export *e)
{
    for (uint32_t m = 0; m < e->model->mesh_count; m++) {
        struct grid *grid = &e->optimizing->grids[m];
        if (grid->bits > 0 && grid->bits < GRID_BITS_MOST)
            grid_refine(grid, GRID_BITS_MOST);
    }
}
