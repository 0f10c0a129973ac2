/* hit_mesh.c - one draw after the other: skins its vertices, refits its tree, casts the rays. */
#include "anim/hits/hit_mesh.h"

#include "anim/hits/triangle.h"
#include "anim/pose/skin.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- orders --- */

static uint32_t triangle_count(const struct primitive *primitive)
{
    return primitive->topology == TOPOLOGY_TRIANGLES ? primitive->index_count / 3 : 0;
}

static void order_primitive(const struct model *model, const struct primitive *primitive, uint32_t *order)
{
    const uint32_t count = triangle_count(primitive);
    double(*middles)[3] = mem_alloc(((size_t)count + 1) * sizeof *middles);
    struct box_place *places = mem_alloc(((size_t)count + 1) * sizeof *places);
    for (uint32_t t = 0; t < count; t++) {
        double sum[3] = {0, 0, 0};
        for (int c = 0; c < 3; c++) {
            const uint32_t vertex =
                primitive->vertex_first + model->indices[primitive->index_first + 3 * t + (uint32_t)c];
            const double *at = DOUBLE3(model->positions[vertex]);
            for (int i = 0; i < 3; i++)
                sum[i] += at[i];
        }
        memcpy(middles[t], sum, sizeof sum); /* three times the middle orders as well */
    }
    box_tree_order((const double(*)[3])middles, count, places, order);
    free(places);
    free(middles);
}

struct hit_mesh *hit_mesh_new(const struct model *model)
{
    struct hit_mesh *mesh = mem_zalloc(1, sizeof *mesh);
    mesh->firsts = mem_zalloc((size_t)model->primitive_count + 1, sizeof *mesh->firsts);
    for (uint32_t p = 0; p < model->primitive_count; p++)
        mesh->firsts[p + 1] = mesh->firsts[p] + triangle_count(&model->primitives[p]);
    const size_t count = mesh->firsts[model->primitive_count];
    mesh->order = mem_alloc((count + 1) * sizeof *mesh->order);
    for (uint32_t p = 0; p < model->primitive_count; p++)
        order_primitive(model, &model->primitives[p], mesh->order + mesh->firsts[p]);
    mesh->size_bytes = sizeof *mesh + (count + model->primitive_count) * sizeof *mesh->order;
    return mesh;
}

void hit_mesh_free(struct hit_mesh *mesh)
{
    if (mesh == NULL)
        return;
    free(mesh->order);
    free(mesh->firsts);
    free(mesh);
}

/* --- draws --- */

static bool has_scene(const struct model *model)
{
    for (uint32_t d = 0; d < model->draw_count; d++)
        if ((model->draws[d].flags & DRAW_IN_SCENE) != 0)
            return true;
    return false;
}

static bool is_tested(const struct model *model, const struct draw *draw, bool is_of_scene)
{
    return (!is_of_scene || (draw->flags & DRAW_IN_SCENE) != 0) &&
           triangle_count(&model->primitives[draw->primitive]) > 0;
}

uint64_t hit_mesh_vertices(const struct model *model)
{
    const bool is_of_scene = has_scene(model);
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (is_tested(model, &model->draws[d], is_of_scene))
            count += model->primitives[model->draws[d].primitive].vertex_count;
    return count;
}

void mesh_work_init(struct mesh_work *work)
{
    *work = (struct mesh_work){0};
    entity_work_init(&work->end_poses);
}

void mesh_work_fini(struct mesh_work *work)
{
    free(work->palette.matrices);
    free(work->palette.parts);
    free(work->skinned);
    free(work->vertices);
    free(work->places);
    box_tree_fini(&work->tree);
    entity_work_fini(&work->end_poses);
}

static void *grow(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
    return count > *capacity ? mem_grow(items, capacity, count, item_bytes) : items;
}

/* --- vertices --- */

/* The pose of one entity; morph weights are known in double precision only. */
static void evaluate(struct entity_work *poses, const struct scene_pose *pose)
{
    if (pose->entity->model->morph_target_count > 0)
        entity_evaluate_exact(poses, pose->entity);
    else
        entity_evaluate(poses, pose->entity);
}

/* The draw in the pose evaluated last, into out[vertex_count]. */
static int skin_vertices(struct mesh_work *work, struct entity_work *poses, uint32_t d, const struct scene_pose *pose,
                         double (*out)[3], struct err *err)
{
    const struct model *model = pose->entity->model;
    const struct draw *draw = &model->draws[d];
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const uint32_t joints = model->skins[draw->skin].joint_count;
    work->palette.matrices =
        grow(work->palette.matrices, &work->matrix_capacity, joints, sizeof *work->palette.matrices);
    if (skin_has_parts(model, draw->skin))
        work->palette.parts = grow(work->palette.parts, &work->part_capacity, joints, sizeof *work->palette.parts);
    if (entity_palette(poses, draw->skin, LAYOUT_MAT4, work->palette.matrices[0].m, err) < 0)
        return err->code;
    skin_palette_take_apart(&work->palette, model, draw->skin);
    if (primitive->morph_target_count > 0)
        skin_draw(model, d, &poses->pose, &work->palette, false, work->skinned);
    else
        skin_positions(model, draw->primitive, &work->palette, model->positions + primitive->vertex_first,
                       work->skinned);
    if (skin_check(model, d, work->skinned, err) < 0)
        return err->code;
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        dmat4_point(&pose->world_from_scene, DOUBLE3(work->skinned[v]), out[v]);
    return 0;
}

/* What rays are cast at: one draw in one or two poses. */
struct posed_draw {
    const struct model *model;
    const struct primitive *primitive;
    const uint32_t *order;
    double (*begin)[3], (*end)[3]; /* end: NULL where it does not move */
    uint32_t draw, id, mask;
};

static void refit(struct mesh_work *work, const struct posed_draw *posed)
{
    const uint32_t *indices = posed->model->indices + posed->primitive->index_first;
    box_tree_resize(&work->tree, triangle_count(posed->primitive));
    for (uint32_t leaf = 0; leaf < work->tree.leaf_count; leaf++)
        for (uint32_t p = box_tree_place(&work->tree, leaf); p < box_tree_place(&work->tree, leaf + 1); p++)
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t vertex = indices[3 * posed->order[p] + c];
                box_grow(box_tree_leaf(&work->tree, leaf), posed->begin[vertex]);
                if (posed->end != NULL)
                    box_grow(box_tree_leaf(&work->tree, leaf), posed->end[vertex]);
            }
    box_tree_refit(&work->tree);
}

/* --- rays --- */

enum { SWEEP_STEPS = 8 }; /* what a ball at a triangle costs, compared with a ray */

static void load_corners(const struct posed_draw *posed, uint32_t triangle, double at, double corners[3][3])
{
    const uint32_t *indices = posed->model->indices + posed->primitive->index_first + 3 * triangle;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            corners[c][i] = posed->end == NULL
                                ? posed->begin[indices[c]][i]
                                : (1 - at) * posed->begin[indices[c]][i] + at * posed->end[indices[c]][i];
}

/* The nearest hit of a ray is kept in its place of the list. */
static void offer(struct mesh_work *work, struct hit_list *list, const struct hit *hit)
{
    size_t *place = &work->places[hit->ray];
    if (*place == SIZE_MAX)
        *place = list->count;
    hit_list_offer(list, *place, hit);
}

static void cast_triangle(struct mesh_work *work, const struct posed_draw *posed, uint32_t triangle, uint32_t r,
                          const struct triangle_ray *line, const struct mesh_rays *rays)
{
    const struct hit_ray *ray = &rays->rays[r];
    struct triangle_entry entry;
    double corners[3][3];
    load_corners(posed, triangle, ray->at, corners);
    rays->list->steps += ray->radius > 0 ? SWEEP_STEPS : 1;
    const bool is_hit = ray->radius > 0 ? triangle_sweep(line, ray->radius, (const double(*)[3])corners, &entry)
                                        : triangle_hit(line, (const double(*)[3])corners, &entry);
    if (!is_hit || !(entry.t <= ray->most))
        return;
    struct hit hit = {.ray = r,
                      .entity = posed->id,
                      .part = posed->draw,
                      .triangle = triangle,
                      .is_inside = ray->radius > 0 && !(entry.t > 0),
                      .distance = entry.t};
    memcpy(hit.point, entry.touched, sizeof hit.point);
    memcpy(hit.normal, entry.normal, sizeof hit.normal);
    memcpy(hit.barycentric, entry.barycentric, sizeof hit.barycentric);
    offer(work, rays->list, &hit);
}

static double most_of(const struct mesh_work *work, const struct mesh_rays *rays, uint32_t r)
{
    const size_t place = work->places[r];
    return rays->list->is_all || place == SIZE_MAX ? rays->rays[r].most : rays->list->hits[place].distance;
}

static void cast_ray(struct mesh_work *work, const struct posed_draw *posed, uint32_t r, const struct mesh_rays *rays)
{
    const struct hit_ray *ray = &rays->rays[r];
    struct triangle_ray line;
    struct box_ray box_ray;
    struct box_walk walk;
    uint32_t leaf;
    if ((ray->mask & posed->mask) == 0 || ray->ignored == posed->id)
        return;
    triangle_ray_init(&line, ray->origin, ray->direction);
    box_ray_init(&box_ray, ray->origin, ray->direction, ray->radius);
    box_walk_start(&walk, &work->tree);
    while (!hit_list_is_over(rays->list) &&
           box_walk_next(&walk, &work->tree, &box_ray, most_of(work, rays, r), &leaf, &rays->list->steps))
        for (uint32_t p = box_tree_place(&work->tree, leaf); p < box_tree_place(&work->tree, leaf + 1); p++)
            cast_triangle(work, posed, posed->order[p], r, &line, rays);
}

void hit_mesh_begin(struct mesh_work *work, const struct mesh_rays *rays)
{
    work->places = grow(work->places, &work->place_capacity, rays->count, sizeof *work->places);
    for (uint32_t r = 0; r < rays->count; r++)
        work->places[r] = SIZE_MAX;
}

static int no_memory(const struct primitive *primitive, struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "there is no memory for %u vertices", primitive->vertex_count);
}

/* Room for the vertices of the draw in all poses. */
static int find_room(struct mesh_work *work, const struct posed_draw *posed, int pose_count, struct err *err)
{
    const uint32_t count = posed->primitive->vertex_count;
    work->skinned = mem_room(work->skinned, &work->skinned_capacity, count, sizeof *work->skinned);
    work->vertices =
        mem_room(work->vertices, &work->vertex_capacity, (uint64_t)pose_count * count, sizeof *work->vertices);
    return work->skinned == NULL || work->vertices == NULL ? no_memory(posed->primitive, err) : 0;
}

static int cast_draw(struct mesh_work *work, struct entity_work *poses, struct posed_draw *posed,
                     const struct scene_pose *begin, const struct scene_pose *end, const struct mesh_rays *rays,
                     struct err *err)
{
    if (find_room(work, posed, end != NULL ? 2 : 1, err) < 0)
        return err->code;
    posed->begin = work->vertices;
    posed->end = end != NULL ? work->vertices + posed->primitive->vertex_count : NULL;
    if (skin_vertices(work, poses, posed->draw, begin, posed->begin, err) < 0 ||
        (end != NULL && skin_vertices(work, &work->end_poses, posed->draw, end, posed->end, err) < 0))
        return err->code;
    refit(work, posed);
    for (uint32_t r = 0; r < rays->count; r++)
        cast_ray(work, posed, r, rays);
    return 0;
}

int hit_mesh_cast(struct mesh_work *work, struct entity_work *poses, const struct hit_mesh *mesh, uint32_t id,
                  uint32_t mask, const struct scene_pose *begin, const struct scene_pose *end,
                  const struct mesh_rays *rays, struct err *err)
{
    const struct model *model = begin->entity->model;
    const bool is_of_scene = has_scene(model);
    struct posed_draw posed = {.model = model, .id = id, .mask = mask};
    work->end_poses.compiled.kernel = poses->compiled.kernel;
    evaluate(poses, begin);
    if (end != NULL)
        evaluate(&work->end_poses, end);
    for (uint32_t d = 0; d < model->draw_count && !hit_list_is_over(rays->list); d++) {
        if (!is_tested(model, &model->draws[d], is_of_scene))
            continue;
        posed.primitive = &model->primitives[model->draws[d].primitive];
        posed.order = mesh->order + mesh->firsts[model->draws[d].primitive];
        posed.draw = d;
        if (cast_draw(work, poses, &posed, begin, end, rays, err) < 0)
            return err->code;
    }
    return 0;
}
