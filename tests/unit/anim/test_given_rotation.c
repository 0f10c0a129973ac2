/* anim/given/given_rotation.h */
#include "anim/given/given_rotation.h"
#include "anim/model/mat.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

static uint64_t chances = 41;

/* -1..1 */
static double chance(void)
{
    chances = chances * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(chances >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

/* A unit quaternion some of whose numbers are small. */
static void random_unit(double q[4])
{
    for (int i = 0; i < 4; i++)
        q[i] = chance() * (chance() > 0.5 ? 1e-4 : 1);
    quat_normalize(q);
}

TEST(given_rotation_keeps_what_was_rounded_to_floats)
{
    for (int n = 0; n < 200000; n++) {
        double q[4];
        float rounded[4];
        random_unit(q);
        for (int i = 0; i < 4; i++)
            q[i] = (double)(rounded[i] = (float)q[i]);
        assert_true(rotation_repair(q));
        CHECK_NEAR(dot4(q, q), 1, 1e-15);
        for (int i = 0; i < 4; i++)
            if ((float)q[i] != rounded[i])
                fail_msg("number %d of (%a, %a, %a, %a) changes", i, (double)rounded[0], (double)rounded[1],
                         (double)rounded[2], (double)rounded[3]);
    }
}

/* All four numbers of this one were rounded by almost half the distance to the next float. */
TEST(given_rotation_in_a_corner)
{
    static const float ROUNDED[4] = {0.047681887F, -0.07745635F, -0.0036951052F, 0.99584806F};
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = (double)ROUNDED[i];
    assert_true(rotation_repair(q));
    CHECK_NEAR(dot4(q, q), 1, 1e-15);
    for (int i = 0; i < 4; i++)
        assert_true((float)q[i] == ROUNDED[i]);
}

TEST(given_rotation_of_any_length)
{
    static const double LENGTHS[] = {1e-300, 1e-9, 0.5, 2, 1e9, 1e300};
    double zero[4] = {0, 0, 0, 0}, endless[4] = {0, 0, (double)INFINITY, 1}, none[4] = {0, (double)NAN, 0, 1};
    assert_false(rotation_repair(zero));
    assert_false(rotation_repair(endless));
    assert_false(rotation_repair(none));
    for (size_t n = 0; n < sizeof LENGTHS / sizeof *LENGTHS; n++) {
        double q[4] = {0, 0.6 * LENGTHS[n], 0, -0.8 * LENGTHS[n]};
        assert_true(rotation_repair(q));
        CHECK_NEAR(q[1], 0.6, 1e-15);
        CHECK_NEAR(q[3], -0.8, 1e-15);
    }
    double nearly[4] = {0, 0, 0.0002, 1.0005}; /* a file's own rounding stays, as quat_repair() has it */
    assert_true(rotation_repair(nearly));
    CHECK_NEAR(nearly[3], 1.0005, 0);
}

/* The six orders by matrices: R = R1 * R2 * R3 in the order of the name. */
TEST(given_rotation_orders)
{
    static const double DEGREES[3] = {20, -50, 110};
    for (int order = 0; order < ORDER_COUNT; order++) {
        double q[4];
        struct dmat4 expected = DMAT4_IDENTITY;
        for (int i = 0; i < 3; i++) {
            const int axis = ROTATION_ORDERS[order][i] - 'x';
            const double unit[3] = {axis == 0, axis == 1, axis == 2}, radians = DEGREES[axis] * 0.017453292519943295;
            const struct dmat4 turn = dmat4_from_axis(unit, cos(radians), sin(radians));
            expected = dmat4_mul(&expected, &turn);
        }
        rotation_from_degrees(DEGREES, (enum rotation_order)order, q);
        const struct trs trs = {.rotation = {q[0], q[1], q[2], q[3]}, .scale = {1, 1, 1}};
        const struct dmat4 got = dmat4_from_trs(&trs);
        for (int e = 0; e < 16; e++)
            CHECK_NEAR(got.m[e], expected.m[e], 1e-14);
    }
}
