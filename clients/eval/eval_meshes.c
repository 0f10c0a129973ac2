/* eval_meshes.c - casts rays at the triangles of posed entities. */
#include "anim/hits/hit_mesh.h"
#include "clients/eval/eval_hits.h"

#include <stdlib.h>

struct pe_mesh {
    const struct pe_model *model;
    struct hit_mesh *mesh;
};

struct pe_caster {
    struct pe_evaluator *evaluator;
    struct mesh_work work;
    struct hit_list list;
    struct hit_ray *rays; /* [ray_capacity] */
    uint32_t ray_capacity, hit_capacity;
};

/* Casting may offer one leaf of triangles beyond the reserved room before it stops. */
enum { LEAF_SPARE = 16 };

int pe_mesh_new(const struct pe_model *model, struct pe_mesh **out, struct pe_error *error)
{
    if (model == NULL || out == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no model, or no place for the mesh");
    struct pe_mesh *mesh = *out = calloc(1, sizeof *mesh);
    if (mesh == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a mesh");
    mesh->model = model;
    mesh->mesh = hit_mesh_new(&model->file.model);
    return 0;
}

void pe_mesh_free(struct pe_mesh *mesh)
{
    if (mesh == NULL)
        return;
    hit_mesh_free(mesh->mesh);
    free(mesh);
}

int pe_caster_new(struct pe_caster **out, struct pe_error *error)
{
    if (out == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no place for the caster");
    struct pe_caster *caster = *out = calloc(1, sizeof *caster);
    if (caster == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a caster");
    mesh_work_init(&caster->work);
    const int rc = pe_evaluator_new(&caster->evaluator, error);
    if (rc < 0) {
        pe_caster_free(caster);
        *out = NULL;
    }
    return rc;
}

void pe_caster_free(struct pe_caster *caster)
{
    if (caster == NULL)
        return;
    pe_evaluator_free(caster->evaluator);
    mesh_work_fini(&caster->work);
    hit_list_fini(&caster->list);
    free(caster->rays);
    free(caster);
}

/* --- room --- */

static bool reserve_hits(struct pe_caster *caster, uint32_t count)
{
    if (count <= caster->hit_capacity && caster->list.hits != NULL)
        return true;
    struct hit *grown = realloc(caster->list.hits, ((size_t)count + LEAF_SPARE) * sizeof *grown);
    if (grown == NULL)
        return false;
    caster->list.hits = grown;
    caster->list.capacity = (size_t)count + LEAF_SPARE;
    caster->hit_capacity = count;
    return true;
}

static bool reserve_rays(struct pe_caster *caster, uint32_t count)
{
    if (count <= caster->ray_capacity)
        return true;
    struct hit_ray *grown = realloc(caster->rays, (size_t)count * sizeof *grown);
    if (grown == NULL)
        return false;
    caster->rays = grown;
    caster->ray_capacity = count;
    return true;
}

int pe_caster_reserve(struct pe_caster *caster, const struct pe_mesh *mesh, uint32_t layers_most, uint32_t ray_count,
                      uint32_t hit_count, struct pe_error *error)
{
    struct err err;
    if (caster == NULL || mesh == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no caster, or no mesh");
    const int rc = pe_evaluator_reserve(caster->evaluator, mesh->model, layers_most, error);
    if (rc < 0)
        return rc;
    if (!reserve_rays(caster, ray_count) || !reserve_hits(caster, hit_count))
        return eval_fail(error, PE_E_MEMORY, "no memory for %u rays and %u hits", ray_count, hit_count);
    if (mesh_work_reserve(&caster->work, &mesh->model->file.model, layers_most == 0 ? 1 : layers_most, ray_count,
                          &err) < 0)
        return eval_fail_by(error, &err);
    return 0;
}

/* --- rays --- */

static int take_rays(struct pe_caster *caster, const struct pe_ray *rays, uint32_t count, struct pe_error *error)
{
    int rc = 0;
    if (count > caster->ray_capacity)
        return eval_fail(error, PE_E_RESERVE, "the caster has room for %u rays, not for %u", caster->ray_capacity,
                         count);
    for (uint32_t r = 0; r < count && rc == 0; r++)
        rc = eval_take_ray(&rays[r], r, &caster->rays[r], error);
    return rc;
}

static int cast_at(struct pe_caster *caster, uint32_t id, const struct pe_target *target, const struct mesh_rays *rays,
                   struct pe_error *error)
{
    struct eval_poses poses;
    struct err err;
    if (target->mesh == NULL || target->begin == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "target %u has no mesh, or no entity", id);
    const int rc = eval_take_poses(caster->evaluator, target->mesh->model, target->begin, target->end, &poses, error);
    if (rc < 0)
        return rc;
    if (hit_mesh_cast(&caster->work, &caster->evaluator->work, target->mesh->mesh, id, eval_mask(target->mask),
                      &poses.begin, target->end != NULL ? &poses.end : NULL, rays, &err) < 0)
        return eval_fail_by(error, &err);
    return 0;
}

static void put_hit(const struct pe_target *target, const struct hit *hit, struct pe_hit *out)
{
    const struct model *model = &target->mesh->model->file.model;
    *out = (struct pe_hit){.ray = hit->ray,
                           .entity = hit->entity,
                           .node = model->draws[hit->part].node,
                           .part = hit->part,
                           .triangle = hit->triangle,
                           .is_inside = hit->is_inside,
                           .distance = (float)hit->distance};
    for (int i = 0; i < 3; i++) {
        out->point[i] = (float)hit->point[i];
        out->normal[i] = (float)hit->normal[i];
        out->barycentric[i] = (float)hit->barycentric[i];
    }
}

int pe_raycast_meshes(struct pe_caster *caster, const struct pe_target *targets, uint32_t target_count,
                      const struct pe_ray *rays, uint32_t ray_count, int which, struct pe_hit *out, uint32_t capacity,
                      uint32_t *count, struct pe_error *error)
{
    struct hit_list *list = &caster->list;
    if (count == NULL || (ray_count > 0 && rays == NULL) || (target_count > 0 && targets == NULL) ||
        (capacity > 0 && out == NULL) || which < PE_NEAREST || which > PE_ALL)
        return eval_fail(error, PE_E_ARGUMENT,
                         "no rays, no targets, no place for hits or their count, or which is unknown");
    *count = 0;
    const uint32_t most = capacity < caster->hit_capacity ? capacity : caster->hit_capacity;
    const struct mesh_rays cast = {caster->rays, ray_count, list};
    list->count = 0;
    list->steps = 0;
    list->steps_most = UINT64_MAX;
    list->count_most = most;
    list->is_all = which == PE_ALL;
    int rc = take_rays(caster, rays, ray_count, error);
    if (rc < 0)
        return rc;
    hit_mesh_begin(&caster->work, &cast);
    for (uint32_t t = 0; t < target_count && rc == 0 && !hit_list_is_over(list); t++)
        rc = cast_at(caster, t, &targets[t], &cast, error);
    if (rc < 0)
        return rc;
    if (list->count > most)
        return eval_fail(error, most < capacity ? PE_E_RESERVE : PE_E_ARGUMENT,
                         "there are more than the %u hits that have room", most);
    hit_list_sort(list);
    for (size_t h = 0; h < list->count; h++)
        put_hit(&targets[list->hits[h].entity], &list->hits[h], &out[h]);
    *count = (uint32_t)list->count;
    return 0;
}
