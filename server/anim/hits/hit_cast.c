/* hit_cast.c - casts one ray through a scene: the tree of entities, the balls of an entity, then the volumes. */
#include "anim/hits/hit_scene.h"

#include "anim/shape/affine.h"
#include "anim/shape/volume_image.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

bool hit_ray_finish(struct hit_ray *ray)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(ray->direction[i]));
    if (!(most > 0))
        return false;
    for (int i = 0; i < 3; i++) /* so that squares of the smallest numbers do not underflow to 0 */
        ray->direction[i] /= most;
    unit3(ray->direction);
    return true;
}

/* --- lists --- */

void hit_list_fini(struct hit_list *list) { free(list->hits); }

bool hit_list_is_over(const struct hit_list *list)
{
    return list->steps > list->steps_most || list->count > list->count_most ||
           (list->work_ns_most != 0 && hit_list_work_ns(list) > list->work_ns_most) ||
           (list->is_stopped != NULL && atomic_load_explicit(list->is_stopped, memory_order_relaxed));
}

uint64_t hit_list_work_ns(const struct hit_list *list) { return list->work_ns + list->steps * HIT_COST_STEP_NS; }

static int compare_hits(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    if (x->ray != y->ray)
        return x->ray < y->ray ? -1 : 1;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->entity != y->entity)
        return x->entity < y->entity ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

void hit_list_sort(struct hit_list *list) { sort_in_place(list->hits, list->count, sizeof *list->hits, compare_hits); }

void hit_list_offer(struct hit_list *list, size_t first, const struct hit *hit)
{
    if (!list->is_all && list->count > first) {
        if (compare_hits(hit, &list->hits[first]) < 0)
            list->hits[first] = *hit;
        return;
    }
    if (list->count == list->capacity)
        list->hits = mem_grow(list->hits, &list->capacity, list->count + 1, sizeof *list->hits);
    list->hits[list->count++] = *hit;
    list->work_ns += list->hit_ns;
}

double hit_list_most(const struct hit_list *list, size_t first, const struct hit_ray *ray)
{
    return !list->is_all && list->count > first ? list->hits[first].distance : ray->most;
}

/* --- volumes --- */

enum { BALL_STEPS = 64 }; /* cost of a ball against a volume, relative to a ray */

/* Computes the world point at a distance along the ray. */
static void point_at(const struct hit_ray *ray, double distance, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = ray->origin[i] + distance * ray->direction[i];
}

static bool cast_ray(const struct set_volume *volume, const struct dmat4 *bind_from_world, const struct hit_ray *ray,
                     struct hit *out)
{
    struct volume_entry entry;
    const struct dmat4 joint_from_world = dmat4_mul(&volume->joint_from_bind, bind_from_world);
    double origin[3], direction[3];
    dmat4_point(&joint_from_world, ray->origin, origin);
    dmat4_direction(&joint_from_world, ray->direction, direction);
    if (!volume_ray(&volume->volume, origin, direction, &entry) || !(entry.t <= ray->most))
        return false;
    out->distance = entry.t;
    out->is_inside = entry.is_inside;
    point_at(ray, entry.t, out->point);
    for (int i = 0; i < 3; i++) /* normals transform by the transpose of the inverse */
        out->normal[i] = entry.is_inside ? -ray->direction[i] : dot3(joint_from_world.m + 4 * i, entry.normal);
    unit3(out->normal);
    return true;
}

static bool cast_ball(const struct set_volume *volume, const struct dmat4 *world_from_bind, const struct hit_ray *ray,
                      struct hit *out)
{
    struct volume_image image;
    struct volume_entry entry;
    const struct dmat4 world_from_joint = dmat4_mul(world_from_bind, &volume->bind_from_joint);
    volume_image_init(&image, &volume->volume, &world_from_joint);
    if (!volume_image_sweep(&image, ray->origin, ray->direction, ray->radius, ray->most, &entry, out->point))
        return false;
    out->distance = entry.t;
    out->is_inside = entry.is_inside;
    memcpy(out->normal, entry.normal, sizeof out->normal);
    return true;
}

static void cast_volume(const struct hit_scene *scene, const struct scene_entity *entity, uint32_t v,
                        const struct hit_ray *ray, struct hit_list *list, size_t first, uint32_t id)
{
    const struct set_volume *volume = &entity->set->volumes[v];
    struct dmat4 world_from_bind, bind_from_world;
    hit_scene_bind(scene, entity, v, ray->at, &world_from_bind);
    struct hit hit = {.ray = id, .entity = entity->id, .part = v};
    list->steps += ray->radius > 0 ? BALL_STEPS : 1;
    list->work_ns += ray->radius > 0 ? HIT_COST_BALL_AT_VOLUME_NS : HIT_COST_RAY_AT_VOLUME_NS;
    if (!affine_invert(&world_from_bind, &bind_from_world))
        return;
    if (ray->radius > 0 ? cast_ball(volume, &world_from_bind, ray, &hit)
                        : cast_ray(volume, &bind_from_world, ray, &hit))
        hit_list_offer(list, first, &hit);
}

/* --- entities --- */

enum { BLOCK = 64, STEP_BALLS = 16 };

/* Fills gaps[count]: negative where the line through `from` comes closer to the centre of a ball than its radius plus
 * the ray's. It uses cross products, which do not cancel. The compiler vectorizes the loop. */
static void find_gaps(const float *restrict balls, size_t stride, uint32_t count, const float from[3],
                      const float direction[3], float more, float *restrict gaps)
{
    const float *restrict xs = balls, *restrict ys = balls + stride, *restrict zs = ys + stride,
                          *restrict radii = zs + stride;
    for (uint32_t v = 0; v < count; v++) {
        const float x = xs[v] - from[0], y = ys[v] - from[1], z = zs[v] - from[2], radius = radii[v] + more;
        const float a = y * direction[2] - z * direction[1], b = z * direction[0] - x * direction[2],
                    c = x * direction[1] - y * direction[0];
        gaps[v] = a * a + b * b + c * c - radius * radius;
    }
}

static void cast_entity(const struct hit_scene *scene, const struct scene_entity *entity, const struct hit_ray *ray,
                        struct hit_list *list, size_t first, uint32_t id)
{
    const double SLACK = 4e-6; /* error of floats relative to the middle of the entity */
    double along = 0, size = box_size(&entity->box) + ray->radius;
    float from[3], direction[3], gaps[BLOCK];
    for (int i = 0; i < 3; i++)
        along += (entity->middle[i] - ray->origin[i]) * ray->direction[i];
    for (int i = 0; i < 3; i++) {
        from[i] = (float)(ray->origin[i] + along * ray->direction[i] - entity->middle[i]);
        direction[i] = (float)ray->direction[i];
    }
    const float more = (float)(ray->radius + SLACK * size);
    list->steps += entity->set->count / STEP_BALLS;
    for (uint32_t begin = 0; begin < entity->set->count; begin += BLOCK) {
        const uint32_t left = entity->set->count - begin, count = left < BLOCK ? left : BLOCK;
        find_gaps(scene->balls + entity->ball_first + begin, entity->set->stride, count, from, direction, more, gaps);
        for (uint32_t v = 0; v < count; v++)
            if (!(gaps[v] > 0) && !hit_list_is_over(list))
                cast_volume(scene, entity, begin + v, ray, list, first, id);
    }
}

void hit_scene_cast(const struct hit_scene *scene, uint32_t id, const struct hit_ray *ray, struct hit_list *list)
{
    const size_t first = list->count;
    struct box_ray box_ray;
    struct box_walk walk;
    uint32_t leaf;
    box_ray_init(&box_ray, ray->origin, ray->direction, ray->radius);
    box_walk_start(&walk, &scene->tree);
    while (!hit_list_is_over(list) &&
           box_walk_next(&walk, &scene->tree, &box_ray, hit_list_most(list, first, ray), &leaf, &list->steps))
        for (uint32_t p = box_tree_place(&scene->tree, leaf); p < box_tree_place(&scene->tree, leaf + 1); p++) {
            const struct scene_entity *entity = &scene->entities[scene->order[p]];
            if ((entity->mask & ray->mask) != 0 && entity->id != ray->ignored &&
                box_meets(&entity->box, &box_ray, hit_list_most(list, first, ray)))
                cast_entity(scene, entity, ray, list, first, id);
        }
}
