#include "anim/model/mat.h"
#include "tests/unit/support/check.h"

#include <math.h>

#define HALF 0.70710678118654752 /* sqrt(1/2): cos and sin of 45 degrees */

static const struct trs TURN_X = {{1, 2, 3}, {HALF, 0, 0, HALF}, {2, 3, 4}}; /* 90 degrees around x */

static void check_point(const struct dmat4 *m, double x, double y, double z, double to_x, double to_y, double to_z)
{
    const double p[3] = {x, y, z};
    double out[3];
    dmat4_point(m, p, out);
    CHECK_NEAR(out[0], to_x, 1e-12);
    CHECK_NEAR(out[1], to_y, 1e-12);
    CHECK_NEAR(out[2], to_z, 1e-12);
}

static void check_near_matrix(const struct dmat4 *a, const struct dmat4 *b, double tolerance)
{
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(a->m[i], b->m[i], tolerance);
}

TEST(mat_trs_scales_then_turns_then_moves)
{
    /* (1,1,1) scaled (2,3,4); 90 degrees around x takes (x,y,z) to (x,-z,y): (2,-4,3); moved: (3,-2,6) */
    const struct dmat4 m = dmat4_from_trs(&TURN_X);
    check_point(&m, 1, 1, 1, 3, -2, 6);
    const double v[3] = {1, 1, 1};
    double out[3];
    dmat4_direction(&m, v, out);
    CHECK_NEAR(out[0], 2, 1e-12);
    CHECK_NEAR(out[1], -4, 1e-12);
    CHECK_NEAR(out[2], 3, 1e-12);
}

TEST(mat_product_applies_the_right_one_first)
{
    const struct trs move = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    const struct trs turn_z = {{0, 0, 0}, {0, 0, HALF, HALF}, {1, 1, 1}};
    const struct dmat4 a = dmat4_from_trs(&move), b = dmat4_from_trs(&turn_z);
    const struct dmat4 ab = dmat4_mul(&a, &b), ba = dmat4_mul(&b, &a);
    check_point(&ab, 1, 0, 0, 1, 3, 3);  /* turned to (0,1,0), then moved */
    check_point(&ba, 1, 0, 0, -2, 2, 3); /* moved to (2,2,3), then turned */
}

TEST(mat_unnormalised_and_zero_rotations)
{
    struct trs trs = {{0, 0, 0}, {0, 0, 3, 3}, {1, 1, 1}};
    struct dmat4 m = dmat4_from_trs(&trs);
    check_point(&m, 1, 0, 0, 0, 1, 0);
    trs.rotation[2] = trs.rotation[3] = 0;
    m = dmat4_from_trs(&trs);
    check_near_matrix(&m, &DMAT4_IDENTITY, 0);
}

TEST(mat_float_conversion_keeps_the_order)
{
    struct mat4 m;
    for (int i = 0; i < 16; i++)
        m.m[i] = (float)i;
    const struct dmat4 d = dmat4_from_mat4(&m);
    const struct mat4 back = mat4_from_dmat4(&d);
    assert_memory_equal(&m, &back, sizeof m);
    CHECK_NEAR(d.m[13], 13, 0);
}

TEST(mat_inverse)
{
    const struct dmat4 m = dmat4_from_trs(&TURN_X);
    struct dmat4 inverse;
    assert_true(dmat4_invert(&m, &inverse));
    check_point(&inverse, 3, -2, 6, 1, 1, 1);

    /* not affine and without zeros: no wrong cofactor gives the identity on both sides */
    const struct dmat4 full = {{2, 1, 3, 1, -1, 4, 1, 2, 5, 2, -3, 1, 1, 1, 2, 7}};
    assert_true(dmat4_invert(&full, &inverse));
    const struct dmat4 left = dmat4_mul(&inverse, &full), right = dmat4_mul(&full, &inverse);
    check_near_matrix(&left, &DMAT4_IDENTITY, 1e-12);
    check_near_matrix(&right, &DMAT4_IDENTITY, 1e-12);
}

TEST(mat_inverse_of_a_collapsed_matrix)
{
    const struct trs flat = {{1, 2, 3}, {0, 0, 0, 1}, {1, 0, 1}};
    const struct dmat4 m = dmat4_from_trs(&flat);
    struct dmat4 inverse = {{9}};
    assert_false(dmat4_invert(&m, &inverse));
    check_near_matrix(&inverse, &DMAT4_IDENTITY, 0);
    const struct dmat4 endless = {{(double)NAN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    assert_false(dmat4_invert(&endless, &inverse));
}

static void check_decomposition(const struct trs *trs, double scale_x)
{
    const struct dmat4 m = dmat4_from_trs(trs);
    struct trs out;
    assert_true(trs_from_dmat4(&m, &out));
    const struct dmat4 again = dmat4_from_trs(&out);
    check_near_matrix(&m, &again, 1e-9);
    CHECK_NEAR(out.scale[0], scale_x, 1e-9);
    CHECK_NEAR(out.translation[1], trs->translation[1], 0);
}

TEST(mat_decomposition)
{
    check_decomposition(&TURN_X, 2);
    /* half turns around each axis: each of the four components of the quaternion is the largest once */
    for (int axis = 0; axis < 4; axis++) {
        struct trs trs = {{4, 5, 6}, {0.1, 0.2, -0.1, 0.2}, {0.5, 3, 7}};
        trs.rotation[axis] = 5;
        check_decomposition(&trs, 0.5);
    }
    const struct trs mirrored = {{1, 2, 3}, {0.5, 0.1, -0.3, 0.8}, {2, -3, 4}};
    check_decomposition(&mirrored, -2); /* any one axis may carry the mirror; it is x */
    const struct trs turned_twice = {{1, 2, 3}, {0.5, 0.1, -0.3, 0.8}, {-2, -3, 4}};
    check_decomposition(&turned_twice, 2); /* two mirrors are half a turn */
}

TEST(mat_decomposition_of_collapsed_axes)
{
    const double scales[5][3] = {{2, 3, 0}, {0, 3, 4}, {0, 0, 5}, {6, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 5; i++) {
        const struct trs trs = {{1, 2, 3}, {0.5, 0.1, -0.3, 0.8}, {scales[i][0], scales[i][1], scales[i][2]}};
        check_decomposition(&trs, scales[i][0]);
    }
}

TEST(mat_decomposition_finds_shear)
{
    const struct dmat4 shear = {{1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1}};
    struct trs out;
    assert_false(trs_from_dmat4(&shear, &out));
    CHECK_NEAR(out.translation[0], 7, 0);
    CHECK_NEAR(out.scale[0], 1, 1e-12);
}

TEST(mat_slerp_moves_at_constant_speed)
{
    /* a third of 90 degrees around z is 30 degrees: sin and cos of 15; a normalised lerp gives 0.2545 */
    const double a[4] = {0, 0, 0, 1}, b[4] = {0, 0, HALF, HALF};
    double out[4];
    quat_slerp(a, b, 1.0 / 3, out);
    CHECK_NEAR(out[2], 0.25881904510252076, 1e-15);
    CHECK_NEAR(out[3], 0.96592582628906829, 1e-15);
}

TEST(mat_slerp_takes_the_short_way)
{
    /* -b is the same turn as b: halfway is 45 degrees around z, sin and cos of 22.5 */
    const double a[4] = {0, 0, 0, 1}, b[4] = {0, 0, -HALF, -HALF};
    double out[4];
    quat_slerp(a, b, 0.5, out);
    CHECK_NEAR(out[2], 0.38268343236508977, 1e-15);
    CHECK_NEAR(out[3], 0.92387953251128674, 1e-15);
    quat_slerp(a, b, 1, out); /* at the end: b up to its sign */
    CHECK_NEAR(out[2], HALF, 1e-15);
}

TEST(mat_slerp_of_nearly_equal_turns)
{
    /* sin(x) = x for such small x: the result's z is u times b's */
    for (int i = 3; i < 300; i += 3) {
        const double tiny = pow(10, -i / 10.0 - 3);
        const double a[4] = {0, 0, 0, 1}, b[4] = {0, 0, sin(tiny), cos(tiny)};
        double out[4];
        quat_slerp(a, b, 0.25, out);
        CHECK_NEAR(out[2], sin(0.25 * tiny), 1e-14 * tiny);
    }
    const double a[4] = {0.5, 0.5, 0.5, 0.5};
    double out[4];
    quat_slerp(a, a, 0.3, out);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(out[i], 0.5, 1e-16);
}

TEST(mat_quat_normalize)
{
    double q[4] = {0, 3, 0, 4};
    quat_normalize(q);
    CHECK_NEAR(q[1], 0.6, 1e-16);
    CHECK_NEAR(q[3], 0.8, 1e-16);
    double zero[4] = {0, 0, 0, 0};
    quat_normalize(zero);
    CHECK_NEAR(zero[3], 1, 0);
}

TEST(mat_quat_repair_leaves_rounded_ones_alone)
{
    double rounded[4] = {0, 0, 0.707, 0.708}; /* length 1.00056 */
    quat_repair(rounded);
    CHECK_NEAR(rounded[2], 0.707, 0);
    CHECK_NEAR(rounded[3], 0.708, 0);
    double far[4] = {0, 0, 0.6, 0.81}; /* length 1.008 */
    quat_repair(far);
    CHECK_NEAR(far[2] * far[2] + far[3] * far[3], 1, 1e-15);
}

TEST(mat_quat_repair_undoes_the_rounding_to_float)
{
    double stored[4] = {0, 0, (double)0.8660254f, (double)0.5f};
    const double length = sqrt(stored[2] * stored[2] + stored[3] * stored[3]);
    assert_true(fabs(length - 1) > 1e-9);
    quat_repair(stored);
    CHECK_NEAR(stored[2] * stored[2] + stored[3] * stored[3], 1, 1e-15);
    double not_finite[4] = {0, (double)NAN, 0, 1};
    quat_repair(not_finite);
    CHECK_NEAR(not_finite[1], 0, 0);
    CHECK_NEAR(not_finite[3], 1, 0);
}
