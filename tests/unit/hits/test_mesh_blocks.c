/* Blocks of triangles: blocks far from all rays are not skinned, and no hit is lost. */
#include "anim/hits/hit_mesh.h"
#include "anim/shape/triangle.h"
#include "tests/unit/hits/tube_rig.h"
#include "tests/unit/support/check.h"

#include <string.h>

enum { CASES = RANDOM_CASES(250), RAYS = 40 };

/* --- bounds --- */

static bool is_in(const struct box *box, const double point[3])
{
    bool is_in = true;
    for (int i = 0; i < 3; i++)
        is_in = is_in && point[i] >= box->min[i] && point[i] <= box->max[i];
    return is_in;
}

/* Every vertex of every triangle of the block. */
static void check_block(const struct tube_rig *rig, const struct hit_mesh *mesh, const struct blocks_pose *pose,
                        uint32_t b, double (*vertices)[3])
{
    const struct model *model = &rig->fixture.model;
    const uint32_t p = model->draws[pose->draw].primitive, blocks = mesh_block_count(TUBE_TRIANGLES);
    const uint32_t *order = mesh->order + mesh->firsts[p], *indices = model->indices + model->primitives[p].index_first;
    struct box bound = BOX_EMPTY, exact = BOX_EMPTY;
    assert_true(mesh_block_bound(&mesh->blocks, pose, b, &bound));
    for (uint32_t i = TUBE_TRIANGLES * b / blocks; i < TUBE_TRIANGLES * (b + 1) / blocks; i++)
        for (int c = 0; c < 3; c++) {
            assert_true(is_in(&bound, vertices[indices[3 * order[i] + (uint32_t)c]]));
            box_add(&exact, vertices[indices[3 * order[i] + (uint32_t)c]]);
        }
    assert_true(box_size(&bound) < 12 * box_size(&exact)); /* it is of use, too */
}

TEST(mesh_blocks_hold_their_vertices_in_every_pose)
{
    struct plain_random random = {71};
    for (int n = 0; n < 60; n++) {
        const enum tube_kind kind = (enum tube_kind)(n % TUBE_KIND_COUNT);
        struct tube_rig rig;
        struct entity_work work;
        struct mat4 matrices[TUBE_JOINTS];
        struct skin_part parts[TUBE_JOINTS];
        struct skin_palette palette = {.matrices = matrices, .parts = parts};
        double vertices[TUBE_VERTICES][3];
        tube_rig_init(&rig, &random, kind);
        entity_work_init(&work);
        struct hit_mesh *mesh = hit_mesh_new(&rig.fixture.model);
        assert_true(mesh_block_count(TUBE_TRIANGLES) > 8);
        for (uint32_t d = 0; d < TUBE_MESHES; d++) {
            tube_rig_skin(&rig, d, n % 2, &work, &palette, vertices);
            const struct model *model = &rig.fixture.model;
            const struct blocks_pose pose = {
                .model = model,
                .draw = d,
                .palette = &palette,
                .weights =
                    kind == TUBE_MORPHED ? work.pose.weights + model->nodes[model->draws[d].node].weight_first : NULL,
                .world_from_scene = &rig.poses[n % 2].world_from_scene};
            struct box bound = BOX_EMPTY;
            if (palette.method == METHOD_DUAL_QUATERNION)
                assert_false(mesh_block_bound(&mesh->blocks, &pose, 0, &bound));
            else
                for (uint32_t b = 0; b < mesh_block_count(TUBE_TRIANGLES); b++)
                    check_block(&rig, mesh, &pose, b, vertices);
        }
        hit_mesh_free(mesh);
        entity_work_fini(&work);
        fixture_fini(&rig.fixture);
    }
}

TEST(mesh_blocks_have_no_bound_where_a_vertex_may_not_be_finite)
{
    struct plain_random random = {72};
    struct tube_rig rig;
    struct mat4 matrices[TUBE_JOINTS];
    struct skin_palette palette = {.matrices = matrices};
    tube_rig_init(&rig, &random, TUBE_PLAIN);
    struct hit_mesh *mesh = hit_mesh_new(&rig.fixture.model);
    const struct blocks_pose pose = {
        .model = &rig.fixture.model, .palette = &palette, .world_from_scene = &rig.poses[0].world_from_scene};
    static const float BAD[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (size_t n = 0; n < sizeof BAD / sizeof *BAD; n++) {
        struct box bound = BOX_EMPTY;
        uint32_t refused = 0;
        memset(matrices, 0, sizeof matrices);
        matrices[3].m[12] = BAD[n];
        for (uint32_t b = 0; b < mesh_block_count(TUBE_TRIANGLES); b++)
            refused += !mesh_block_bound(&mesh->blocks, &pose, b, &bound);
        assert_true(refused > 0 && refused < mesh_block_count(TUBE_TRIANGLES));
    }
    hit_mesh_free(mesh);
    fixture_fini(&rig.fixture);
}

/* --- rays --- */

static void random_ray(struct plain_random *random, double (*vertices)[3], struct hit_ray *ray)
{
    const double *at = vertices[(int)plain_uniform(random, 0, TUBE_VERTICES)];
    *ray = (struct hit_ray){.most = plain_uniform(random, 0, 1) < 0.2 ? plain_uniform(random, 5, 40) : HUGE_VAL,
                            .radius = plain_uniform(random, 0, 1) < 0.4 ? plain_uniform(random, 0.01, 1.5) : 0,
                            .at = plain_uniform(random, 0, 1),
                            .mask = UINT32_MAX,
                            .ignored = (uint32_t)HIT_NONE};
    for (int i = 0; i < 3; i++) {
        ray->origin[i] = plain_uniform(random, -30, 30);
        ray->direction[i] = at[i] + plain_uniform(random, -1, 1) - ray->origin[i];
    }
    unit3(ray->direction);
}

/* Every triangle of every draw, one after the other: the very bits. */
static void search(const struct tube_rig *rig, double (*vertices)[2][TUBE_VERTICES][3], bool is_moving, uint32_t r,
                   const struct hit_ray *ray, struct hit_list *list)
{
    const struct model *model = &rig->fixture.model;
    struct triangle_ray line;
    const size_t first = list->count;
    triangle_ray_init(&line, ray->origin, ray->direction);
    for (uint32_t d = 0; d < TUBE_MESHES; d++)
        for (uint32_t t = 0; t < TUBE_TRIANGLES; t++) {
            const uint32_t *index = model->indices + model->primitives[model->draws[d].primitive].index_first + 3 * t;
            double corners[3][3];
            struct triangle_entry entry;
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < 3; i++) {
                    const double begin = vertices[d][0][index[c]][i], end = vertices[d][1][index[c]][i];
                    corners[c][i] = is_moving ? (1 - ray->at) * begin + ray->at * end : begin;
                }
            if (!(ray->radius > 0 ? triangle_sweep(&line, ray->radius, (const double(*)[3])corners, &entry)
                                  : triangle_hit(&line, (const double(*)[3])corners, &entry)) ||
                entry.t > ray->most)
                continue;
            const struct hit hit = {.ray = r, .entity = 5, .part = d, .triangle = t, .distance = entry.t};
            hit_list_offer(list, first, &hit);
        }
}

static void check_same(const struct hit_list *found, const struct hit_list *expected)
{
    assert_int_equal(found->count, expected->count);
    for (size_t h = 0; h < found->count; h++) {
        const struct hit *a = &found->hits[h], *b = &expected->hits[h];
        assert_int_equal(a->ray, b->ray);
        assert_int_equal(a->part, b->part);
        assert_int_equal(a->triangle, b->triangle);
        assert_memory_equal(&a->distance, &b->distance, sizeof a->distance);
    }
}

/* 10,000 rays and balls at what stands or moves, whose world is scaled by axis and sheared. */
TEST(mesh_blocks_lose_no_hit)
{
    struct plain_random random = {73};
    static double vertices[TUBE_MESHES][2][TUBE_VERTICES][3];
    struct mesh_work work;
    struct entity_work poses;
    uint64_t all_vertices = 0, bounded_vertices = 0, skinned = 0;
    size_t hits = 0;
    mesh_work_init(&work);
    entity_work_init(&poses);
    for (int n = 0; n < CASES; n++) {
        const enum tube_kind kind = (enum tube_kind)(n % TUBE_KIND_COUNT);
        const bool is_moving = n % 3 == 0, is_all = n % 2 == 0;
        struct tube_rig rig;
        struct mat4 matrices[TUBE_JOINTS];
        struct skin_part parts[TUBE_JOINTS];
        struct skin_palette palette = {.matrices = matrices, .parts = parts};
        struct hit_ray rays[RAYS];
        struct err err;
        struct hit_list found = {.is_all = is_all, .count_most = SIZE_MAX, .steps_most = UINT64_MAX}, expected = found;
        tube_rig_init(&rig, &random, kind);
        for (uint32_t d = 0; d < TUBE_MESHES; d++)
            for (int p = 0; p < 2; p++)
                tube_rig_skin(&rig, d, p, &poses, &palette, vertices[d][p]);
        for (uint32_t r = 0; r < RAYS; r++) {
            random_ray(&random, vertices[r % TUBE_MESHES][0], &rays[r]);
            rays[r].radius = r == 0 ? fmin(rays[r].radius, 0.05) : rays[r].radius;
            search(&rig, vertices, is_moving, r, &rays[r], &expected);
        }
        struct hit_mesh *mesh = hit_mesh_new(&rig.fixture.model);
        const struct mesh_rays cast = {rays, n % 5 == 0 ? 1 : RAYS, &found};
        if (cast.count == 1) { /* one ray comes near to little */
            expected.count = 0;
            search(&rig, vertices, is_moving, 0, &rays[0], &expected);
        }
        const uint64_t before = work.skinned_count;
        hit_mesh_begin(&work, &cast);
        assert_int_equal(
            hit_mesh_cast(&work, &poses, mesh, 5, 1, &rig.poses[0], is_moving ? &rig.poses[1] : NULL, &cast, &err), 0);
        hit_list_sort(&found);
        hit_list_sort(&expected);
        check_same(&found, &expected);
        all_vertices += (uint64_t)(is_moving ? 2 : 1) * TUBE_MESHES * TUBE_VERTICES;
        if (cast.count == 1 && kind == TUBE_PLAIN) {
            bounded_vertices += (uint64_t)(is_moving ? 2 : 1) * TUBE_MESHES * TUBE_VERTICES;
            skinned += work.skinned_count - before;
        }
        hits += found.count;
        hit_list_fini(&found);
        hit_list_fini(&expected);
        hit_mesh_free(mesh);
        fixture_fini(&rig.fixture);
    }
    assert_true(hits > RANDOM_CASES(5000));
    assert_true(work.skinned_count < all_vertices);
    assert_true(skinned < bounded_vertices / 2);
    mesh_work_fini(&work);
    entity_work_fini(&poses);
}
