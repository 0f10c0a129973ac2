/* Blocks of triangles: what no ray comes near to is not skinned, and no hit is lost by that. */
#include "anim/hits/hit_mesh.h"
#include "anim/hits/triangle.h"
#include "tests/unit/hits/plain_hits.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <stdlib.h>
#include <string.h>

enum {
    JOINTS = 8,
    RINGS = 40,
    RING = 8,
    TUBE = RINGS * RING,
    TUBE_TRIANGLES = (RINGS - 1) * RING * 2,
    TARGETS = 3,
    MESHES = 3,
    CASES = 250,
    RAYS = 40
};

/* What the vertices of a rig are moved by. */
enum kind { PLAIN, UNEVEN, MORPHED, DUAL, KIND_COUNT };

struct rig {
    struct fixture fixture;
    struct blend_layer layers[2];
    struct entity entities[2];
    struct scene_pose poses[2];
};

static void add_influences(struct bake_builder *b, struct plain_random *random, uint32_t vertex, double along,
                           enum kind kind)
{
    const uint32_t joint = (uint32_t)(along * (JOINTS - 1));
    const float share = (float)plain_uniform(random, 0.1, 0.9),
                all = kind == UNEVEN ? (float)plain_uniform(random, 0.3, 1.7) : 1;
    *bake_add_influence(b, 1) = (struct influence){joint, all * share};
    *bake_add_influence(b, 1) = (struct influence){joint + 1, all * (1 - share)};
    b->influence_firsts[vertex + 1] = b->influence_count;
}

static void add_targets(struct bake_builder *b, struct plain_random *random, struct primitive *primitive)
{
    for (uint32_t t = 0; t < TARGETS; t++) {
        const uint32_t first = b->morph_delta_count;
        *bake_add_morph_target(b, 1) = (struct morph_target){
            .name = {.offset = STR_NONE}, .position_first = t == 1 ? UINT32_MAX : first, .normal_first = UINT32_MAX};
        struct vec3 *deltas = t == 1 ? NULL : bake_add_morph_delta(b, TUBE);
        for (uint32_t v = 0; v < TUBE && deltas != NULL; v++)
            deltas[v] = (struct vec3){(float)plain_uniform(random, -0.5, 0.5), (float)plain_uniform(random, -0.5, 0.5),
                                      v % 3 == 0 ? 0 : (float)plain_uniform(random, -0.5, 0.5)};
    }
    primitive->morph_target_count = TARGETS;
}

/* A tube along y; some of its vertices belong to no triangle. */
static uint32_t add_tube(struct fixture *f, struct plain_random *random, enum kind kind, bool has_joints)
{
    struct bake_builder *b = &f->builder;
    struct vec3 positions[TUBE];
    for (int v = 0; v < TUBE; v++) {
        const double angle = 0.785398 * (v % RING), radius = plain_uniform(random, 0.2, 0.3);
        positions[v] =
            (struct vec3){(float)(radius * cos(angle)), (float)(0.1 * (v / RING)), (float)(radius * sin(angle))};
    }
    const uint32_t mesh = fixture_mesh(f, positions, TUBE);
    const uint32_t p = b->primitive_count - 1, first = b->primitives[p].vertex_first;
    uint32_t *index = bake_add_index(b, 3 * TUBE_TRIANGLES - TUBE) - TUBE;
    for (uint32_t r = 0; r + 1 < RINGS; r++)
        for (uint32_t k = 0; k < RING; k++) {
            const uint32_t low = r * RING + k, next = r * RING + (k + 1) % RING;
            const uint32_t corners[6] = {low, next, low + RING, next, next + RING, low + RING};
            memcpy(index, corners, sizeof corners);
            index += 6;
        }
    b->primitives[p].topology = TOPOLOGY_TRIANGLES;
    b->primitives[p].index_count = 3 * TUBE_TRIANGLES;
    for (uint32_t v = 0; v < TUBE && has_joints; v++)
        add_influences(b, random, first + v, (double)v / TUBE, kind);
    if (kind == MORPHED)
        add_targets(b, random, &b->primitives[p]);
    return mesh;
}

static void add_joints(struct fixture *f, struct plain_random *random)
{
    static const uint32_t NODES[JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int32_t n = 0; n < JOINTS; n++) {
        const double half = plain_uniform(random, -0.4, 0.4);
        const float place[3] = {n == 0 ? 3.f : 0, 0.5f, 0}, turn[4] = {(float)sin(half), 0, 0, (float)cos(half)};
        float scale[3];
        for (int i = 0; i < 3; i++)
            scale[i] = (float)plain_uniform(random, 0.8, 1.25) * (n == 5 && i == 0 ? -1 : 1);
        fixture_node(f, n - 1, place, turn, scale);
    }
    fixture_root(f, 0);
    fixture_skin(f, NODES, JOINTS);
    for (uint32_t j = 0; j < JOINTS; j++) { /* joints are where their rings are, all but */
        struct mat4 *m = &f->builder.joints[j].joint_from_bind;
        m->m[13] = -0.5f * (float)j;
        m->m[4] = (float)plain_uniform(random, -0.1, 0.1);
    }
}

static void add_clip(struct fixture *f, struct plain_random *random)
{
    static const double TIMES[] = {0, 1, 2};
    fixture_clip(f);
    for (uint32_t n = 0; n < JOINTS; n++) {
        float turns[12];
        for (int k = 0; k < 3; k++) {
            const double half = plain_uniform(random, -0.5, 0.5);
            const float turn[4] = {0, 0, (float)sin(half), (float)cos(half)};
            memcpy(turns + 4 * k, turn, sizeof turn);
        }
        fixture_channel(f, n, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 3, turns);
    }
    f->builder.clips[0].duration_s = 2;
}

static void rig_init(struct rig *rig, struct plain_random *random, enum kind kind)
{
    struct fixture *f = &rig->fixture;
    struct bake_builder *b = &f->builder;
    fixture_init(f);
    add_joints(f, random);
    if (kind == DUAL)
        b->skins[0].method = METHOD_DUAL_QUATERNION;
    for (int m = 0; m < MESHES; m++) { /* the last moves with a joint and has no skin */
        const bool has_joints = m + 1 < MESHES;
        const uint32_t mesh = add_tube(f, random, kind, has_joints);
        const uint32_t node = fixture_mesh_node(f, mesh, has_joints ? 0 : -1);
        for (int i = 0; i < 3; i++)
            b->nodes[node].translation[i] = (float)plain_uniform(random, -2, 2);
        if (kind != MORPHED)
            continue;
        b->nodes[node].weight_first = b->weight_count;
        b->nodes[node].weight_count = TARGETS;
        float *weights = bake_add_weight(b, TARGETS);
        for (int t = 0; t < TARGETS; t++)
            weights[t] = (float)plain_uniform(random, -1, 2);
    }
    add_clip(f, random);
    fixture_finish(f);
    for (int p = 0; p < 2; p++) {
        rig->layers[p] = (struct blend_layer){.clip = 0, .clip_time_s = plain_uniform(random, 0, 2), .weight = 1};
        rig->entities[p] = (struct entity){.model = &f->model, .layers = &rig->layers[p], .layer_count = 1};
        rig->poses[p].entity = &rig->entities[p];
        plain_matrix(random, &rig->poses[p].world_from_scene);
    }
}

/* The vertices of a draw in a pose, all of them. */
static void skin_plainly(const struct rig *rig, uint32_t d, int p, struct entity_work *work,
                         struct skin_palette *palette, double (*out)[3])
{
    const struct model *model = &rig->fixture.model;
    struct vec3 skinned[TUBE];
    struct err err;
    if (model->morph_target_count > 0)
        entity_evaluate_exact(work, &rig->entities[p]);
    else
        entity_evaluate(work, &rig->entities[p]);
    assert_int_equal(entity_palette(work, model->draws[d].skin, LAYOUT_MAT4, palette->matrices[0].m, &err), 0);
    skin_palette_take_apart(palette, model, model->draws[d].skin);
    skin_draw(model, d, &work->pose, palette, false, skinned);
    for (int v = 0; v < TUBE; v++)
        dmat4_point(&rig->poses[p].world_from_scene, DOUBLE3(skinned[v]), out[v]);
}

/* --- bounds --- */

static bool is_in(const struct box *box, const double point[3])
{
    bool is_in = true;
    for (int i = 0; i < 3; i++)
        is_in = is_in && point[i] >= box->min[i] && point[i] <= box->max[i];
    return is_in;
}

/* Every vertex of every triangle of the block. */
static void check_block(const struct rig *rig, const struct hit_mesh *mesh, const struct blocks_pose *pose, uint32_t b,
                        double (*vertices)[3])
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
        const enum kind kind = (enum kind)(n % KIND_COUNT);
        struct rig rig;
        struct entity_work work;
        struct mat4 matrices[JOINTS];
        struct skin_part parts[JOINTS];
        struct skin_palette palette = {.matrices = matrices, .parts = parts};
        double vertices[TUBE][3];
        rig_init(&rig, &random, kind);
        entity_work_init(&work);
        struct hit_mesh *mesh = hit_mesh_new(&rig.fixture.model);
        assert_true(mesh_block_count(TUBE_TRIANGLES) > 8);
        for (uint32_t d = 0; d < MESHES; d++) {
            skin_plainly(&rig, d, n % 2, &work, &palette, vertices);
            const struct model *model = &rig.fixture.model;
            const struct blocks_pose pose = {
                .model = model,
                .draw = d,
                .palette = &palette,
                .weights = kind == MORPHED ? work.pose.weights + model->nodes[model->draws[d].node].weight_first : NULL,
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
    struct rig rig;
    struct mat4 matrices[JOINTS];
    struct skin_palette palette = {.matrices = matrices};
    rig_init(&rig, &random, PLAIN);
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
    const double *at = vertices[(int)plain_uniform(random, 0, TUBE)];
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
static void search(const struct rig *rig, double (*vertices)[2][TUBE][3], bool is_moving, uint32_t r,
                   const struct hit_ray *ray, struct hit_list *list)
{
    const struct model *model = &rig->fixture.model;
    struct triangle_ray line;
    const size_t first = list->count;
    triangle_ray_init(&line, ray->origin, ray->direction);
    for (uint32_t d = 0; d < MESHES; d++)
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
    static double vertices[MESHES][2][TUBE][3];
    struct mesh_work work;
    struct entity_work poses;
    uint64_t all_vertices = 0, bounded_vertices = 0, skinned = 0;
    size_t hits = 0;
    mesh_work_init(&work);
    entity_work_init(&poses);
    for (int n = 0; n < CASES; n++) {
        const enum kind kind = (enum kind)(n % KIND_COUNT);
        const bool is_moving = n % 3 == 0, is_all = n % 2 == 0;
        struct rig rig;
        struct mat4 matrices[JOINTS];
        struct skin_part parts[JOINTS];
        struct skin_palette palette = {.matrices = matrices, .parts = parts};
        struct hit_ray rays[RAYS];
        struct err err;
        struct hit_list found = {.is_all = is_all, .count_most = SIZE_MAX, .steps_most = UINT64_MAX}, expected = found;
        rig_init(&rig, &random, kind);
        for (uint32_t d = 0; d < MESHES; d++)
            for (int p = 0; p < 2; p++)
                skin_plainly(&rig, d, p, &poses, &palette, vertices[d][p]);
        for (uint32_t r = 0; r < RAYS; r++) {
            random_ray(&random, vertices[r % MESHES][0], &rays[r]);
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
        all_vertices += (uint64_t)(is_moving ? 2 : 1) * MESHES * TUBE;
        if (cast.count == 1 && kind == PLAIN) {
            bounded_vertices += (uint64_t)(is_moving ? 2 : 1) * MESHES * TUBE;
            skinned += work.skinned_count - before;
        }
        hits += found.count;
        hit_list_fini(&found);
        hit_list_fini(&expected);
        hit_mesh_free(mesh);
        fixture_fini(&rig.fixture);
    }
    assert_true(hits > 5000);
    assert_true(work.skinned_count < all_vertices);
    assert_true(skinned < bounded_vertices / 2);
    mesh_work_fini(&work);
    entity_work_fini(&poses);
}
