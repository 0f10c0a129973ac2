/* FBX node transforms: the SDK's product of matrices, multiplied out, beside the one translation, rotation and scale.
 */
#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_transform.h"

#include <math.h>
#include <string.h>

static const double DEG = 3.14159265358979323846 / 180;

/* --- the formula as it is written, with one 4x4 matrix for each factor --- */

static struct dmat4 moved(const double v[3], double sign)
{
    struct dmat4 m = DMAT4_IDENTITY;
    for (int i = 0; i < 3; i++)
        m.m[12 + i] = sign * v[i];
    return m;
}

static struct dmat4 scaled(const double v[3])
{
    struct dmat4 m = DMAT4_IDENTITY;
    for (int i = 0; i < 3; i++)
        m.m[5 * i] = v[i];
    return m;
}

static struct dmat4 turned_about(int axis, double angle_deg)
{
    struct dmat4 m = DMAT4_IDENTITY;
    const int y = (axis + 1) % 3, z = (axis + 2) % 3;
    m.m[4 * y + y] = m.m[4 * z + z] = cos(angle_deg * DEG);
    m.m[4 * y + z] = sin(angle_deg * DEG);
    m.m[4 * z + y] = -sin(angle_deg * DEG);
    return m;
}

/* The axes as letters, the one that turns first standing first. */
static struct dmat4 turned(const double angles_deg[3], const char *axes)
{
    struct dmat4 m = DMAT4_IDENTITY;
    for (; *axes != '\0'; axes++) {
        const struct dmat4 next = turned_about(*axes - 'x', angles_deg[*axes - 'x']);
        m = dmat4_mul(&next, &m);
    }
    return m;
}

static const char *const AXES_OF[] = {"xyz", "xzy", "yzx", "yxz", "zxy", "zyx", ""};

static struct dmat4 by_formula(const struct fbx_transform_values *v)
{
    struct dmat4 post = turned(v->post_rotation_deg, "xyz"), inverse_post;
    assert_true(dmat4_invert(&post, &inverse_post));
    if (!v->is_rotation_space)
        inverse_post = DMAT4_IDENTITY;
    const struct dmat4 factors[] = {
        moved(v->translation, 1),
        moved(v->rotation_offset, 1),
        moved(v->rotation_pivot, 1),
        v->is_rotation_space ? turned(v->pre_rotation_deg, "xyz") : DMAT4_IDENTITY,
        turned(v->rotation_deg, v->is_rotation_space ? AXES_OF[v->order] : "xyz"),
        inverse_post,
        moved(v->rotation_pivot, -1),
        moved(v->scaling_offset, 1),
        moved(v->scaling_pivot, 1),
        scaled(v->scaling),
        moved(v->scaling_pivot, -1),
    };
    struct dmat4 product = DMAT4_IDENTITY;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        product = dmat4_mul(&product, &factors[i]);
    return product;
}

static void check_near_matrix(const struct dmat4 *a, const struct dmat4 *b, double tolerance)
{
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(a->m[i], b->m[i], tolerance);
}

static const struct fbx_transform_values CROOKED = {
    .translation = {1, -2, 3},
    .rotation_deg = {30, -75, 220},
    .scaling = {2, 0.5, -3},
    .pre_rotation_deg = {10, 20, 30},
    .post_rotation_deg = {-40, 55, 170},
    .rotation_offset = {0.5, 0.25, -1},
    .rotation_pivot = {4, -5, 6},
    .scaling_offset = {-7, 8, 9},
    .scaling_pivot = {0.1, -0.2, 0.7},
    .order = FBX_ORDER_XYZ,
    .is_rotation_space = true,
};

TEST(fbx_transform_is_the_sdk_formula_in_all_orders)
{
    for (int order = 0; order < FBX_ORDER_COUNT; order++)
        for (int space = 0; space < 2; space++) {
            struct fbx_transform_values values = CROOKED;
            values.order = (enum fbx_rotation_order)order;
            values.is_rotation_space = space != 0;
            const struct trs trs = fbx_transform_trs(&values);
            const struct dmat4 got = dmat4_from_trs(&trs), wanted = by_formula(&values);
            check_near_matrix(&got, &wanted, 1e-13 * 30);
        }
}

TEST(fbx_transform_without_properties_is_the_identity)
{
    const struct trs trs = fbx_transform_trs(&FBX_TRANSFORM_NONE);
    const struct dmat4 m = dmat4_from_trs(&trs);
    check_near_matrix(&m, &DMAT4_IDENTITY, 0);
}

/* Worked by hand: a quarter turn about z around the pivot (1, 0, 0) takes the origin to (1, -1, 0). */
TEST(fbx_transform_turns_about_its_pivot)
{
    struct fbx_transform_values values = FBX_TRANSFORM_NONE;
    values.rotation_deg[2] = 90;
    values.rotation_pivot[0] = 1;
    const struct trs trs = fbx_transform_trs(&values);
    CHECK_NEAR(trs.translation[0], 1, 1e-15);
    CHECK_NEAR(trs.translation[1], -1, 1e-15);
    CHECK_NEAR(trs.translation[2], 0, 1e-15);
    CHECK_NEAR(trs.rotation[2], sqrt(0.5), 1e-15);
    CHECK_NEAR(trs.rotation[3], sqrt(0.5), 1e-15);
}

/* x first, then y: a quarter turn each takes y to z and on to x. In the other order y stays with the turn about y and
 * goes to z. */
TEST(fbx_transform_order_says_which_axis_turns_first)
{
    struct fbx_transform_values values = FBX_TRANSFORM_NONE;
    values.rotation_deg[0] = values.rotation_deg[1] = 90;
    struct trs trs = fbx_transform_trs(&values);
    struct dmat4 m = dmat4_from_trs(&trs);
    double out[3];
    dmat4_point(&m, (const double[3]){0, 1, 0}, out);
    CHECK_NEAR(out[0], 1, 1e-15);
    values.order = FBX_ORDER_YXZ;
    trs = fbx_transform_trs(&values);
    m = dmat4_from_trs(&trs);
    dmat4_point(&m, (const double[3]){0, 1, 0}, out);
    CHECK_NEAR(out[2], 1, 1e-15);
}

TEST(fbx_transform_keeps_a_scale_of_zero)
{
    struct fbx_transform_values values = CROOKED;
    values.scaling[1] = 0;
    const struct trs trs = fbx_transform_trs(&values);
    const struct dmat4 got = dmat4_from_trs(&trs), wanted = by_formula(&values);
    check_near_matrix(&got, &wanted, 1e-12);
    CHECK_NEAR(trs.scale[1], 0, 0);
}

TEST(fbx_transform_angles_go_further_than_a_turn)
{
    struct fbx_transform_values values = FBX_TRANSFORM_NONE;
    values.rotation_deg[1] = 360 + 90;
    const struct trs trs = fbx_transform_trs(&values);
    const struct dmat4 m = dmat4_from_trs(&trs);
    double out[3];
    dmat4_point(&m, (const double[3]){1, 0, 0}, out);
    CHECK_NEAR(out[2], -1, 1e-14);
}

TEST(fbx_geometric_transform_is_translation_rotation_scale)
{
    const struct fbx_geometric_values values = {{1, 2, 3}, {0, 0, 90}, {2, 3, 4}};
    const struct trs trs = fbx_geometric_trs(&values);
    const struct dmat4 m = dmat4_from_trs(&trs);
    double out[3];
    dmat4_point(&m, (const double[3]){1, 1, 1}, out); /* scaled (2, 3, 4), turned (-3, 2, 4), moved (-2, 4, 7) */
    CHECK_NEAR(out[0], -2, 1e-14);
    CHECK_NEAR(out[1], 4, 1e-14);
    CHECK_NEAR(out[2], 7, 1e-14);
    assert_false(fbx_geometric_is_none(&values));
    assert_true(fbx_geometric_is_none(&FBX_GEOMETRIC_NONE));
}

/* --- angles of a quaternion --- */

static void check_round_trip(const double angles_deg[3], enum fbx_rotation_order order)
{
    double q[4], angles_again_deg[3], again[4], dot = 0;
    fbx_quat_from_euler(angles_deg, order, q);
    fbx_euler_from_quat(q, order, angles_again_deg);
    fbx_quat_from_euler(angles_again_deg, order, again);
    for (int i = 0; i < 4; i++)
        dot += q[i] * again[i];
    CHECK_NEAR(fabs(dot), 1, 1e-12);
}

TEST(fbx_euler_angles_of_a_quaternion_mean_the_same_in_all_orders)
{
    static const double SOME_DEG[] = {-180, -100, -90, -89.9999, -30, 0, 1e-6, 45, 90, 135, 179};
    enum { COUNT = sizeof SOME_DEG / sizeof *SOME_DEG };
    for (int order = 0; order < FBX_ORDER_SPHERIC; order++)
        for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
            const double angles_deg[3] = {SOME_DEG[i % COUNT], SOME_DEG[i / COUNT % COUNT],
                                          SOME_DEG[i / COUNT / COUNT]};
            check_round_trip(angles_deg, (enum fbx_rotation_order)order);
        }
}

TEST(fbx_euler_angles_in_range_are_found_again)
{
    for (int order = 0; order < FBX_ORDER_SPHERIC; order++) {
        const double angles_deg[3] = {20, -35, 50};
        double q[4], again_deg[3];
        fbx_quat_from_euler(angles_deg, (enum fbx_rotation_order)order, q);
        fbx_euler_from_quat(q, (enum fbx_rotation_order)order, again_deg);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(again_deg[i], angles_deg[i], 1e-12);
    }
}
