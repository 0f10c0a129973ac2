#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_tangent.h"

#include <math.h>
#include <string.h>

static struct fbx_key_data data_of(uint32_t flags, float a, float b, float c)
{
    const float numbers[] = {a, b, c, 0};
    struct fbx_key_data data = {.flags = flags};
    memcpy(data.bits, numbers, sizeof data.bits);
    return data;
}

/* Keys at 0, 1 and 4 s with values 1, 3 and 0: chords 2 and -1 a second, -1/4 between the outer ones. */
struct three {
    struct fbx_key keys[3];
    struct fbx_curve curve;
};

static struct fbx_curve *three(struct three *three)
{
    *three = (struct three){.keys = {{.time = 0, .value = 1}, {.time = 100, .value = 3}, {.time = 400, .value = 0}}};
    three->curve = (struct fbx_curve){.keys = three->keys, .key_count = 3, .units_per_s = 100};
    return &three->curve;
}

static void check_middle(struct fbx_key_data before, struct fbx_key_data key, double left, double right)
{
    struct three own;
    struct fbx_curve *curve = three(&own);
    fbx_tangents_solve(curve, (struct fbx_key_data[]){before, key, key});
    CHECK_NEAR(own.keys[1].left.slope, left, 1e-12);
    CHECK_NEAR(own.keys[1].right.slope, right, 1e-12);
}

TEST(fbx_tangents_of_the_user_are_the_files)
{
    const uint32_t broken = FBX_FLAG_CUBIC | 0xC00;
    check_middle(data_of(broken, 1, 7, 0), data_of(broken, -3, 2, 0), 7, -3);
    check_middle(data_of(broken, 1, INFINITY, 0), data_of(broken, NAN, 2, 0), 0, 0);
    check_middle(data_of(FBX_FLAG_LINEAR, 5, 5, 0), data_of(FBX_FLAG_LINEAR, 5, 5, 0), 2, -1);
    check_middle(data_of(FBX_FLAG_CONSTANT, 5, 5, 0), data_of(FBX_FLAG_CONSTANT, 5, 5, 0), 0, 0);
}

TEST(fbx_tangents_have_packed_weights)
{
    struct three own;
    struct fbx_curve *curve = three(&own);
    struct fbx_key_data data[3];
    for (int i = 0; i < 3; i++)
        data[i] =
            (struct fbx_key_data){.flags = FBX_FLAG_CUBIC | FBX_FLAG_USER, .bits = {0, 0, 9000u << 16 | 1234u, 0}};
    data[0].flags |= FBX_FLAG_WEIGHTED_RIGHT;
    data[1].flags |= FBX_FLAG_WEIGHTED_NEXT_LEFT;
    fbx_tangents_solve(curve, data);
    CHECK_NEAR(own.keys[0].right.weight, 0.1234, 1e-12);
    CHECK_NEAR(own.keys[1].left.weight, FBX_WEIGHT, 0);
    CHECK_NEAR(own.keys[1].right.weight, FBX_WEIGHT, 0);
    CHECK_NEAR(own.keys[2].left.weight, 0.9, 1e-12);
}

TEST(fbx_tangents_follow_from_the_neighbours)
{
    const uint32_t automatic = FBX_FLAG_CUBIC | FBX_FLAG_AUTO;
    const struct fbx_key_data plain = data_of(automatic, 0, 0, 0);
    check_middle(plain, data_of(automatic | FBX_FLAG_TIME_INDEPENDENT, 0, 0, 0), -0.25, -0.25);
    /* half of -1/4, half of 2 * 3/4 - 1 * 1/4 */
    check_middle(plain, plain, 0.5, 0.5);
    /* a bias of 50 goes half way to the chord of its side; the left one is stored with the other sign */
    check_middle(data_of(automatic, 0, 50, 0), data_of(automatic, 50, 0, 0), 1.25, -0.25);
    check_middle(data_of(automatic, 0, -100, 0), data_of(automatic, -100, 0, 0), -1, 2);
    /* 700: seven times as far as the chord, and 2 * 2 * 40 beyond it */
    check_middle(plain, data_of(automatic, 700, 0, 0), 0.5, 0.5 - 7 * 1.5 - 160);
    /* both neighbours are on the same side: no slope passes neither */
    check_middle(plain, data_of(automatic | FBX_FLAG_CLAMP_PROGRESSIVE, 0, 0, 0), 0, 0);
}

TEST(fbx_tangents_are_clamped)
{
    struct three own;
    struct fbx_curve *curve = three(&own);
    const double weight[] = {FBX_WEIGHT, 0.5};
    own.keys[2].value = 3.3;
    /* chords 2 and 0.1, between the outer ones 0.575; up to the right neighbour 0.3 over half of 3 s */
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, 0, FBX_FLAG_TIME_INDEPENDENT), 0.575, 1e-12);
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, 0, 0x6000), 0.2, 1e-12);
    CHECK_NEAR(fbx_tangent_auto(curve, 0, weight, 0, 0x6000), 0, 0);
    CHECK_NEAR(fbx_tangent_auto(curve, 0, weight, 0, 0), 2, 1e-12);
    CHECK_NEAR(fbx_tangent_auto(curve, 2, weight, 0, 0), 0.1, 1e-12);
    CHECK_NEAR(fbx_tangent_auto(curve, 2, weight, -600, 0), 0.1 - 40, 1e-12);
    own.keys[2].value = 3;
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, 0, FBX_FLAG_CLAMP), 0, 0);
    CHECK_NEAR(fbx_tangent_auto(curve, 2, weight, 0, FBX_FLAG_CLAMP), 0, 0);
    CHECK_NEAR(fbx_tangent_auto(curve, 0, weight, 0, FBX_FLAG_CLAMP), 2, 1e-12);
}

/* All values are equal, and the curve still swings. */
TEST(fbx_tangents_steepen_flat_curves)
{
    struct three own;
    struct fbx_curve *curve = three(&own);
    const double weight[] = {FBX_WEIGHT, FBX_WEIGHT};
    for (int i = 0; i < 3; i++)
        own.keys[i].value = 1;
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, 600, 0), 40, 1e-12);
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, -600, 0), -40, 1e-12);
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, 500, 0), 0, 1e-12);
}

/* A slope of 1000 would steepen, if it were taken for a bias. */
TEST(fbx_tangents_behind_straight_pieces_have_no_bias)
{
    struct fbx_key keys[] = {{.time = 0, .value = 0}, {.time = 100, .value = 1000}};
    struct fbx_curve curve = {.keys = keys, .key_count = 2, .units_per_s = 100};
    const uint32_t automatic = FBX_FLAG_CUBIC | FBX_FLAG_AUTO;
    fbx_tangents_solve(&curve, (struct fbx_key_data[]){data_of(FBX_FLAG_LINEAR, 0, 0, 0), data_of(automatic, 0, 0, 0)});
    CHECK_NEAR(keys[1].left.slope, 1000, 1e-9);
    fbx_tangents_solve(&curve, (struct fbx_key_data[]){data_of(automatic, 0, -600, 0), data_of(automatic, 0, 0, 0)});
    CHECK_NEAR(keys[1].left.slope, 1040, 1e-9);
}

TEST(fbx_tangents_of_keys_at_one_time_use_the_other_side)
{
    struct three own;
    struct fbx_curve *curve = three(&own);
    const double weight[] = {FBX_WEIGHT, FBX_WEIGHT};
    own.keys[1].time = 0;
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, 0, 0), -0.75, 1e-12);
    curve->key_count = 2;
    CHECK_NEAR(fbx_tangent_auto(curve, 1, weight, 0, 0), 0, 0);
    curve->key_count = 1;
    CHECK_NEAR(fbx_tangent_auto(curve, 0, weight, 0, 0), 0, 0);
}

TEST(fbx_tangents_of_tcb_keys)
{
    const uint32_t tcb = FBX_FLAG_CUBIC | FBX_FLAG_TCB;
    const struct fbx_key_data plain = data_of(tcb, 0, 0, 0);
    check_middle(plain, plain, 0.5, 0.5); /* the mean of 2 and -1 */
    check_middle(plain, data_of(tcb, 0.5F, 0, 0), 0.25, 0.25);
    check_middle(plain, data_of(tcb, 0, 1, 0), -1, 2);
    check_middle(plain, data_of(tcb, 0, 0, 1), 2, 2);
    check_middle(plain, data_of(tcb, 0, 0, -1), -1, -1);
    struct three own;
    struct fbx_curve *curve = three(&own);
    fbx_tangents_solve(curve, (struct fbx_key_data[]){plain, plain, plain});
    CHECK_NEAR(own.keys[0].right.slope, 2, 1e-12);
    CHECK_NEAR(own.keys[2].left.slope, -1, 1e-12);
}

/* Flags without an interpolation are linear; the next key keeps nothing of a constant or TCB key. */
TEST(fbx_tangents_read_interpolations)
{
    struct three own;
    struct fbx_curve *curve = three(&own);
    fbx_tangents_solve(curve, (struct fbx_key_data[]){data_of(FBX_FLAG_CONSTANT | FBX_FLAG_NEXT, 9, 9, 0),
                                                      data_of(0, 9, 9, 0), data_of(FBX_FLAG_CUBIC | 0x400, 4, 4, 0)});
    assert_int_equal(own.keys[0].interpolation, FBX_KEY_CONSTANT_NEXT);
    assert_int_equal(own.keys[1].interpolation, FBX_KEY_LINEAR);
    assert_int_equal(own.keys[2].interpolation, FBX_KEY_CUBIC);
    CHECK_NEAR(own.keys[1].left.slope, 0, 0);
    CHECK_NEAR(own.keys[2].left.slope, -1, 1e-12);
}
