#include "anim/pose/skin.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/linear_palette.h"

#define HALF 0.70710678118654752

/* One primitive of one vertex at `position`; tests add what they need. */
struct one_vertex {
    struct primitive primitive;
    struct vec3 position, normal;
    uint32_t influence_firsts[2];
    struct influence influences[10];
    struct morph_target targets[2];
    struct vec3 deltas[4];
    struct model model;
};

static void init(struct one_vertex *one, struct vec3 position, struct vec3 normal)
{
    *one = (struct one_vertex){.primitive = {.vertex_count = 1}, .position = position, .normal = normal};
    one->model = (struct model){.primitives = &one->primitive,
                                .primitive_count = 1,
                                .positions = &one->position,
                                .position_count = 1,
                                .normals = &one->normal,
                                .normal_count = 1,
                                .influence_firsts = one->influence_firsts,
                                .influence_first_count = 2,
                                .influences = one->influences,
                                .morph_targets = one->targets,
                                .morph_deltas = one->deltas};
}

static void influence(struct one_vertex *one, uint32_t joint, float weight)
{
    one->influences[one->influence_firsts[1]++] = (struct influence){joint, weight};
}

static struct mat4 matrix(double x, double y, double z, const double rotation[4], double sx, double sy, double sz)
{
    const struct trs trs = {{x, y, z}, {rotation[0], rotation[1], rotation[2], rotation[3]}, {sx, sy, sz}};
    const struct dmat4 m = dmat4_from_trs(&trs);
    return mat4_from_dmat4(&m);
}

static const double NO_TURN[4] = {0, 0, 0, 1}, TURN_Z[4] = {0, 0, HALF, HALF};

static void check_vec3(struct vec3 v, double x, double y, double z)
{
    CHECK_NEAR(v.x, x, 1e-6);
    CHECK_NEAR(v.y, y, 1e-6);
    CHECK_NEAR(v.z, z, 1e-6);
}

TEST(skin_uses_every_influence)
{
    struct one_vertex one;
    struct mat4 palette[10];
    struct vec3 out;
    init(&one, (struct vec3){1, 2, 3}, (struct vec3){0, 0, 1});
    for (uint32_t j = 0; j < 10; j++) {
        influence(&one, j, (float)(j + 1) / 55);
        palette[j] = matrix(j, 0, 0, NO_TURN, 1, 1, 1);
    }
    /* joint j moves by j with weight (j + 1) / 55: sum of j * (j + 1) over 0..9 is 330, 330 / 55 = 6 */
    skin_positions(&one.model, 0, LINEAR(palette), &one.position, &out);
    check_vec3(out, 7, 2, 3);
}

TEST(skin_blends_rotated_and_scaled_joints)
{
    struct one_vertex one;
    struct vec3 out;
    init(&one, (struct vec3){1, 2, 3}, (struct vec3){0, 0, 1});
    influence(&one, 1, 0.25f);
    influence(&one, 0, 0.75f);
    /* joint 0: scaled (2,2,9), around z (-2,2,9), moved (8,2,9); joint 1: (1,2,3) moved to (1,2,7) */
    const struct mat4 palette[2] = {matrix(10, 0, 0, TURN_Z, 2, 1, 3), matrix(0, 0, 4, NO_TURN, 1, 1, 1)};
    skin_positions(&one.model, 0, LINEAR(palette), &one.position, &out);
    check_vec3(out, 0.75 * 8 + 0.25, 2, 0.75 * 9 + 0.25 * 7);
}

TEST(skin_without_influences_follows_joint_0)
{
    struct one_vertex one;
    init(&one, (struct vec3){1, 2, 3}, (struct vec3){1, 0, 0});
    const struct mat4 palette[2] = {matrix(10, 0, 0, TURN_Z, 1, 1, 1), matrix(99, 99, 99, NO_TURN, 1, 1, 1)};
    struct vec3 out = one.position;
    skin_positions(&one.model, 0, LINEAR(palette), &out, &out); /* in place */
    check_vec3(out, 8, 1, 3);
    out = one.normal;
    skin_normals(&one.model, 0, LINEAR(palette), &out, &out);
    check_vec3(out, 0, 1, 0);
}

TEST(skin_morphs_before_it_skins)
{
    struct one_vertex one;
    struct vec3 out;
    const double weights[2] = {0.5, 3};
    init(&one, (struct vec3){1, 0, 0}, (struct vec3){1, 0, 0});
    one.primitive.morph_target_count = 2;
    one.targets[0] = (struct morph_target){.position_first = 0, .normal_first = UINT32_MAX};
    one.targets[1] = (struct morph_target){.position_first = UINT32_MAX, .normal_first = 1};
    one.deltas[0] = (struct vec3){1, 0, 0};
    one.deltas[1] = (struct vec3){0, 0, 2};
    const struct mat4 palette = matrix(10, 0, 0, TURN_Z, 1, 1, 1);
    skin_morph_positions(&one.model, 0, weights, 2, &out);
    check_vec3(out, 1.5, 0, 0);
    skin_positions(&one.model, 0, LINEAR(&palette), &out, &out);
    check_vec3(out, 10, 1.5, 0); /* skinned first: (10.5, 1, 0) */
    skin_morph_normals(&one.model, 0, weights, 2, &out);
    check_vec3(out, 1, 0, 6);
    skin_morph_normals(&one.model, 0, weights, 1, &out); /* a missing weight counts as 0 */
    check_vec3(out, 1, 0, 0);
    skin_morph_positions(&one.model, 0, NULL, 0, &out);
    check_vec3(out, 1, 0, 0);
}

enum { MANY = 150, TARGETS = 5 };

/* A primitive of MANY vertices, from vertex 7 of the model on, and TARGETS targets; the third has no positions. */
struct many_vertices {
    struct primitive primitive;
    struct node node;
    struct draw draw;
    struct vec3 positions[MANY + 7], deltas[TARGETS * MANY];
    struct morph_target targets[TARGETS];
    struct model model;
};

static void init_many(struct many_vertices *many)
{
    *many =
        (struct many_vertices){.primitive = {.vertex_first = 7, .vertex_count = MANY, .morph_target_count = TARGETS},
                               .node = {.weight_count = TARGETS}};
    for (uint32_t v = 0; v < MANY + 7; v++)
        many->positions[v] = (struct vec3){(float)v / 3, 1 / (1 + (float)v), 1e4f};
    for (uint32_t d = 0; d < TARGETS * MANY; d++)
        many->deltas[d] = (struct vec3){(float)d / 7, 1e-5f * (float)d, -(float)d};
    for (uint32_t t = 0; t < TARGETS; t++)
        many->targets[t] = (struct morph_target){.position_first = t == 2 ? UINT32_MAX : t * MANY};
    many->model = (struct model){.primitives = &many->primitive,
                                 .positions = many->positions,
                                 .morph_targets = many->targets,
                                 .morph_deltas = many->deltas,
                                 .nodes = &many->node,
                                 .draws = &many->draw};
}

TEST(skin_morphs_blocks_of_vertices_as_one_after_the_other)
{
    static const double WEIGHTS[TARGETS] = {0.1, 0, 3, -0.7, 1e-3};
    struct many_vertices many;
    struct vec3 all[MANY], some[MANY / 2];
    double binds[MANY / 2][3];
    uint32_t places[MANY / 2];
    init_many(&many);
    for (uint32_t i = 0; i < MANY / 2; i++)
        places[i] = MANY - 1 - 2 * i;
    skin_morph_positions(&many.model, 0, WEIGHTS, TARGETS, all);
    skin_morph_places(&many.model, 0, places, MANY / 2, WEIGHTS, TARGETS, some);
    skin_morph_binds(&many.model, 0, places, MANY / 2, WEIGHTS, TARGETS, binds);
    for (uint32_t v = 0; v < MANY; v++) {
        double z = 1e4;
        for (uint32_t t = 0; t < TARGETS; t++)
            z += t == 2 ? 0 : WEIGHTS[t] * -(double)(t * MANY + v);
        assert_true(all[v].z == (float)z); /* to the bit */
    }
    for (uint32_t i = 0; i < MANY / 2; i++) {
        assert_memory_equal(&some[i], &all[places[i]], sizeof some[i]);
        assert_true((float)binds[i][0] == all[places[i]].x && (float)binds[i][1] == all[places[i]].y);
    }
}

TEST(skin_work_counts_targets_that_have_a_weight)
{
    double weights[TARGETS] = {0};
    const struct pose pose = {.weights = weights};
    struct many_vertices many;
    init_many(&many);
    assert_int_equal(skin_draw_work(&many.model, 0, &pose), MANY);
    weights[2] = 1; /* moves no positions */
    assert_int_equal(skin_draw_work(&many.model, 0, &pose), MANY);
    weights[0] = weights[4] = 0.5;
    assert_int_equal(skin_draw_work(&many.model, 0, &pose), MANY + 2 * MANY / 32);
    assert_int_equal(skin_morph_work(&many.model, 0, weights, 1, 320), 10);
    many.primitive.morph_target_count = 0;
    assert_int_equal(skin_draw_work(&many.model, 0, &pose), MANY);
}

TEST(skin_normals_under_non_uniform_scale)
{
    struct one_vertex one;
    struct vec3 out;
    init(&one, (struct vec3){0, 0, 0}, (struct vec3){(float)HALF, (float)HALF, 0});
    /* scaling by (2,1,1) turns (1,1) into (1/2,1); then around z: (-1,1/2), length sqrt(5)/2 */
    const struct mat4 palette = matrix(5, 6, 7, TURN_Z, 2, 1, 1);
    skin_normals(&one.model, 0, LINEAR(&palette), &one.normal, &out);
    check_vec3(out, -0.89442719, 0.44721360, 0);
}

TEST(skin_normals_of_a_mirrored_joint_point_outwards)
{
    struct one_vertex one;
    struct vec3 out;
    init(&one, (struct vec3){1, 0, 0}, (struct vec3){1, 0, 0});
    const struct mat4 palette = matrix(0, 0, 0, NO_TURN, -1, 1, 1);
    skin_normals(&one.model, 0, LINEAR(&palette), &one.normal, &out);
    check_vec3(out, -1, 0, 0);
}

TEST(skin_normals_always_have_a_direction)
{
    struct one_vertex one;
    struct vec3 out;
    const struct vec3 zero = {0, 0, 0};
    init(&one, (struct vec3){1, 0, 0}, (struct vec3){0, 1, 0});
    const struct mat4 collapsed = matrix(0, 0, 0, NO_TURN, 0, 0, 0), identity = matrix(0, 0, 0, NO_TURN, 1, 1, 1);
    skin_normals(&one.model, 0, LINEAR(&collapsed), &one.normal, &out);
    check_vec3(out, 0, 1, 0);
    skin_normals(&one.model, 0, LINEAR(&identity), &zero, &out);
    check_vec3(out, 0, 0, 1);
}

/* A quarter turn about z with scales 2, 3, 4: a tangent follows the surface, not the normals. */
TEST(skin_tangents_follow_the_surface)
{
    struct one_vertex one;
    struct vec4 tangent = {(float)HALF, (float)HALF, 0, -1}, out;
    init(&one, (struct vec3){1, 2, 3}, (struct vec3){0, 0, 1});
    one.model.tangents = &tangent;
    one.model.tangent_count = 1;
    struct mat4 palette = matrix(5, 6, 7, TURN_Z, 2, 3, 4);
    skin_tangents(&one.model, 0, LINEAR(&palette), &out);
    /* (2, 3, 0) turned to (-3, 2, 0) */
    check_vec3((struct vec3){out.x, out.y, out.z}, -3 / 3.6055512754639891, 2 / 3.6055512754639891, 0);
    CHECK_NEAR(out.w, -1, 0);
    /* mirrored: the bitangent cross(normal, tangent) * w is what the joint makes of that before */
    palette = matrix(0, 0, 0, NO_TURN, -1, 1, 1);
    skin_tangents(&one.model, 0, LINEAR(&palette), &out);
    check_vec3((struct vec3){out.x, out.y, out.z}, -HALF, HALF, 0);
    struct vec3 normal;
    skin_normals(&one.model, 0, LINEAR(&palette), &one.normal, &normal);
    /* before: cross((0, 0, 1), (h, h, 0)) * -1 = (h, -h, 0), mirrored (-h, -h, 0) */
    CHECK_NEAR((normal.y * out.z - normal.z * out.y) * out.w, -HALF, 1e-6);
    CHECK_NEAR((normal.z * out.x - normal.x * out.z) * out.w, -HALF, 1e-6);
    /* a joint that collapses everything, and a zero tangent */
    palette = matrix(0, 0, 0, NO_TURN, 0, 0, 0);
    skin_tangents(&one.model, 0, LINEAR(&palette), &out);
    CHECK_NEAR(out.x, HALF, 1e-6);
    tangent = (struct vec4){0, 0, 0, 0};
    skin_tangents(&one.model, 0, LINEAR(&palette), &out);
    CHECK_NEAR(out.x, 1, 0);
    CHECK_NEAR(out.w, 1, 0);
}
