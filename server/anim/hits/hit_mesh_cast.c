/* hit_mesh_cast.c - for one draw after the other, bounds its blocks, casts the rays, and opens the blocks that they
 * come near. */
#include "anim/hits/hit_mesh.h"

#include "anim/shape/triangle.h"
#include "base/mem.h"

#include <string.h>

/* The target of rays: one draw in one or two poses. */
struct posed_draw {
    const struct model *model;
    const struct primitive *primitive;
    const struct hit_mesh *mesh;
    const uint32_t *order;
    const struct scene_pose *poses[2]; /* the second is NULL where it does not move */
    const double *weights[2];          /* morph weights */
    struct box_tree top;               /* the tree down to the blocks */
    uint32_t draw, id, mask, triangle_count;
};

static void *grow(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
    return count > *capacity ? mem_grow(items, capacity, count, item_bytes) : items;
}

static struct mesh_pose *pose_of(struct mesh_work *work, int p) { return p == 0 ? &work->begin : &work->end; }

/* --- poses --- */

/* Evaluates the pose of one entity. Morph weights only exist in double precision. */
static void evaluate(struct entity_work *poses, const struct scene_pose *pose)
{
    if (pose->entity->model->morph_target_count > 0)
        entity_evaluate_exact(poses, pose->entity);
    else
        entity_evaluate(poses, pose->entity);
}

/* Loads the palette of the draw in the last pose. */
static int load_pose(struct mesh_pose *pose, struct entity_work *poses, const struct posed_draw *posed, struct err *err)
{
    const struct model *model = posed->model;
    const uint32_t skin = model->draws[posed->draw].skin, joints = model->skins[skin].joint_count;
    struct skin_palette *palette = &pose->palette;
    palette->matrices = grow(palette->matrices, &pose->matrix_capacity, joints, sizeof *palette->matrices);
    if (skin_has_parts(model, skin))
        palette->parts = grow(palette->parts, &pose->part_capacity, joints, sizeof *palette->parts);
    if (entity_palette(poses, skin, LAYOUT_MAT4, palette->matrices[0].m, err) < 0)
        return err->code;
    skin_palette_take_apart(palette, model, skin);
    return 0;
}

/* --- vertices --- */

enum { AT_ONCE = 64 };

/* Skins some vertices of the primitive in all poses, with the result of skin_draw(). places[count]: which. */
static void skin_some(struct mesh_work *work, const struct posed_draw *posed, const uint32_t *places, uint32_t count)
{
    const struct model *model = posed->model;
    const struct draw *draw = &model->draws[posed->draw];
    const uint32_t first = posed->primitive->vertex_first;
    for (int p = 0; p < 2 && posed->poses[p] != NULL; p++, work->skinned_count += count) {
        const uint32_t weight_count = posed->weights[p] != NULL ? model->nodes[draw->node].weight_count : 0;
        struct mesh_pose *pose = pose_of(work, p);
        struct vec3 binds[AT_ONCE], skinned;
        skin_morph_places(model, draw->primitive, places, count, posed->weights[p], weight_count, binds);
        for (uint32_t i = 0; i < count; i++) {
            skin_position(model, first + places[i], &pose->palette, DOUBLE3(binds[i]), &skinned);
            dmat4_point(&posed->poses[p]->world_from_scene, DOUBLE3(skinned), pose->vertices[places[i]]);
        }
    }
}

/* Skins the corners of the triangles at begin..end of the order that are not skinned yet. */
static void skin_corners(struct mesh_work *work, const struct posed_draw *posed, uint32_t begin, uint32_t end)
{
    const uint32_t *indices = posed->model->indices + posed->primitive->index_first;
    uint32_t places[AT_ONCE], count = 0;
    for (uint32_t at = 3 * begin; at < 3 * end; at++) {
        const uint32_t v = indices[3 * posed->order[at / 3] + at % 3];
        places[count] = v;
        count += work->is_done[v] == 0;
        work->is_done[v] = 1;
        if (count == AT_ONCE) {
            skin_some(work, posed, places, count);
            count = 0;
        }
    }
    skin_some(work, posed, places, count);
}

/* Skins all vertices in one pose, for a draw without bounds, where a vertex may not be finite. */
static int skin_all(struct mesh_work *work, const struct posed_draw *posed, int p, const struct pose *evaluated,
                    struct err *err)
{
    struct mesh_pose *pose = pose_of(work, p);
    skin_draw(posed->model, posed->draw, evaluated, &pose->palette, false, work->skinned);
    work->skinned_count += posed->primitive->vertex_count;
    if (skin_check(posed->model, posed->draw, work->skinned, err) < 0)
        return err->code;
    for (uint32_t v = 0; v < posed->primitive->vertex_count; v++)
        dmat4_point(&posed->poses[p]->world_from_scene, DOUBLE3(work->skinned[v]), pose->vertices[v]);
    return 0;
}

/* --- blocks --- */

/* Computes the bounds of all blocks in all poses. False: some block has none. */
static bool bound_blocks(struct mesh_work *work, struct posed_draw *posed)
{
    const uint32_t count = posed->top.leaf_count;
    struct box rest = BOX_EMPTY;
    for (uint32_t b = 0; b < count; b++)
        *box_tree_leaf(&posed->top, b) = BOX_EMPTY;
    for (int p = 0; p < 2 && posed->poses[p] != NULL; p++) {
        const struct blocks_pose pose = {.model = posed->model,
                                         .draw = posed->draw,
                                         .palette = &pose_of(work, p)->palette,
                                         .weights = posed->weights[p],
                                         .world_from_scene = &posed->poses[p]->world_from_scene};
        for (uint32_t b = 0; b < count; b++)
            if (!mesh_block_bound(&posed->mesh->blocks, &pose, b, box_tree_leaf(&posed->top, b)))
                return false;
        if (!mesh_block_bound(&posed->mesh->blocks, &pose, count, &rest)) /* vertices that no triangle uses */
            return false;
    }
    return true;
}

/* Gives the triangles of a block their boxes, and the block its real box in place of its bound. */
static void open_block(struct mesh_work *work, const struct posed_draw *posed, uint32_t block)
{
    const uint32_t *indices = posed->model->indices + posed->primitive->index_first;
    const uint32_t leaves = work->tree.leaf_count / posed->top.leaf_count;
    if (work->is_opened[block])
        return;
    work->is_opened[block] = 1;
    skin_corners(work, posed, box_tree_place(&work->tree, leaves * block),
                 box_tree_place(&work->tree, leaves * (block + 1)));
    for (uint32_t leaf = leaves * block; leaf < leaves * (block + 1); leaf++) {
        struct box *box = box_tree_leaf(&work->tree, leaf);
        *box = BOX_EMPTY;
        for (uint32_t p = box_tree_place(&work->tree, leaf); p < box_tree_place(&work->tree, leaf + 1); p++)
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t vertex = indices[3 * posed->order[p] + c];
                box_grow(box, work->begin.vertices[vertex]);
                if (posed->poses[1] != NULL)
                    box_grow(box, work->end.vertices[vertex]);
            }
    }
    box_tree_refit_below(&work->tree, posed->top.leaf_count + block);
}

/* Opens all blocks of a draw without bounds. */
static int open_all(struct mesh_work *work, struct posed_draw *posed, struct entity_work *poses, struct err *err)
{
    if (skin_all(work, posed, 0, &poses->pose, err) < 0 ||
        (posed->poses[1] != NULL && skin_all(work, posed, 1, &work->end_poses.pose, err) < 0))
        return err->code;
    memset(work->is_done, 1, posed->primitive->vertex_count);
    for (uint32_t b = 0; b < posed->top.leaf_count; b++)
        open_block(work, posed, b);
    return 0;
}

/* --- rays --- */

enum { SWEEP_STEPS = 8 }; /* cost of a ball against a triangle, relative to a ray */

static void load_corners(const struct mesh_work *work, const struct posed_draw *posed, uint32_t triangle, double at,
                         double corners[3][3])
{
    const uint32_t *indices = posed->model->indices + posed->primitive->index_first + 3 * triangle;
    double(*const begin)[3] = work->begin.vertices, (*const end)[3] = work->end.vertices;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            corners[c][i] = posed->poses[1] == NULL ? begin[indices[c]][i]
                                                    : (1 - at) * begin[indices[c]][i] + at * end[indices[c]][i];
}

/* Keeps only the nearest hit of a ray, in place. */
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
    load_corners(work, posed, triangle, ray->at, corners);
    rays->list->steps += ray->radius > 0 ? SWEEP_STEPS : 1;
    rays->list->work_ns += ray->radius > 0 ? HIT_COST_BALL_AT_TRIANGLE_NS : HIT_COST_RAY_AT_TRIANGLE_NS;
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

/* Estimates opening a block. */
static uint64_t opening_ns(const struct posed_draw *posed)
{
    const struct draw *draw = &posed->model->draws[posed->draw];
    const uint32_t weight_count = posed->model->nodes[draw->node].weight_count;
    const uint64_t triangles = posed->triangle_count / posed->top.leaf_count;
    uint64_t work = triangles;
    for (int p = 0; p < 2 && posed->weights[p] != NULL; p++)
        work += skin_morph_work(posed->model, draw->primitive, posed->weights[p], weight_count, triangles);
    return work * HIT_COST_OPENED_TRIANGLE_NS;
}

static void cast_at_block(struct mesh_work *work, const struct posed_draw *posed, uint32_t block, uint32_t r,
                          const struct triangle_ray *line, const struct mesh_rays *rays)
{
    struct hit_list *list = rays->list;
    struct box_walk walk;
    uint32_t leaf;
    if (!work->is_opened[block])
        list->work_ns += opening_ns(posed);
    open_block(work, posed, block);
    box_walk_start_below(&walk, posed->top.leaf_count + block);
    while (!hit_list_is_over(list) &&
           box_walk_next(&walk, &work->tree, &work->box_rays[r], most_of(work, rays, r), &leaf, &list->steps))
        for (uint32_t p = box_tree_place(&work->tree, leaf); p < box_tree_place(&work->tree, leaf + 1); p++)
            cast_triangle(work, posed, posed->order[p], r, line, rays);
}

static void cast_ray(struct mesh_work *work, const struct posed_draw *posed, uint32_t r, const struct mesh_rays *rays)
{
    const struct hit_ray *ray = &rays->rays[r];
    struct triangle_ray line;
    struct box_walk walk;
    uint32_t block;
    bool is_near = false;
    if ((ray->mask & posed->mask) == 0 || ray->ignored == posed->id)
        return;
    box_walk_start(&walk, &posed->top);
    while (!hit_list_is_over(rays->list) &&
           box_walk_next(&walk, &posed->top, &work->box_rays[r], most_of(work, rays, r), &block, &rays->list->steps)) {
        if (!is_near)
            triangle_ray_init(&line, ray->origin, ray->direction);
        is_near = true;
        cast_at_block(work, posed, block, r, &line, rays);
    }
}

void hit_mesh_begin(struct mesh_work *work, const struct mesh_rays *rays)
{
    work->places = grow(work->places, &work->place_capacity, rays->count, sizeof *work->places);
    work->box_rays = grow(work->box_rays, &work->box_ray_capacity, rays->count, sizeof *work->box_rays);
    for (uint32_t r = 0; r < rays->count; r++) {
        const struct hit_ray *ray = &rays->rays[r];
        work->places[r] = SIZE_MAX;
        box_ray_init(&work->box_rays[r], ray->origin, ray->direction, ray->radius);
    }
}

/* --- draws --- */

/* Makes room for the vertices of the draw in all poses. */
static int find_capacity(struct mesh_work *work, const struct posed_draw *posed, struct err *err)
{
    const uint32_t count = posed->primitive->vertex_count;
    struct mesh_pose *begin = &work->begin, *end = &work->end;
    work->skinned = mem_reserve(work->skinned, &work->skinned_capacity, count, sizeof *work->skinned);
    work->is_done = mem_reserve(work->is_done, &work->done_capacity, count, 1);
    work->is_opened = mem_reserve(work->is_opened, &work->opened_capacity, posed->top.leaf_count, 1);
    begin->vertices = mem_reserve(begin->vertices, &begin->vertex_capacity, count, sizeof *begin->vertices);
    if (posed->poses[1] != NULL)
        end->vertices = mem_reserve(end->vertices, &end->vertex_capacity, count, sizeof *end->vertices);
    if (work->skinned == NULL || work->is_done == NULL || work->is_opened == NULL || begin->vertices == NULL ||
        (posed->poses[1] != NULL && end->vertices == NULL))
        return err_set(err, ERR_NO_MEMORY, "there is no memory for %u vertices", count);
    memset(work->is_done, 0, count);
    memset(work->is_opened, 0, posed->top.leaf_count);
    return 0;
}

static int cast_draw(struct mesh_work *work, struct entity_work *poses, struct posed_draw *posed,
                     const struct mesh_rays *rays, struct err *err)
{
    box_tree_shape(&work->tree, posed->triangle_count);
    posed->top = (struct box_tree){.boxes = work->tree.boxes,
                                   .count = posed->triangle_count,
                                   .leaf_count = mesh_block_count(posed->triangle_count)};
    if (find_capacity(work, posed, err) < 0 || load_pose(&work->begin, poses, posed, err) < 0 ||
        (posed->poses[1] != NULL && load_pose(&work->end, &work->end_poses, posed, err) < 0))
        return err->code;
    if (!bound_blocks(work, posed) && open_all(work, posed, poses, err) < 0)
        return err->code;
    box_tree_refit(&posed->top);
    for (uint32_t r = 0; r < rays->count; r++)
        cast_ray(work, posed, r, rays);
    return 0;
}

static const double *weights_of(const struct entity_work *poses, const struct model *model, uint32_t draw)
{
    return model->morph_target_count > 0 ? poses->pose.weights + model->nodes[model->draws[draw].node].weight_first
                                         : NULL;
}

int hit_mesh_cast(struct mesh_work *work, struct entity_work *poses, const struct hit_mesh *mesh, uint32_t id,
                  uint32_t mask, const struct scene_pose *begin, const struct scene_pose *end,
                  const struct mesh_rays *rays, struct err *err)
{
    const struct model *model = begin->entity->model;
    const bool is_of_scene = hit_mesh_has_scene(model);
    struct posed_draw posed = {.model = model, .mesh = mesh, .poses = {begin, end}, .id = id, .mask = mask};
    work->end_poses.compiled.kernel = poses->compiled.kernel;
    evaluate(poses, begin);
    if (end != NULL)
        evaluate(&work->end_poses, end);
    for (uint32_t d = 0; d < model->draw_count && !hit_list_is_over(rays->list); d++) {
        if (!hit_mesh_is_tested(model, &model->draws[d], is_of_scene))
            continue;
        const uint32_t p = model->draws[d].primitive;
        posed.primitive = &model->primitives[p];
        posed.order = mesh->order + mesh->firsts[p];
        posed.triangle_count = mesh->firsts[p + 1] - mesh->firsts[p];
        posed.draw = d;
        posed.weights[0] = weights_of(poses, model, d);
        posed.weights[1] = end != NULL ? weights_of(&work->end_poses, model, d) : NULL;
        if (cast_draw(work, poses, &posed, rays, err) < 0)
            return err->code;
    }
    return 0;
}
