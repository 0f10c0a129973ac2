#include "anim/hits/hit_mesh.h"
#include "anim/shape/triangle.h"
#include "anim/shape/volume_image.h"
#include "tests/unit/hits/hit_rig.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { ENTITIES = 12, RAYS = RANDOM_CASES(10000), BALLS = 1500, MESH_RAYS = 2000 };

/* Some entities in a hall of 30 units, every third of them moving between two poses. */
struct hall {
    struct fixture rig;
    struct hit_set *set;
    struct entity_work work;
    struct hit_scene scene;
    struct blend_layer layers[2 * ENTITIES];
    struct entity entities[2 * ENTITIES];
    struct scene_pose poses[2 * ENTITIES];
};

static bool moves(uint32_t entity) { return entity % 3 == 0; }

static void hall_init(struct hall *hall, struct plain_random *random, enum volume_kind fit)
{
    struct err err;
    hit_rig_init(&hall->rig, random);
    assert_int_equal(hit_set_new(&hall->rig.model, fit, 1000000, &hall->set, &err), 0);
    entity_work_init(&hall->work);
    hit_scene_init(&hall->scene);
    for (uint32_t i = 0; i < 2 * ENTITIES; i++) {
        hall->layers[i] = (struct blend_layer){.clip = 0, .clip_time_s = plain_uniform(random, 0, 2), .weight = 1};
        hall->entities[i] = (struct entity){.model = &hall->rig.model, .layers = &hall->layers[i], .layer_count = 1};
        hall->poses[i].entity = &hall->entities[i];
        plain_matrix(random, &hall->poses[i].world_from_scene);
        for (int k = 0; k < 3; k++)
            hall->poses[i].world_from_scene.m[12 + k] = plain_uniform(random, -15, 15);
        if (i >= ENTITIES) { /* near the first pose */
            hall->poses[i].world_from_scene = hall->poses[i - ENTITIES].world_from_scene;
            hall->poses[i].world_from_scene.m[12] += 0.7;
            hall->poses[i].world_from_scene.m[0] *= 1.1;
        }
    }
    for (uint32_t e = 0; e < ENTITIES; e++)
        assert_int_equal(hit_scene_add(&hall->scene, &hall->work, 100 + e, 1u << e % 4, hall->set, &hall->poses[e],
                                       moves(e) ? &hall->poses[ENTITIES + e] : NULL, &err),
                         0);
    hit_scene_order(&hall->scene);
}

static void hall_fini(struct hall *hall)
{
    hit_scene_fini(&hall->scene);
    entity_work_fini(&hall->work);
    hit_set_free(hall->set);
    fixture_fini(&hall->rig);
}

static struct hit_list new_list(bool is_all)
{
    return (struct hit_list){.is_all = is_all, .count_most = SIZE_MAX, .steps_most = UINT64_MAX};
}

static void random_ray(const struct hall *hall, struct plain_random *random, struct hit_ray *ray)
{
    const struct scene_entity *at = &hall->scene.entities[(uint32_t)plain_uniform(random, 0, ENTITIES)];
    *ray = (struct hit_ray){.most = plain_uniform(random, 0, 1) < 0.2 ? plain_uniform(random, 5, 40) : HUGE_VAL,
                            .at = plain_uniform(random, 0, 1),
                            .mask = plain_uniform(random, 0, 1) < 0.3 ? 5 : UINT32_MAX,
                            .ignored = plain_uniform(random, 0, 1) < 0.3 ? at->id : (uint32_t)HIT_NONE};
    for (int i = 0; i < 3; i++) {
        ray->origin[i] = plain_uniform(random, -40, 40);
        const double size = at->box.max[i] - at->box.min[i];
        ray->direction[i] = at->middle[i] + plain_uniform(random, -0.6, 0.6) * size - ray->origin[i];
    }
    unit3(ray->direction);
}

/* The matrix by the plainest means: the exact pose, rounded as poses are told. */
static void plain_world(const struct hall *hall, struct entity_work *work, uint32_t e, uint32_t v, double at,
                        struct dmat4 *out)
{
    const uint32_t node = hall->set->volumes[v].volume.node;
    struct dmat4 matrices[2];
    for (uint32_t p = 0; p < 2; p++) {
        const struct scene_pose *pose = &hall->poses[p * ENTITIES + e];
        entity_evaluate_exact(work, pose->entity);
        matrices[p] = dmat4_mul(&pose->world_from_scene, &work->pose.scene_from_node[node]);
    }
    for (int i = 0; i < 16; i++)
        out->m[i] = moves(e) ? (1 - at) * matrices[0].m[i] + at * matrices[1].m[i] : matrices[0].m[i];
}

TEST(hit_scene_volumes_are_where_their_joints_are)
{
    struct plain_random random = {11};
    struct hall hall;
    struct entity_work work;
    hall_init(&hall, &random, VOLUME_CAPSULE);
    entity_work_init(&work);
    assert_true(hall.set->count >= 7 && hall.set->node_count == 1);
    for (uint32_t e = 0; e < ENTITIES; e++)
        for (uint32_t v = 0; v < hall.set->count; v++)
            for (int k = 0; k < 3; k++) {
                struct dmat4 matrix, expected;
                hit_scene_matrix(&hall.scene, e, v, k / 2.0, &matrix);
                plain_world(&hall, &work, e, v, k / 2.0, &expected);
                for (int i = 0; i < 16; i++)
                    CHECK_NEAR(matrix.m[i], expected.m[i], 1e-4);
            }
    entity_work_fini(&work);
    hall_fini(&hall);
}

/* Every volume of every entity, one after the other. */
static void check_ray(const struct hall *hall, const struct hit_ray *ray, const struct hit_list *all,
                      const struct hit_list *nearest, uint32_t *hit_count)
{
    size_t found = 0;
    double least = HUGE_VAL;
    for (uint32_t e = 0; e < ENTITIES; e++) {
        const struct scene_entity *entity = &hall->scene.entities[e];
        for (uint32_t v = 0; v < hall->set->count; v++) {
            struct dmat4 matrix;
            double distance;
            hit_scene_matrix(&hall->scene, e, v, ray->at, &matrix);
            if ((entity->mask & ray->mask) == 0 || entity->id == ray->ignored ||
                !plain_ray(&hall->set->volumes[v].volume, &matrix, ray->origin, ray->direction, 200, &distance) ||
                distance > ray->most)
                continue;
            const struct hit *hit = NULL;
            for (size_t h = 0; h < all->count; h++)
                if (all->hits[h].entity == entity->id && all->hits[h].part == v)
                    hit = &all->hits[h];
            assert_non_null(hit);
            CHECK_NEAR(hit->distance, distance, 1e-7);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(hit->point[i], ray->origin[i] + distance * ray->direction[i], 1e-7);
            least = fmin(least, distance);
            found++;
        }
    }
    assert_int_equal(found, all->count);
    assert_int_equal(nearest->count, found > 0);
    if (found > 0)
        CHECK_NEAR(nearest->hits[0].distance, least, 1e-7);
    *hit_count += found > 0;
}

TEST(hit_scene_rays_are_those_of_a_plain_search)
{
    struct plain_random random = {12};
    for (int fit = 0; fit < VOLUME_KIND_COUNT; fit++) {
        struct hall hall;
        struct hit_list all = new_list(true), nearest = new_list(false);
        uint32_t hit_count = 0;
        hall_init(&hall, &random, (enum volume_kind)fit);
        for (int n = 0; n < RAYS / VOLUME_KIND_COUNT; n++) {
            struct hit_ray ray;
            random_ray(&hall, &random, &ray);
            all.count = nearest.count = 0;
            hit_scene_cast(&hall.scene, 7, &ray, &all);
            hit_scene_cast(&hall.scene, 7, &ray, &nearest);
            check_ray(&hall, &ray, &all, &nearest, &hit_count);
        }
        assert_true(hit_count > RAYS / VOLUME_KIND_COUNT / 10);
        hit_list_fini(&all);
        hit_list_fini(&nearest);
        hall_fini(&hall);
    }
}

/* Along an axis the other parts of a direction are 0, or -0: the sign is no difference. */
TEST(hit_scene_rays_along_an_axis_do_not_see_the_sign_of_zero)
{
    struct hall hall;
    struct plain_random random = {31};
    size_t found = 0;
    hall_init(&hall, &random, VOLUME_CAPSULE);
    for (uint32_t e = 0; e < ENTITIES; e++)
        for (int axis = 0; axis < 6; axis++) {
            struct hit_list plain = new_list(true), minus = new_list(true);
            struct hit_ray ray = {.most = HUGE_VAL, .at = 0.4, .mask = UINT32_MAX, .ignored = (uint32_t)HIT_NONE};
            memcpy(ray.origin, hall.scene.entities[e].middle, sizeof ray.origin);
            ray.origin[axis % 3] += axis < 3 ? 50 : -50;
            ray.direction[axis % 3] = axis < 3 ? -1 : 1;
            hit_scene_cast(&hall.scene, 0, &ray, &plain);
            for (int i = 0; i < 3; i++)
                ray.direction[i] = i == axis % 3 ? ray.direction[i] : -0.0;
            hit_scene_cast(&hall.scene, 0, &ray, &minus);
            assert_int_equal(plain.count, minus.count);
            found += plain.count;
            hit_list_fini(&plain);
            hit_list_fini(&minus);
        }
    assert_true(found > ENTITIES);
    hall_fini(&hall);
}

TEST(hit_scene_balls_are_those_of_all_volumes)
{
    struct plain_random random = {13};
    struct hall hall;
    struct hit_list all = new_list(true);
    uint32_t hit_count = 0;
    hall_init(&hall, &random, VOLUME_CAPSULE);
    for (int n = 0; n < BALLS; n++) {
        struct hit_ray ray;
        random_ray(&hall, &random, &ray);
        ray.radius = plain_uniform(&random, 0.01, 2);
        all.count = 0;
        hit_scene_cast(&hall.scene, 0, &ray, &all);
        size_t found = 0;
        for (uint32_t e = 0; e < ENTITIES; e++) {
            const struct scene_entity *entity = &hall.scene.entities[e];
            for (uint32_t v = 0; v < hall.set->count; v++) {
                struct dmat4 matrix;
                struct volume_image image;
                struct volume_entry entry;
                double touched[3];
                hit_scene_matrix(&hall.scene, e, v, ray.at, &matrix);
                volume_image_init(&image, &hall.set->volumes[v].volume, &matrix);
                found += (entity->mask & ray.mask) != 0 && entity->id != ray.ignored &&
                         volume_image_sweep(&image, ray.origin, ray.direction, ray.radius, ray.most, &entry, touched);
            }
        }
        assert_int_equal(found, all.count);
        hit_count += found > 0;
    }
    assert_true(hit_count > BALLS / 10);
    hit_list_fini(&all);
    hall_fini(&hall);
}

/* --- meshes --- */

/* Cramer's rule, without any of the care of triangle.c. */
static bool plain_triangle(const double corners[3][3], const struct hit_ray *ray, double *t, double shares[3])
{
    double ab[3], ac[3], from[3], back[3];
    for (int i = 0; i < 3; i++) {
        ab[i] = corners[1][i] - corners[0][i];
        ac[i] = corners[2][i] - corners[0][i];
        from[i] = ray->origin[i] - corners[0][i];
        back[i] = -ray->direction[i];
    }
    const double whole = determinant3(ab, ac, back);
    shares[1] = determinant3(from, ac, back) / whole;
    shares[2] = determinant3(ab, from, back) / whole;
    shares[0] = 1 - shares[1] - shares[2];
    *t = determinant3(ab, ac, from) / whole;
    return *t >= 0 && shares[0] >= 0 && shares[1] >= 0 && shares[2] >= 0;
}

/* The vertices of a draw, by the exact evaluator. */
static void plain_vertices(const struct scene_pose *pose, uint32_t d, struct entity_work *work, double (*out)[3])
{
    const struct model *model = pose->entity->model;
    struct mat4 matrices[16];
    struct vec3 skinned[RIG_VERTICES];
    struct skin_palette palette = {.matrices = matrices};
    struct err err;
    entity_evaluate_exact(work, pose->entity);
    assert_int_equal(skin_palette_make(&palette, &work->pose, model, model->draws[d].skin, &DMAT4_IDENTITY, &err), 0);
    skin_draw(model, d, &work->pose, &palette, false, skinned);
    for (int v = 0; v < RIG_VERTICES; v++)
        dmat4_point(&pose->world_from_scene, DOUBLE3(skinned[v]), out[v]);
}

struct plain_mesh {
    double vertices[ENTITIES][3][2][RIG_VERTICES][3]; /* of entity, draw, pose */
};

static void corners_of(const struct hall *hall, const struct plain_mesh *mesh, uint32_t e, uint32_t d, uint32_t t,
                       double at, double corners[3][3])
{
    const struct model *model = &hall->rig.model;
    const uint32_t *indices = model->indices + model->primitives[model->draws[d].primitive].index_first + 3 * t;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) {
            const double begin = mesh->vertices[e][d][0][indices[c]][i], end = mesh->vertices[e][d][1][indices[c]][i];
            corners[c][i] = moves(e) ? (1 - at) * begin + at * end : begin;
        }
}

static const struct hit *find_hit(const struct hit_list *list, uint32_t ray, uint32_t entity, uint32_t d, uint32_t t)
{
    for (size_t h = 0; h < list->count; h++)
        if (list->hits[h].ray == ray && list->hits[h].entity == entity && list->hits[h].part == d &&
            list->hits[h].triangle == t)
            return &list->hits[h];
    return NULL;
}

static void check_mesh_ray(const struct hall *hall, const struct plain_mesh *mesh, const struct hit_ray *ray,
                           uint32_t r, const struct hit_list *all, const struct hit_list *nearest, size_t *found)
{
    double least = HUGE_VAL;
    for (uint32_t e = 0; e < ENTITIES; e++)
        for (uint32_t d = 0; d < 3; d++)
            for (uint32_t t = 0; t < RIG_VERTICES / 3; t++) {
                double corners[3][3], distance, shares[3];
                corners_of(hall, mesh, e, d, t, ray->at, corners);
                if ((hall->scene.entities[e].mask & ray->mask) == 0 || 100 + e == ray->ignored ||
                    !plain_triangle((const double(*)[3])corners, ray, &distance, shares) || distance > ray->most)
                    continue;
                const struct hit *hit = find_hit(all, r, 100 + e, d, t);
                assert_non_null(hit);
                (*found)++;
                least = fmin(least, distance);
                CHECK_NEAR(hit->distance, distance, 1e-4); /* vertices are of the compiled way */
            }
    for (size_t h = 0; h < nearest->count; h++)
        if (nearest->hits[h].ray == r)
            CHECK_NEAR(nearest->hits[h].distance, least, 1e-4);
}

TEST(hit_mesh_rays_are_those_of_all_triangles)
{
    struct plain_random random = {14};
    static struct plain_mesh mesh;
    static struct hit_ray rays[MESH_RAYS];
    struct hall hall;
    struct mesh_work work;
    struct hit_list all = new_list(true), nearest = new_list(false);
    struct err err;
    hall_init(&hall, &random, VOLUME_CAPSULE);
    mesh_work_init(&work);
    assert_int_equal(hall.rig.model.draw_count, 3);
    for (uint32_t i = 0; i < 2 * ENTITIES; i++)
        for (uint32_t d = 0; d < 3; d++)
            plain_vertices(&hall.poses[i], d, &hall.work, mesh.vertices[i % ENTITIES][d][i / ENTITIES]);
    for (uint32_t r = 0; r < MESH_RAYS; r++)
        random_ray(&hall, &random, &rays[r]);
    struct hit_mesh *order = hit_mesh_new(&hall.rig.model);
    for (int is_all = 0; is_all < 2; is_all++) {
        const struct mesh_rays cast = {rays, MESH_RAYS, is_all ? &all : &nearest};
        hit_mesh_begin(&work, &cast);
        for (uint32_t e = 0; e < ENTITIES; e++)
            assert_int_equal(hit_mesh_cast(&work, &hall.work, order, 100 + e, 1u << e % 4, &hall.poses[e],
                                           moves(e) ? &hall.poses[ENTITIES + e] : NULL, &cast, &err),
                             0);
    }
    size_t found = 0;
    for (uint32_t r = 0; r < MESH_RAYS; r++)
        check_mesh_ray(&hall, &mesh, &rays[r], r, &all, &nearest, &found);
    assert_true(found > 1000);
    assert_true(all.count - found < 3); /* at edges, where both are right */
    assert_true(all.steps < (uint64_t)MESH_RAYS * ENTITIES * RIG_VERTICES);
    hit_mesh_free(order);
    mesh_work_fini(&work);
    hit_list_fini(&all);
    hit_list_fini(&nearest);
    hall_fini(&hall);
}
