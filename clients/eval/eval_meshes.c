/* eval_meshes.c - rays at the triangles of one posed entity. */
#include "clients/eval/eval_internal.h"

#include "anim/hits/hit_mesh.h"

#include <stdlib.h>
#include <string.h>

struct pe_meshes {
    const struct pe_model *model;
    struct hit_mesh *order;
    struct mesh_work work;
    struct hit_ray *rays; /* [ray_most] */
    struct hit_list list; /* room for hit_most hits and the one that is too many */
    uint32_t ray_most, hit_most;
};

static int no_memory(struct pe_meshes *meshes, struct pe_error *error)
{
    pe_meshes_free(meshes);
    return eval_fail(error, PE_E_MEMORY, "no memory for rays at meshes");
}

int pe_meshes_new(const struct pe_model *model, uint32_t ray_most, uint32_t hit_most, struct pe_meshes **out,
                  struct pe_error *error)
{
    if (out == NULL || model == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no model, or no place for the meshes");
    *out = NULL;
    struct pe_meshes *made = calloc(1, sizeof *made);
    if (made == NULL)
        return no_memory(made, error);
    made->model = model;
    made->ray_most = ray_most;
    made->hit_most = hit_most;
    mesh_work_init(&made->work);
    made->order = hit_mesh_new(&model->file.model);
    made->rays = calloc((size_t)ray_most + 1, sizeof *made->rays);
    made->list.capacity = (size_t)hit_most + 1;
    made->list.hits = calloc(made->list.capacity, sizeof *made->list.hits);
    if (made->order == NULL || made->rays == NULL || made->list.hits == NULL ||
        !mesh_work_reserve(&made->work, &model->file.model, PE_LAYERS_MAX, ray_most))
        return no_memory(made, error);
    *out = made;
    return 0;
}

void pe_meshes_free(struct pe_meshes *meshes)
{
    if (meshes == NULL)
        return;
    hit_mesh_free(meshes->order);
    mesh_work_fini(&meshes->work);
    hit_list_fini(&meshes->list);
    free(meshes->rays);
    free(meshes);
}

static void put_hit(const struct model *model, const struct hit *hit, struct pe_mesh_hit *out)
{
    const struct draw *draw = &model->draws[hit->part];
    const uint32_t mesh = model->primitives[draw->primitive].mesh;
    *out = (struct pe_mesh_hit){.ray = hit->ray,
                                .node = draw->node,
                                .mesh = mesh,
                                .primitive = draw->primitive - model->meshes[mesh].primitive_first,
                                .triangle = hit->triangle,
                                .is_inside = hit->is_inside,
                                .distance = (float)hit->distance};
    for (int i = 0; i < 3; i++) {
        out->point[i] = (float)hit->point[i];
        out->normal[i] = (float)hit->normal[i];
        out->barycentric[i] = (float)hit->barycentric[i];
    }
}

static int cast(struct pe_meshes *meshes, struct pe_evaluator *evaluator, const struct scene_pose *begin,
                const struct scene_pose *end, uint32_t ray_count, int which, struct pe_error *error)
{
    struct hit_list *list = &meshes->list;
    const struct mesh_rays rays = {.rays = meshes->rays, .count = ray_count, .list = list};
    struct err err;
    list->count = 0;
    list->steps = 0;
    list->steps_most = UINT64_MAX;
    list->count_most = meshes->hit_most;
    list->is_all = which == PE_ALL;
    hit_mesh_begin(&meshes->work, &rays);
    if (hit_mesh_cast(&meshes->work, &evaluator->work, meshes->order, 0, UINT32_MAX, begin, end, &rays, &err) < 0)
        return eval_fail_by(error, &err);
    hit_list_sort(list);
    return 0;
}

int pe_meshes_cast(struct pe_meshes *meshes, struct pe_evaluator *evaluator, const struct pe_entity *begin,
                   const struct pe_entity *end, const struct pe_ray *rays, uint32_t ray_count, int which,
                   struct pe_mesh_hit *out, uint32_t room, uint32_t *count, struct pe_error *error)
{
    struct entity first, second;
    struct scene_pose from, to;
    if (begin == NULL || count == NULL || (ray_count > 0 && rays == NULL) || (room > 0 && out == NULL) ||
        which < PE_NEAREST || which > PE_ALL)
        return eval_fail(error, PE_E_ARGUMENT,
                         "no entity, no rays, no place for hits or their count, or which is unknown");
    *count = 0;
    if (ray_count > meshes->ray_most)
        return eval_fail(error, PE_E_RESERVE, "there is room for %u rays, not %u", meshes->ray_most, ray_count);
    int rc = eval_take_pose(evaluator, meshes->model, begin, &evaluator->taken, &first, &from, error);
    if (rc == 0 && end != NULL)
        rc = eval_take_pose(evaluator, meshes->model, end, &evaluator->end, &second, &to, error);
    for (uint32_t r = 0; r < ray_count && rc == 0; r++) {
        rc = eval_take_ray(&rays[r], r, &meshes->rays[r], error);
        meshes->rays[r].mask = UINT32_MAX; /* there is one entity */
        meshes->rays[r].ignored = (uint32_t)HIT_NONE;
    }
    if (rc == 0)
        rc = cast(meshes, evaluator, &from, end != NULL ? &to : NULL, ray_count, which, error);
    if (rc < 0)
        return rc;
    const size_t found = meshes->list.count;
    if (found > meshes->hit_most)
        return eval_fail(error, PE_E_RESERVE, "there is room for %u hits, and there are more", meshes->hit_most);
    if (found > room)
        return eval_fail(error, PE_E_ARGUMENT, "there is room for %u hits, and there are %zu", room, found);
    for (size_t h = 0; h < found; h++)
        put_hit(&meshes->model->file.model, &meshes->list.hits[h], &out[h]);
    *count = (uint32_t)found;
    return 0;
}
