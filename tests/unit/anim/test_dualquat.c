#include "anim/pose/dualquat.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/dualquat_point.h"

#include <string.h>

static struct dmat4 motion(double x, double y, double z, double w, double tx, double ty, double tz)
{
    struct trs trs = {.translation = {tx, ty, tz}, .rotation = {x, y, z, w}, .scale = {1, 1, 1}};
    quat_normalize(trs.rotation);
    return dmat4_from_trs(&trs);
}

static const double POINT[3] = {0.5, -2, 3.25};

static void check_moves_like(const struct dmat4 *m)
{
    struct dualquat q;
    struct err err;
    double by_matrix[3], by_q[3], unit = 0, orthogonal = 0;
    if (dualquat_from_matrix(m, &q, &err) < 0)
        fail_msg("%s", err.message);
    dmat4_point(m, POINT, by_matrix);
    dualquat_point(&q, POINT, by_q);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(by_q[i], by_matrix[i], 1e-12);
    for (int i = 0; i < 4; i++) {
        unit += q.real[i] * q.real[i];
        orthogonal += q.real[i] * q.dual[i];
    }
    CHECK_NEAR(unit, 1, 1e-14);
    CHECK_NEAR(orthogonal, 0, 1e-14);
    assert_true(q.real[3] >= 0);
}

TEST(dualquat_moves_a_vertex_as_its_matrix_does)
{
    const double parts[][7] = {{0, 0, 0, 1, 0, 0, 0},           {0, 0, 0, 1, 1, 2, 3},
                               {0.5, -0.5, 0.5, 0.5, 7, -8, 9}, {1, 0, 0, 0, 1, 1, 1},
                               {0, -1, 0, 0, 4, 0, -1},         {0.3, 0.2, -0.9, -0.1, -3, 5, 0.25},
                               {-0.6, 0.2, 0.1, 0.7, 0, 0, 1},  {0.1, 0.9, 0.3, -1e-9, 2, 2, 2}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const double *p = parts[i];
        const struct dmat4 m = motion(p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
        check_moves_like(&m);
    }
}

TEST(dualquat_of_a_quarter_turn_is_as_by_hand)
{
    /* 90 degrees about z, then 2 along x: real (0, 0, h, h), dual (2, 0, 0, 0) * real / 2 = (h, -h, 0, 0) */
    const double h = sqrt(0.5), expected[8] = {0, 0, h, h, h, -h, 0, 0};
    const struct dmat4 m = motion(0, 0, h, h, 2, 0, 0);
    struct dualquat q;
    struct err err;
    assert_int_equal(dualquat_from_matrix(&m, &q, &err), 0);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(q.real[i], expected[i], 1e-15);
        CHECK_NEAR(q.dual[i], expected[4 + i], 1e-15);
    }
}

TEST(dualquat_refuses_what_is_not_rigid)
{
    const struct dmat4 rigid = motion(0.3, 0.2, -0.9, 0.1, -3, 5, 0.25);
    const struct {
        struct dmat4 change;
        const char *word;
    } rows[] = {
        {{{1.001, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, "scales by 1.001, 1, 1"},
        {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1}}, "scales by 1, 1, 0.5"},
        {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}, "scales by 0, 0, 0"},
        {{{1, 0, 0, 0, 0.001, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, "shears"},
        {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1}}, "mirrors"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct dmat4 m = dmat4_mul(&rigid, &rows[i].change);
        struct dualquat q;
        struct err err = {0};
        assert_int_equal(dualquat_from_matrix(&m, &q, &err), ERR_NOT_RIGID);
        if (strstr(err.message, rows[i].word) == NULL)
            fail_msg("'%s' should say '%s'", err.message, rows[i].word);
    }
}

TEST(dualquat_takes_what_rounding_does_to_a_rotation)
{
    struct dmat4 m = motion(0.3, 0.2, -0.9, 0.1, -3, 5, 0.25);
    for (int i = 0; i < 12; i++)
        m.m[i] *= i % 2 == 0 ? 1 + 2e-5 : 1 - 2e-5;
    struct dualquat q;
    struct err err = {0};
    double by_matrix[3], by_q[3];
    assert_int_equal(dualquat_from_matrix(&m, &q, &err), 0);
    dmat4_point(&m, POINT, by_matrix);
    dualquat_point(&q, POINT, by_q);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(by_q[i], by_matrix[i], 1e-3);
}

TEST(dualquat_turns_towards_another)
{
    const struct dmat4 m = motion(0, 0, 0.8, 0.6, 1, 2, 3);
    struct dualquat q, turned;
    struct err err;
    assert_int_equal(dualquat_from_matrix(&m, &q, &err), 0);
    turned = q;
    dualquat_align_sign(&turned, (const double[]){0, 0, 1, 0});
    assert_memory_equal(&turned, &q, sizeof q);
    dualquat_align_sign(&turned, (const double[]){0, 0, -1, 0});
    for (int i = 0; i < 4; i++)
        assert_true(turned.real[i] == -q.real[i] && turned.dual[i] == -q.dual[i]);
    double there[3], same[3];
    dualquat_point(&q, POINT, there);
    dualquat_point(&turned, POINT, same);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(there[i], same[i], 1e-14);
}
