/* hit_mesh.c - orders triangles, and manages the working memory of rays against them. */
#include "anim/hits/hit_mesh.h"

#include "anim/pose/bounds.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- orders --- */

static uint32_t triangle_count(const struct primitive *primitive)
{
    return primitive->topology == TOPOLOGY_TRIANGLES ? primitive->index_count / 3 : 0;
}

/* Computes three times the centre of a triangle, which orders as well as the centre. */
static void find_middle(const struct model *model, const struct primitive *primitive, uint32_t triangle,
                        double middle[3])
{
    const uint32_t *indices = model->indices + primitive->index_first + 3 * triangle;
    for (int i = 0; i < 3; i++)
        middle[i] = 0;
    for (int c = 0; c < 3; c++) {
        const double *at = DOUBLE3(model->positions[primitive->vertex_first + indices[c]]);
        for (int i = 0; i < 3; i++)
            middle[i] += at[i];
    }
}

/* Finds for each vertex of the primitive the joint that it follows most. */
static uint32_t *find_joints(const struct model *model, const struct primitive *primitive)
{
    uint32_t *joints = mem_alloc(((size_t)primitive->vertex_count + 1) * sizeof *joints);
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        joints[v] = bounds_main_joint(model, primitive->vertex_first + v);
    return joints;
}

/* Sorts the triangles of a primitive by the joint that their first corner follows most. Those of joint j end at
 * (*ends)[j] in `sorted`, where joint j + 1 begins. Returns the number of joints. */
static uint32_t sort_by_joint(const struct model *model, const struct primitive *primitive, uint32_t *sorted,
                              uint32_t **ends)
{
    const uint32_t count = triangle_count(primitive), *indices = model->indices + primitive->index_first;
    uint32_t *joints = find_joints(model, primitive), most = 0;
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        most = joints[v] > most ? joints[v] : most;
    *ends = mem_zalloc((size_t)most + 2, sizeof **ends);
    for (uint32_t t = 0; t < count; t++)
        (*ends)[joints[indices[3 * t]] + 1]++;
    for (uint32_t j = 0; j <= most; j++)
        (*ends)[j + 1] += (*ends)[j];
    for (uint32_t t = 0; t < count; t++) /* each begin moves to its end */
        sorted[(*ends)[joints[indices[3 * t]]]++] = t;
    free(joints);
    return most + 1;
}

/* Sorts by joint, then by place, because the vertices of one joint stay together in every pose. */
static void order_primitive(const struct model *model, const struct primitive *primitive, uint32_t *order)
{
    const uint32_t count = triangle_count(primitive);
    double(*middles)[3] = mem_alloc(((size_t)count + 1) * sizeof *middles);
    struct box_place *places = mem_alloc(((size_t)count + 1) * sizeof *places);
    uint32_t *sorted = mem_alloc(((size_t)count + 1) * sizeof *sorted), *ends;
    const uint32_t joints = sort_by_joint(model, primitive, sorted, &ends);
    for (uint32_t i = 0; i < count; i++)
        find_middle(model, primitive, sorted[i], middles[i]);
    for (uint32_t j = 0, first = 0; j < joints; first = ends[j++]) {
        box_tree_order((const double(*)[3])middles + first, ends[j] - first, places, order + first);
        for (uint32_t i = first; i < ends[j]; i++)
            order[i] = sorted[first + order[i]];
    }
    free(ends);
    free(sorted);
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
    mesh_blocks_init(&mesh->blocks, model, mesh->order, mesh->firsts);
    mesh->size_bytes = sizeof *mesh + (count + model->primitive_count) * sizeof *mesh->order + mesh->blocks.size_bytes;
    return mesh;
}

void hit_mesh_free(struct hit_mesh *mesh)
{
    if (mesh == NULL)
        return;
    free(mesh->order);
    free(mesh->firsts);
    mesh_blocks_fini(&mesh->blocks);
    free(mesh);
}

/* --- draws --- */

bool hit_mesh_has_scene(const struct model *model)
{
    for (uint32_t d = 0; d < model->draw_count; d++)
        if ((model->draws[d].flags & DRAW_IN_SCENE) != 0)
            return true;
    return false;
}

bool hit_mesh_is_tested(const struct model *model, const struct draw *draw, bool is_of_scene)
{
    return (!is_of_scene || (draw->flags & DRAW_IN_SCENE) != 0) &&
           triangle_count(&model->primitives[draw->primitive]) > 0;
}

uint64_t hit_mesh_vertices(const struct model *model)
{
    const bool is_of_scene = hit_mesh_has_scene(model);
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (hit_mesh_is_tested(model, &model->draws[d], is_of_scene))
            count += model->primitives[model->draws[d].primitive].vertex_count;
    return count;
}

void mesh_work_init(struct mesh_work *work)
{
    *work = (struct mesh_work){0};
    entity_work_init(&work->end_poses);
}

static void mesh_pose_fini(struct mesh_pose *pose)
{
    free(pose->palette.matrices);
    free(pose->palette.parts);
    free(pose->vertices);
}

void mesh_work_fini(struct mesh_work *work)
{
    mesh_pose_fini(&work->begin);
    mesh_pose_fini(&work->end);
    free(work->skinned);
    free(work->is_done);
    free(work->is_opened);
    free(work->places);
    free(work->box_rays);
    box_tree_fini(&work->tree);
    entity_work_fini(&work->end_poses);
}

size_t mesh_work_held_bytes(const struct mesh_work *work)
{
    const uint64_t vertices = (work->begin.vertex_capacity + work->end.vertex_capacity) * sizeof *work->begin.vertices +
                              work->skinned_capacity * sizeof *work->skinned + work->done_capacity;
    return (size_t)vertices + (size_t)work->tree.box_capacity * sizeof *work->tree.boxes +
           work->box_ray_capacity * sizeof *work->box_rays + work->place_capacity * sizeof *work->places;
}

/* --- room --- */

/* As mem_try_resize(), but only where there is not room enough. */
static bool reserve(void *array, size_t *capacity, size_t count, size_t item_bytes)
{
    if (count <= *capacity)
        return true;
    if (!mem_try_resize(array, count, item_bytes))
        return false;
    *capacity = count;
    return true;
}

static bool reserve64(void *array, uint64_t *capacity, size_t count, size_t item_bytes)
{
    size_t now = (size_t)*capacity;
    const bool has_capacity = reserve(array, &now, count, item_bytes);
    *capacity = now;
    return has_capacity;
}

static bool reserve_mesh_pose(struct mesh_pose *pose, uint32_t joints, uint32_t parts, uint32_t vertices)
{
    return reserve(&pose->palette.matrices, &pose->matrix_capacity, joints, sizeof *pose->palette.matrices) &&
           reserve(&pose->palette.parts, &pose->part_capacity, parts, sizeof *pose->palette.parts) &&
           reserve64(&pose->vertices, &pose->vertex_capacity, vertices, sizeof *pose->vertices);
}

int mesh_work_reserve(struct mesh_work *work, const struct model *model, uint32_t layer_most, uint32_t ray_count,
                      struct err *err)
{
    const uint32_t parts = skin_parts_most(model);
    uint32_t joints = 0, vertices = 0, triangles = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        joints = model->skins[s].joint_count > joints ? model->skins[s].joint_count : joints;
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        const uint32_t count = triangle_count(&model->primitives[p]);
        triangles = count > triangles ? count : triangles;
        vertices = model->primitives[p].vertex_count > vertices ? model->primitives[p].vertex_count : vertices;
    }
    if (reserve_mesh_pose(&work->begin, joints, parts, vertices) &&
        reserve_mesh_pose(&work->end, joints, parts, vertices) &&
        reserve64(&work->skinned, &work->skinned_capacity, vertices, sizeof *work->skinned) &&
        reserve64(&work->is_done, &work->done_capacity, vertices, 1) &&
        reserve64(&work->is_opened, &work->opened_capacity, mesh_block_count(triangles), 1) &&
        box_tree_reserve(&work->tree, triangles) &&
        reserve(&work->places, &work->place_capacity, ray_count, sizeof *work->places) &&
        reserve(&work->box_rays, &work->box_ray_capacity, ray_count, sizeof *work->box_rays))
        return entity_work_reserve(&work->end_poses, model, layer_most, err);
    return err_set(err, ERR_NO_MEMORY, "no memory for rays at %u triangles", triangles);
}
