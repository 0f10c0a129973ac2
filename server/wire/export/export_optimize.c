/* export_optimize.c - optimize=1: the steps, the grids of positions, and the report. */
#include "anim/pose/pose.h"
#include "wire/export/export_internal.h"
#include "wire/optimize/quantize.h"
#include "wire/reply/reply_json.h"

#include <math.h>
#include <stdlib.h>

bool export_start_optimizing(struct export *e)
{
    const struct request_export *request = &e->context->request->export;
    if (!request->is_optimized)
        return true;
    struct export_optimizing *optimizing = export_array(e, 1, sizeof *optimizing);
    if (optimizing == NULL)
        return false;
    e->optimizing = optimizing;
    buf_init(&optimizing->decoded, SIZE_MAX / 4);
    e->glb->groups = glb_groups_new();
    return e->glb->groups != NULL || context_fail_memory(e->context);
}

void export_end_optimizing(struct export *e)
{
    glb_groups_free(e->glb->groups);
    e->glb->groups = NULL;
    if (e->optimizing != NULL)
        buf_fini(&e->optimizing->decoded);
}

/* --- grids --- */

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
        const struct dmat4 *scene_from_node = &e->before.scene_from_node[n];
        e->optimizing->stretches[n] = node->parent < 0 ? 1 : stretch_of(&e->before.scene_from_node[node->parent]);
        if (export_mesh_of(e, n) == GLB_NONE)
            continue;
        struct region *region = &regions[e->optimizing->mesh_grids[node->mesh]];
        const struct skin *skin = node->skin < 0 ? NULL : &model->skins[node->skin];
        if (skin == NULL)
            region->stretch = fmax(region->stretch, stretch_of(scene_from_node));
        for (uint32_t j = 0; skin != NULL && j < skin->joint_count; j++) {
            const struct joint *joint = &model->joints[skin->joint_first + j];
            const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
            const struct dmat4 palette = dmat4_mul(&e->before.scene_from_node[joint->node], &joint_from_bind);
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
        const double off = sqrt(3) / 2 * grid.step * region->stretch * (region->has_targets ? 2 : 1);
        if (grid.step > 0 && isfinite(grid.step) && region->delta / grid.step < INT16_MAX && off <= units)
            return grid;
    }
    grid.bits = 0;
    return grid;
}

bool export_plan_grids(struct export *e)
{
    struct export_optimizing *optimizing = e->optimizing;
    const struct model *model = e->model;
    static const double SHARE = 1e-4;
    if (optimizing == NULL)
        return true;
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
    enum { VERTICES_PER_STEP = 2, DELTAS_PER_STEP = 16 }; /* also of welding */
    return export_is_affordable(e, model->node_count + model->joint_count +
                                       ((uint64_t)model->position_count + model->index_count) / VERTICES_PER_STEP +
                                       model->morph_delta_count / DELTAS_PER_STEP);
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

/* --- the steps --- */

/* Makes all grids finer where they are coarser; to none at 0. */
static void refine(struct export *e, int bits)
{
    for (uint32_t m = 0; m < e->model->mesh_count; m++) {
        struct grid *grid = &e->optimizing->grids[m];
        if (grid->bits == 0 || grid->bits >= GRID_BITS_MOST)
            continue;
        grid->step = (double)(float)(grid->step * ((1 << grid->bits) - 1) / ((1 << bits) - 1));
        grid->bits = bits;
    }
}

/* Whether a vertex has more joints than one set. Readers with a single set scale its weights, in place: bytes would be
 * rounded once more. */
static bool has_several_sets(const struct model *model)
{
    enum { SET_SIZE = 4 };
    for (uint32_t v = 0; v < model->position_count; v++)
        if (model->influence_firsts[v + 1] - model->influence_firsts[v] > SET_SIZE)
            return true;
    return false;
}

/* Stores keys and vertices without any loss. */
static bool give_up(struct export *e)
{
    struct export_optimizing *optimizing = e->optimizing;
    optimizing->units = 0;
    optimizing->weight_bits = 0;
    optimizing->worst = (struct export_distance){.units = 0};
    for (uint32_t m = 0; m < e->model->mesh_count; m++)
        optimizing->grids[m].bits = 0;
    return export_optimize_clips(e);
}

bool export_optimize(struct export *e)
{
    static const int WEIGHT_BITS[] = {8, 10, 12, 14, 16};
    enum { TRIES = sizeof WEIGHT_BITS / sizeof *WEIGHT_BITS, FINEST_GRID_FROM = 2 };
    struct export_optimizing *optimizing = e->optimizing;
    if (optimizing == NULL)
        return true;
    optimizing->places = export_array(e, e->model->position_count, sizeof *optimizing->places);
    optimizing->place_counts = export_array(e, e->model->primitive_count, sizeof *optimizing->place_counts);
    if (optimizing->places == NULL || optimizing->place_counts == NULL || !export_optimize_clips(e))
        return false;
    const struct export_distance of_joints = optimizing->worst;
    for (int i = has_several_sets(e->model) ? 1 : 0; i < TRIES && optimizing->units > 0; i++) {
        optimizing->weight_bits = WEIGHT_BITS[i];
        if (i == FINEST_GRID_FROM)
            refine(e, GRID_BITS_MOST);
        optimizing->worst = of_joints;
        if (!export_measure_vertices(e))
            return false;
        if (optimizing->worst.units <= optimizing->units)
            return true;
    }
    return !(optimizing->units > 0) || give_up(e);
}

/* --- the report --- */

/* Lists of names of what the file lacks. */
struct dropped {
    struct export *e;
    const char *key;
    bool is_begun;
};

static void drop(struct dropped *dropped, struct str name)
{
    struct buf *out = dropped->e->out;
    if (!dropped->is_begun)
        json_printf(out, ",%s:[", dropped->key);
    json_comma(out, dropped->is_begun);
    json_printf(out, "%.*s", JSON_STR(dropped->e->model, name));
    dropped->is_begun = true;
}

static void end_dropped(const struct dropped *dropped)
{
    if (dropped->is_begun)
        buf_put_char(dropped->e->out, ']');
}

/* Appends ,"materials":[..],"skins":[..],"meshes":[..] without the empty ones. */
static void put_dropped(struct export *e)
{
    const struct model *model = e->model;
    struct dropped materials = {e, "materials", false}, skins = {e, "skins", false}, meshes = {e, "meshes", false};
    for (uint32_t m = 0; m < model->material_count; m++)
        if (e->surfaces.materials[m] == GLB_NONE)
            drop(&materials, model->materials[m].name);
    end_dropped(&materials);
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (e->skin_places[s] == GLB_NONE && (model->skins[s].flags & SKIN_RIGID) == 0)
            drop(&skins, model->skins[s].name);
    end_dropped(&skins);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (e->mesh_places[2 * (size_t)m] == GLB_NONE && e->mesh_places[2 * (size_t)m + 1] == GLB_NONE)
            drop(&meshes, model->meshes[m].name);
    end_dropped(&meshes);
}

void export_put_optimized(struct export *e)
{
    const struct export_optimizing *optimizing = e->optimizing;
    struct buf *out = e->out;
    if (optimizing == NULL)
        return;
    uint64_t merged_bytes;
    const uint32_t merged = glb_groups_merged(e->glb->groups, &merged_bytes);
    const double size = e->size > 0 ? e->size : 1;
    json_printf(out, ",\"optimized\":{\"share_of_size_most\":%f,\"share_of_size\":%f", optimizing->units_most / size,
                optimizing->worst.units / size);
    json_printf(out, ",\"time\":%f,\"node\":%u,\"poses\":%llu,\"normal_degrees\":%f", optimizing->worst.time_s,
                optimizing->worst.node, (unsigned long long)optimizing->compared, optimizing->normal_degrees);
    json_printf(out, ",\"keys\":[%llu,%llu],\"vertices\":[%llu,%llu]", (unsigned long long)optimizing->keys,
                (unsigned long long)optimizing->kept_keys, (unsigned long long)optimizing->vertices,
                (unsigned long long)optimizing->kept_vertices);
    json_printf(out, ",\"weight_bits\":%u,\"still_channels\":%u,\"equal_arrays\":%u", (uint32_t)optimizing->weight_bits,
                optimizing->still_channels, merged);
    put_dropped(e);
    buf_put_char(out, '}');
}
