/* eval_hits.c - volumes of models, scenes of posed entities, and rays through them. */
#include "clients/eval/eval_hits.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)PE_CAPSULE == (int)VOLUME_CAPSULE && (int)PE_BOX == (int)VOLUME_BOX &&
                   (int)PE_SPHERE == (int)VOLUME_SPHERE,
               "kinds are those of the model");

/* --- volumes --- */

struct pe_hitboxes {
    const struct pe_model *model;
    struct hit_set *set;
    char *text; /* names of volumes, NUL-terminated, in the order of the volumes that have one */
};

static bool copy_text(struct pe_hitboxes *hitboxes)
{
    const struct hit_set *set = hitboxes->set;
    size_t size_bytes = 0;
    for (uint32_t v = 0; v < set->count; v++)
        size_bytes += set->volumes[v].volume.name.offset == STR_NONE ? 0 : set->volumes[v].volume.name.size_bytes + 1;
    char *at = hitboxes->text = malloc(size_bytes + 1);
    for (uint32_t v = 0; v < set->count && at != NULL; v++) {
        struct str *name = &set->volumes[v].volume.name;
        if (name->offset == STR_NONE)
            continue;
        memcpy(at, hitboxes->model->file.model.text + name->offset, name->size_bytes);
        at[name->size_bytes] = '\0';
        name->offset = (uint32_t)(at - hitboxes->text);
        at += name->size_bytes + 1;
    }
    return at != NULL;
}

int pe_hitboxes_new(const struct pe_model *model, int fit, struct pe_hitboxes **out, struct pe_error *error)
{
    struct limits limits;
    struct err err;
    if (out == NULL || model == NULL || fit < PE_CAPSULE || fit > PE_SPHERE)
        return eval_fail(error, PE_E_ARGUMENT, "no model, no place for the hitboxes, or fit %d, which is none", fit);
    *out = NULL;
    struct pe_hitboxes *made = calloc(1, sizeof *made);
    if (made == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for hitboxes");
    made->model = model;
    limits_default(&limits);
    if (hit_set_new(&model->file.model, (enum volume_kind)fit, limits.value[LIMIT_BOUNDS_VERTICES], &made->set, &err) <
        0) {
        pe_hitboxes_free(made);
        return eval_fail_by(error, &err);
    }
    if (!copy_text(made)) {
        pe_hitboxes_free(made);
        return eval_fail(error, PE_E_MEMORY, "no memory for hitboxes");
    }
    *out = made;
    return 0;
}

void pe_hitboxes_free(struct pe_hitboxes *hitboxes)
{
    if (hitboxes == NULL)
        return;
    hit_set_free(hitboxes->set);
    free(hitboxes->text);
    free(hitboxes);
}

uint32_t pe_hitboxes_count(const struct pe_hitboxes *hitboxes) { return hitboxes->set->count; }

int pe_hitbox_at(const struct pe_hitboxes *hitboxes, uint32_t index, struct pe_hitbox *out)
{
    if (index >= hitboxes->set->count)
        return PE_E_ARGUMENT;
    const struct set_volume *of = &hitboxes->set->volumes[index];
    const struct hit_volume *volume = &of->volume;
    *out = (struct pe_hitbox){.node = volume->node,
                              .kind = (int)volume->kind,
                              .name = volume->name.offset == STR_NONE ? NULL : hitboxes->text + volume->name.offset,
                              .radius = volume->radius,
                              .vertex_count = of->vertex_count,
                              .outside_count = of->outside_count,
                              .is_given = of->is_given};
    memcpy(out->center, volume->center, sizeof out->center);
    memcpy(out->end, volume->end, sizeof out->end);
    memcpy(out->rotation, volume->rotation, sizeof out->rotation);
    memcpy(out->half, volume->half, sizeof out->half);
    return 0;
}

/* --- scenes --- */

struct pe_scene {
    struct pe_evaluator *evaluator;
    struct hit_scene scene;
    struct hit_list list; /* of one ray; has room for each volume of the scene once */
    bool is_ordered;
};

int pe_scene_new(struct pe_scene **out, struct pe_error *error)
{
    if (out == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no place for the scene");
    struct pe_scene *scene = *out = calloc(1, sizeof *scene);
    if (scene == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a scene");
    hit_scene_init(&scene->scene);
    const int rc = pe_evaluator_new(&scene->evaluator, error);
    if (rc < 0) {
        pe_scene_free(scene);
        *out = NULL;
    }
    return rc;
}

void pe_scene_free(struct pe_scene *scene)
{
    if (scene == NULL)
        return;
    pe_evaluator_free(scene->evaluator);
    hit_scene_fini(&scene->scene);
    hit_list_fini(&scene->list);
    free(scene);
}

int pe_scene_reserve(struct pe_scene *scene, const struct pe_hitboxes *hitboxes, uint32_t count, uint32_t layers_most,
                     struct pe_error *error)
{
    if (scene == NULL || hitboxes == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no scene, or no hitboxes");
    struct hit_list *list = &scene->list;
    const int rc = pe_evaluator_reserve(scene->evaluator, hitboxes->model, layers_most, error);
    if (rc < 0)
        return rc;
    const size_t hits = list->capacity + (size_t)count * hitboxes->set->count;
    struct hit *grown = hits < SIZE_MAX / sizeof *grown ? realloc(list->hits, (hits + 1) * sizeof *grown) : NULL;
    if (grown != NULL)
        list->hits = grown;
    if (grown == NULL || !hit_scene_reserve(&scene->scene, hitboxes->set, count))
        return eval_fail(error, PE_E_MEMORY, "no memory for %u entities of %u volumes", count, hitboxes->set->count);
    list->capacity = hits;
    return 0;
}

void pe_scene_clear(struct pe_scene *scene)
{
    hit_scene_clear(&scene->scene);
    scene->is_ordered = false;
}

int pe_scene_add(struct pe_scene *scene, const struct pe_hitboxes *hitboxes, const struct pe_entity *begin,
                 const struct pe_entity *end, uint32_t mask, struct pe_error *error)
{
    struct eval_poses poses;
    struct err err;
    if (scene == NULL || begin == NULL || hitboxes == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no scene, no entity, or no hitboxes");
    if (!hit_scene_has_capacity(&scene->scene, hitboxes->set))
        return eval_fail(error, PE_E_RESERVE, "the scene has no room for another entity of %u volumes",
                         hitboxes->set->count);
    const int rc = eval_take_poses(scene->evaluator, hitboxes->model, begin, end, &poses, error);
    if (rc < 0)
        return rc;
    scene->is_ordered = false;
    if (hit_scene_add(&scene->scene, &scene->evaluator->work, (uint32_t)scene->scene.count, eval_mask(mask),
                      hitboxes->set, &poses.begin, end != NULL ? &poses.end : NULL, &err) < 0)
        return eval_fail_by(error, &err);
    return 0;
}

uint32_t pe_scene_count(const struct pe_scene *scene) { return (uint32_t)scene->scene.count; }

int pe_scene_middle(const struct pe_scene *scene, uint32_t entity, uint32_t node, double at, double out[3],
                    struct pe_error *error)
{
    if (entity >= scene->scene.count || !(at >= 0 && at <= 1))
        return eval_fail(error, PE_E_ARGUMENT, "entity %u of %zu, or a moment that is not in 0..1", entity,
                         scene->scene.count);
    const struct hit_set *set = scene->scene.entities[entity].set;
    for (uint32_t v = 0; v < set->count; v++) {
        const struct hit_volume *volume = &set->volumes[v].volume;
        struct dmat4 world_from_joint;
        double middle[3];
        if (volume->node != node)
            continue;
        for (int i = 0; i < 3; i++)
            middle[i] = ((double)volume->center[i] + (double)volume->end[i]) / 2;
        hit_scene_matrix(&scene->scene, entity, v, at, &world_from_joint);
        dmat4_point(&world_from_joint, middle, out);
        return 0;
    }
    return eval_fail(error, PE_E_NOT_FOUND, "node %u has no volume", node);
}

/* --- rays --- */

static void put_hit(const struct pe_scene *scene, const struct hit *hit, struct pe_hit *out)
{
    *out = (struct pe_hit){.ray = hit->ray,
                           .entity = hit->entity,
                           .node = scene->scene.entities[hit->entity].set->volumes[hit->part].volume.node,
                           .part = hit->part,
                           .is_inside = hit->is_inside,
                           .distance = (float)hit->distance};
    for (int i = 0; i < 3; i++) {
        out->point[i] = (float)hit->point[i];
        out->normal[i] = (float)hit->normal[i];
    }
}

/* Casts one ray; its hits go to scene->list. */
static void cast(struct pe_scene *scene, uint32_t id, const struct hit_ray *ray, int which)
{
    struct hit_list *list = &scene->list;
    list->count = 0;
    list->steps = 0;
    list->steps_most = UINT64_MAX;
    list->count_most = SIZE_MAX;
    list->is_all = which == PE_ALL;
    hit_scene_cast(&scene->scene, id, ray, list);
    hit_list_sort(list);
}

int pe_raycast(struct pe_scene *scene, const struct pe_ray *rays, uint32_t ray_count, int which, struct pe_hit *out,
               uint32_t capacity, uint32_t *count, struct pe_error *error)
{
    uint32_t found = 0;
    if (count == NULL || (ray_count > 0 && rays == NULL) || (capacity > 0 && out == NULL) || which < PE_NEAREST ||
        which > PE_ALL)
        return eval_fail(error, PE_E_ARGUMENT, "no rays, no place for hits or their count, or which is unknown");
    *count = 0;
    if (!scene->is_ordered)
        hit_scene_order(&scene->scene);
    scene->is_ordered = true;
    for (uint32_t r = 0; r < ray_count; r++) {
        struct hit_ray ray;
        const int rc = eval_take_ray(&rays[r], r, &ray, error);
        if (rc < 0)
            return rc;
        cast(scene, r, &ray, which);
        if (scene->list.count > capacity - found)
            return eval_fail(error, PE_E_ARGUMENT, "there is room for %u hits, and rays 0 to %u have more", capacity,
                             r);
        for (size_t h = 0; h < scene->list.count; h++)
            put_hit(scene, &scene->list.hits[h], &out[found++]);
    }
    *count = found;
    return 0;
}
