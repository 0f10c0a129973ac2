/* Vertices inside the others of a joint are left out. Those that can be outermost, or are morphed outwards, stay. */
#include "anim/camera/hull_vertices.h"
#include "anim/pose/pose.h"
#include "anim/pose/skin.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/linear_palette.h"

#include <string.h>

enum { GRID = 6, COUNT = GRID * GRID * GRID };

/* A block of points, its lower half on joint 0 and its upper on joint 1, one layer shared. Joint 1 bends. */
static void block(struct fixture *f, uint32_t method)
{
    struct bake_builder *b = &f->builder;
    struct vec3 positions[COUNT];
    const uint32_t joints[2] = {0, 1};
    const float place[3] = {7, -3, 1}, knee[3] = {0, 2.5f, 0},
                turn[4] = {0.18257419f, 0.36514837f, 0.54772256f, 0.73029674f}, scale[3] = {2, 1, 0.5f};
    for (int i = 0; i < COUNT; i++)
        positions[i] = (struct vec3){(float)(i % GRID), (float)(i / GRID % GRID), (float)(i / GRID / GRID)};
    fixture_init(f);
    fixture_node(f, -1, place, turn, scale);
    fixture_node(f, 0, knee, turn, FIXTURE_ONE);
    fixture_root(f, 0);
    const int32_t skin = (int32_t)fixture_skin(f, joints, 2);
    b->skins[skin].method = method;
    b->joints[1].joint_from_bind.m[13] = -2.5f;
    const uint32_t mesh = fixture_mesh(f, positions, COUNT);
    for (uint32_t v = 0; v < COUNT; v++) {
        const uint32_t row = v / GRID % GRID;
        const float upper = row < 2 ? 0.0f : row == 2 ? 0.3f : 1.0f;
        if (upper < 1)
            *bake_add_influence(b, 1) = (struct influence){0, 1 - upper};
        if (upper > 0)
            *bake_add_influence(b, 1) = (struct influence){1, upper};
        b->influence_firsts[v + 1] = b->influence_count;
    }
    const uint32_t node = fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(f, node);
    b->nodes[node].mesh = (int32_t)mesh;
    b->nodes[node].skin = skin;
    fixture_finish(f);
}

static double farthest(const struct vec3 *points, uint32_t count, const double direction[3])
{
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < count; i++) {
        const struct vec3 *p = &points[i];
        const double way = direction[0] * (double)p->x + direction[1] * (double)p->y + direction[2] * (double)p->z;
        most = way > most ? way : most;
    }
    return most;
}

TEST(outline_reaches_as_far_as_all_vertices)
{
    struct fixture f;
    struct hull_vertices hull = {0};
    struct pose pose;
    struct mat4 palette[2];
    struct vec3 all[COUNT], few[COUNT];
    uint8_t is_used[COUNT];
    struct err err;
    block(&f, METHOD_LINEAR);
    memset(is_used, 1, sizeof is_used);
    assert_int_equal(hull_vertices_init(&hull, &f.model, is_used, &err), 0);
    const uint32_t count = hull_vertices_count(&hull, 0);
    assert_int_equal(count, 8 + 4 + 8); /* the corners of two blocks of rows, and of the row between them */
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    assert_int_equal(pose_palette(&pose, &f.model, 0, &DMAT4_IDENTITY, palette, &err), 0);
    skin_positions(&f.model, 0, LINEAR(palette), f.model.positions, all);
    hull_vertices_positions(&hull, &f.model, 0, LINEAR(palette), NULL, 0, few);
    for (int d = 0; d < 50; d++) {
        const double direction[3] = {sin(d), cos(d * 1.3), sin(d * 2.1)};
        CHECK_NEAR(farthest(few, count, direction), farthest(all, COUNT, direction), 1e-2);
    }
    pose_fini(&pose);
    hull_vertices_fini(&hull);
    fixture_fini(&f);
}

TEST(outline_of_what_dual_quaternions_move_is_all)
{
    struct fixture f;
    struct hull_vertices hull = {0};
    uint8_t is_used[COUNT];
    struct err err;
    memset(is_used, 1, sizeof is_used);
    is_used[9] = 0;
    block(&f, METHOD_BLENDED);
    assert_int_equal(hull_vertices_init(&hull, &f.model, is_used, &err), 0);
    assert_int_equal(hull_vertices_count(&hull, 0), COUNT - 1);
    hull_vertices_fini(&hull);
    fixture_fini(&f);
}

TEST(outline_is_of_used_vertices)
{
    struct fixture f;
    struct hull_vertices hull = {0};
    uint8_t is_used[COUNT] = {0};
    struct err err;
    block(&f, METHOD_LINEAR);
    is_used[7] = is_used[50] = 1;
    assert_int_equal(hull_vertices_init(&hull, &f.model, is_used, &err), 0);
    assert_int_equal(hull_vertices_count(&hull, 0), 2);
    assert_int_equal(hull.vertices[0], 7);
    assert_int_equal(hull.vertices[1], 50);
    hull_vertices_fini(&hull);
    fixture_fini(&f);
}

/* A vertex in the middle that a target moves far out. */
TEST(outline_has_what_is_morphed_outwards)
{
    struct fixture f;
    struct hull_vertices hull = {0};
    struct vec3 positions[9], out[9];
    struct err err;
    const uint8_t is_used[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct mat4 palette = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const double weights[1] = {0.5};
    for (int i = 0; i < 8; i++)
        positions[i] = (struct vec3){(float)(i & 1), (float)(i >> 1 & 1), (float)(i >> 2)};
    positions[8] = (struct vec3){0.5f, 0.5f, 0.5f};
    fixture_init(&f);
    const uint32_t node = fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, node);
    f.builder.nodes[node].mesh = (int32_t)fixture_mesh(&f, positions, 9);
    for (int i = 0; i < 9; i++)
        f.builder.influence_firsts[i + 1] = 0;
    *bake_add_morph_target(&f.builder, 1) =
        (struct morph_target){.name = {.offset = STR_NONE}, .position_first = 0, .normal_first = UINT32_MAX};
    memset(bake_add_morph_delta(&f.builder, 9), 0, 9 * sizeof(struct vec3));
    f.builder.morph_deltas[8] = (struct vec3){0, 6, 0};
    f.builder.primitives[0].morph_target_count = 1;
    *bake_add_weight(&f.builder, 1) = 0;
    f.builder.nodes[node].weight_count = 1;
    fixture_finish(&f);
    assert_int_equal(hull_vertices_init(&hull, &f.model, is_used, &err), 0);
    assert_int_equal(hull_vertices_count(&hull, 0), 9);
    hull_vertices_positions(&hull, &f.model, 0, LINEAR(&palette), weights, 1, out);
    CHECK_NEAR(out[8].y, 3.5, 1e-6);
    CHECK_NEAR(out[7].y, 1, 0);
    hull_vertices_fini(&hull);
    fixture_fini(&f);
}
