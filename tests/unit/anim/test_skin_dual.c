/* Dual quaternion skinning: by hand where the result is obvious, else by numpy from the formula (protocol/answers.md).
 */
#include "anim/pose/skin.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <string.h>

enum { JOINTS = 4 };

/* One vertex and the palette of its skin. */
struct one_vertex {
    struct primitive primitive;
    struct vec3 position, normal;
    uint32_t firsts[2];
    struct influence influences[JOINTS];
    float dual_weight;
    struct mat4 matrices[JOINTS];
    struct skin_part parts[JOINTS];
    struct skin skin;
    struct model model;
    struct skin_palette palette;
};

static void init(struct one_vertex *one, enum skin_method method, struct vec3 position)
{
    *one = (struct one_vertex){
        .primitive = {.vertex_count = 1}, .position = position, .skin = {.joint_count = JOINTS, .method = method}};
    for (int j = 0; j < JOINTS; j++)
        one->matrices[j] = mat4_from_dmat4(&DMAT4_IDENTITY);
    one->model = (struct model){.primitives = &one->primitive,
                                .positions = &one->position,
                                .position_count = 1,
                                .influence_firsts = one->firsts,
                                .influences = one->influences,
                                .dual_weights = &one->dual_weight,
                                .dual_weight_count = 1,
                                .skins = &one->skin,
                                .skin_count = 1};
    one->palette = (struct skin_palette){.matrices = one->matrices, .parts = one->parts};
}

static void joint(struct one_vertex *one, double weight, const struct trs *trs)
{
    const struct dmat4 m = dmat4_from_trs(trs);
    const uint32_t j = one->firsts[1]++;
    one->influences[j] = (struct influence){j, (float)weight};
    one->matrices[j] = mat4_from_dmat4(&m);
}

static void check_skinned(struct one_vertex *one, double x, double y, double z)
{
    struct vec3 out;
    skin_palette_take_apart(&one->palette, &one->model, 0);
    skin_positions(&one->model, 0, &one->palette, &one->position, &out);
    CHECK_NEAR(out.x, x, 1e-5);
    CHECK_NEAR(out.y, y, 1e-5);
    CHECK_NEAR(out.z, z, 1e-5);
}

static const double HALF = 0.70710678118654752;
static const struct trs STILL = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
/* a quarter turn about z around (0, 2, 0), which stays */
static const struct trs HINGE = {{2, 2, 0}, {0, 0, 0.70710678118654752, 0.70710678118654752}, {1, 1, 1}};

/* Half of a quarter turn around the same place: linear skinning would come to (1.5, 3.5), nearer to it. */
TEST(skin_dual_turns_around_a_hinge)
{
    struct one_vertex one;
    init(&one, METHOD_DUAL_QUATERNION, (struct vec3){3, 2, 1});
    joint(&one, 0.5, &STILL);
    joint(&one, 0.5, &HINGE);
    check_skinned(&one, 3 * HALF, 2 + 3 * HALF, 1);
    one.skin.method = METHOD_LINEAR;
    check_skinned(&one, 1.5, 3.5, 1);
    one.skin.method = METHOD_RIGID;
    check_skinned(&one, 1.5, 3.5, 1);
}

TEST(skin_dual_of_a_blended_skin_goes_from_linear_to_dual)
{
    struct one_vertex one;
    init(&one, METHOD_BLENDED, (struct vec3){3, 2, 1});
    joint(&one, 0.25, &STILL); /* half of what they are to be */
    joint(&one, 0.25, &HINGE);
    const double dual[3] = {3 * HALF, 2 + 3 * HALF, 1}, linear[3] = {1.5, 3.5, 1};
    for (int step = 0; step <= 4; step++) {
        const double w = step / 4.0;
        one.dual_weight = (float)w;
        check_skinned(&one, w * dual[0] + (1 - w) * linear[0], w * dual[1] + (1 - w) * linear[1], 1);
    }
    one.model.dual_weight_count = 0; /* none at all: 0 */
    check_skinned(&one, linear[0], linear[1], linear[2]);
}

/* 100 degrees either side about z: the short way between them is by the back, at 180. */
TEST(skin_dual_takes_the_signs_that_are_near)
{
    struct one_vertex one;
    const double s = 0.76604444311897804, c = 0.64278760968653933;
    const struct trs left = {{0, 0, 0}, {0, 0, s, c}, {1, 1, 1}}, right = {{0, 0, 0}, {0, 0, -s, c}, {1, 1, 1}};
    init(&one, METHOD_DUAL_QUATERNION, (struct vec3){2, 0, 1});
    joint(&one, 0.5, &left);
    joint(&one, 0.5, &right);
    check_skinned(&one, -2, 0, 1);
}

/* Turned, scaled, mirrored and moved joints; weights of any sum. */
TEST(skin_dual_of_scaled_and_mirrored_joints)
{
    struct one_vertex one;
    const struct trs a = {{1, 2, 3}, {0.5, 0.5, -0.5, 0.5}, {2, 1, 0.5}},
                     b = {{-4, 0, 1}, {0.1, -0.7, 0.1, 0.7}, {1, 3, 1}},
                     c = {{0, 5, -2}, {0.8, 0, 0, -0.6}, {-1, 1, 2}};
    init(&one, METHOD_DUAL_QUATERNION, (struct vec3){1, 2, 3});
    joint(&one, 0.5, &a);
    joint(&one, 0.375, &b);
    joint(&one, 0.125, &c);
    check_skinned(&one, -0.210218043, -2.15185781, 5.97617127);
    one.skin.method = METHOD_BLENDED;
    one.dual_weight = 0.25f;
    check_skinned(&one, -1.42880448, 1.9895356, 1.90654282);
    /* the normal by the inverse transpose of the same matrix */
    const struct vec3 normal = {0.6f, 0, 0.8f};
    struct vec3 out;
    one.skin.method = METHOD_DUAL_QUATERNION;
    skin_palette_take_apart(&one.palette, &one.model, 0);
    skin_normals(&one.model, 0, &one.palette, &normal, &out);
    CHECK_NEAR(out.x, -0.04598635, 1e-6);
    CHECK_NEAR(out.y, -0.99886186, 1e-6);
    CHECK_NEAR(out.z, 0.01265876, 1e-6);
}

TEST(skin_dual_of_a_sheared_joint)
{
    struct one_vertex one;
    const struct trs a = {{1, 2, 3}, {0.5, 0.5, -0.5, 0.5}, {2, 1, 0.5}},
                     b = {{-4, 0, 1}, {0.1, -0.7, 0.1, 0.7}, {1, 3, 1}}, d = {{2, -1, 0}, {0, 0, 0.6, 0.8}, {1, 1, 1}};
    const struct dmat4 shear = {{1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}};
    init(&one, METHOD_DUAL_QUATERNION, (struct vec3){1, 2, 3});
    joint(&one, 0.25, &a);
    joint(&one, 0.1875, &b);
    joint(&one, 0.0625, &d);
    const struct dmat4 turned = dmat4_from_mat4(&one.matrices[2]), sheared = dmat4_mul(&turned, &shear);
    one.matrices[2] = mat4_from_dmat4(&sheared);
    check_skinned(&one, 0.374077314, 0.820769398, 7.25038472);
    one.influences[0] = (struct influence){2, 1};
    one.firsts[1] = 1;
    check_skinned(&one, 0.579062438, 0.995228382, 6);
}

/* Without influences the vertex follows joint 0; a collapsed one takes everything to its place. */
TEST(skin_dual_of_one_joint)
{
    struct one_vertex one;
    init(&one, METHOD_DUAL_QUATERNION, (struct vec3){3, 2, 1});
    const struct dmat4 hinge = dmat4_from_trs(&HINGE);
    one.matrices[0] = mat4_from_dmat4(&hinge);
    check_skinned(&one, 0, 5, 1);
    one.matrices[0] = (struct mat4){{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9, 1}};
    check_skinned(&one, 7, 8, 9);
    /* flat: the omitted axis has no direction */
    one.matrices[0] = (struct mat4){{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 7, 8, 9, 1}};
    check_skinned(&one, 13, 12, 9);
}

/* Seen from another space everything is in the same place, moved: shears, too. */
TEST(skin_palette_of_another_space_is_the_same_moved)
{
    struct fixture f;
    struct pose pose;
    struct err err = {0};
    const float places[2][3] = {{1, 2, 3}, {0, 4, 0}}, turns[2][4] = {{0.5f, 0.5f, -0.5f, 0.5f}, {0, 0.6f, 0, 0.8f}};
    const float scales[2][3] = {{1, 3, 0.5f}, {2, 1, 1}};
    const struct vec3 positions[2] = {{1, 2, 3}, {-1, 0, 2}};
    const uint32_t joints[2] = {0, 1};
    fixture_init(&f);
    fixture_node(&f, -1, places[0], turns[0], scales[0]);
    fixture_node(&f, 0, places[1], turns[1], scales[1]);
    fixture_root(&f, 0);
    const uint32_t mesh = fixture_mesh(&f, positions, 2);
    memcpy(bake_add_influence(&f.builder, 2), (const struct influence[2]){{0, 0.25f}, {1, 0.75f}}, 16);
    memcpy(f.builder.influence_firsts, (const uint32_t[3]){0, 2, 2}, 12);
    const uint32_t skin = fixture_skin(&f, joints, 2);
    f.builder.skins[skin].method = METHOD_DUAL_QUATERNION;
    fixture_mesh_node(&f, mesh, (int32_t)skin);
    fixture_finish(&f);
    assert_int_equal(skin_parts_most(&f.model), 2);
    struct mat4 matrices[2];
    struct skin_part parts[2];
    struct skin_palette palette = {.matrices = matrices, .parts = parts};
    struct vec3 in_scene[2], in_view[2];
    const struct trs place = {{-5, 6, 7}, {0.1, -0.7, 0.1, 0.7}, {1, 1, 1}};
    const struct dmat4 view_from_scene = dmat4_from_trs(&place);
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, POSE_REST, 0);
    assert_int_equal(skin_palette_make(&palette, &pose, &f.model, skin, &DMAT4_IDENTITY, &err), 0);
    skin_draw(&f.model, 0, &pose, &palette, false, in_scene);
    assert_int_equal(skin_palette_make(&palette, &pose, &f.model, skin, &view_from_scene, &err), 0);
    skin_draw(&f.model, 0, &pose, &palette, false, in_view);
    for (int v = 0; v < 2; v++) {
        double expected[3];
        dmat4_point(&view_from_scene, DOUBLE3(in_scene[v]), expected);
        CHECK_NEAR(in_view[v].x, expected[0], 1e-5);
        CHECK_NEAR(in_view[v].y, expected[1], 1e-5);
        CHECK_NEAR(in_view[v].z, expected[2], 1e-5);
    }
    /* the model's own bounds are around the visible vertices */
    const struct model_info *info = &f.model.infos[0];
    CHECK_NEAR(info->rest_min.x, in_scene[0].x < in_scene[1].x ? in_scene[0].x : in_scene[1].x, 1e-6);
    CHECK_NEAR(info->rest_max.y, in_scene[0].y > in_scene[1].y ? in_scene[0].y : in_scene[1].y, 1e-6);
    pose_fini(&pose);
    fixture_fini(&f);
}
