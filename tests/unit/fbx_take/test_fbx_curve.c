/* Values of weighted curves were solved in Python by bisection. */
#include "tests/unit/fbx_take/bisected.h"
#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_curve.h"

#include <math.h>

/* Ten ticks a second: three keys at 0, 1 and 3 s with values 1, 2 and 5. */
static const struct fbx_key KEYS[] = {
    {.time = 0, .value = 1, .right = {1, FBX_WEIGHT}},
    {.time = 10, .value = 2, .left = {0.5, FBX_WEIGHT}, .right = {-2, FBX_WEIGHT}},
    {.time = 30, .value = 5, .left = {4, FBX_WEIGHT}},
};

struct three {
    struct fbx_key keys[3];
    struct fbx_curve curve;
};

static struct fbx_curve *three(struct three *three, enum fbx_interpolation first, enum fbx_interpolation second,
                               struct fbx_extension before, struct fbx_extension after)
{
    for (int i = 0; i < 3; i++)
        three->keys[i] = KEYS[i];
    three->keys[0].interpolation = first;
    three->keys[1].interpolation = second;
    three->curve =
        (struct fbx_curve){.keys = three->keys, .key_count = 3, .units_per_s = 10, .before = before, .after = after};
    return &three->curve;
}

static const struct fbx_extension FLAT = {.kind = FBX_EXTEND_CONSTANT, .count = -1};

TEST(fbx_curve_has_constant_linear_and_cubic_pieces)
{
    struct three own;
    const struct fbx_curve *curve = three(&own, FBX_KEY_CONSTANT, FBX_KEY_CONSTANT_NEXT, FLAT, FLAT);
    CHECK_NEAR(fbx_curve_at(curve, 0), 1, 0);
    CHECK_NEAR(fbx_curve_at(curve, 9.99), 1, 0);
    CHECK_NEAR(fbx_curve_at(curve, 10), 2, 0); /* a key's own value, and the next one's at once behind it */
    CHECK_NEAR(fbx_curve_at(curve, 10.01), 5, 0);
    CHECK_NEAR(fbx_curve_at(curve, 30), 5, 0);
    curve = three(&own, FBX_KEY_LINEAR, FBX_KEY_CUBIC, FLAT, FLAT);
    CHECK_NEAR(fbx_curve_at(curve, 2.5), 1.25, 1e-15);
    /* Hermite form at u = 1/4: 27/32 * 2 + 5/32 * 5 + 2 s * (9/64 * -2 - 3/64 * 4) */
    CHECK_NEAR(fbx_curve_at(curve, 15), 27 / 16.0 + 25 / 32.0 + 2 * (-18 / 64.0 - 12 / 64.0), 2e-6);
    for (int i = 0; i <= 20; i++) /* and with the weight in as many digits as programs have it */
        CHECK_NEAR(fbx_curve_at(curve, 10 + i),
                   bisected(i / 20.0, 0.333333, (const double[]){2, 5}, (const double[]){-2, 4}, 2), 1e-11);
    CHECK_NEAR(fbx_curve_at(curve, -5), 1, 0);
    CHECK_NEAR(fbx_curve_at(curve, 99), 5, 0);
    CHECK_NEAR(fbx_piece_slope(curve, 1, 10), -2, 1e-15);
    CHECK_NEAR(fbx_piece_slope(curve, 1, 30), 4, 1e-14);
    CHECK_NEAR(fbx_piece_slope(curve, 0, 3), 1, 1e-15);
    CHECK_NEAR(fbx_curve_at(&(struct fbx_curve){0}, 1), 0, 0);
}

TEST(fbx_curve_is_nearly_a_polynomial)
{
    struct three own;
    const struct fbx_curve *curve = three(&own, FBX_KEY_LINEAR, FBX_KEY_CUBIC, FLAT, FLAT);
    const double excess = fbx_piece_excess(curve, 1);
    double worst = 0;
    for (int i = 0; i <= 200; i++) {
        const double u = i / 200.0, u2 = u * u, u3 = u2 * u;
        const double polynomial =
            (2 * u3 - 3 * u2 + 1) * 2 + (3 * u2 - 2 * u3) * 5 + 2 * ((u3 - 2 * u2 + u) * -2 + (u3 - u2) * 4);
        worst = fmax(worst, fabs(fbx_curve_at(curve, 10 + 20 * u) - polynomial));
    }
    assert_true(worst <= excess && worst > excess / 2);
    CHECK_NEAR(fbx_piece_excess(curve, 0), 0, 0);
    own.keys[1].right.weight = 0.4;
    assert_true(isinf(fbx_piece_excess(curve, 1)));
}

TEST(fbx_curve_weights_bend_time_too)
{
    struct fbx_key keys[] = {
        {.time = 100, .value = 1, .right = {3, 0.8}, .interpolation = FBX_KEY_CUBIC},
        {.time = 102, .value = 5, .left = {-1, 0.1}},
    };
    const struct fbx_curve curve = {.keys = keys, .key_count = 2, .units_per_s = 1, .before = FLAT, .after = FLAT};
    CHECK_NEAR(fbx_curve_at(&curve, 100.2), 1.593385677164176, 1e-12);
    CHECK_NEAR(fbx_curve_at(&curve, 100.5), 2.4545446176349346, 1e-12);
    CHECK_NEAR(fbx_curve_at(&curve, 101), 3.7786627677470705, 1e-12);
    CHECK_NEAR(fbx_curve_at(&curve, 101.8), 5.134626124519488, 1e-12);
    CHECK_NEAR(fbx_piece_slope(&curve, 0, 100.5), 2.8027345321257613, 1e-7);
    keys[0].right.weight = 6; /* control points stay within their piece: as with 1 and 0.1 */
    const double bent = fbx_curve_at(&curve, 101);
    keys[0].right.weight = 1;
    CHECK_NEAR(bent, fbx_curve_at(&curve, 101), 0);
}

static void check_extrema(double right_slope, double right_weight, double left_slope, double left_weight,
                          unsigned expected)
{
    struct fbx_key keys[] = {
        {.time = 100, .value = 1, .right = {right_slope, right_weight}, .interpolation = FBX_KEY_CUBIC},
        {.time = 140, .value = 2, .left = {left_slope, left_weight}},
    };
    const struct fbx_curve curve = {.keys = keys, .key_count = 2, .units_per_s = 10, .before = FLAT, .after = FLAT};
    double times[2], before = 99;
    assert_int_equal(fbx_piece_extrema(&curve, 0, times), expected);
    for (unsigned i = 0; i < expected; i++) {
        const double value = fbx_curve_at(&curve, times[i]), left = fbx_curve_at(&curve, times[i] - 0.01),
                     right = fbx_curve_at(&curve, times[i] + 0.01);
        assert_true(times[i] > before && times[i] < 140);
        assert_true((value > left && value > right) || (value < left && value < right));
        before = times[i];
    }
}

TEST(fbx_curve_turns_back_at_most_twice)
{
    check_extrema(3, FBX_WEIGHT, 2, FBX_WEIGHT, 2);
    check_extrema(-3, 0.2, -2, 0.7, 2);
    check_extrema(3, 0.9, -2, 0.8, 1);
    check_extrema(-1, FBX_WEIGHT, 0.5, 0.5, 1);
    check_extrema(0.25, FBX_WEIGHT, 0.25, FBX_WEIGHT, 0);
    check_extrema(0.3, 0.3, 0.2, 0.6, 0);
    struct three own;
    double times[2];
    assert_int_equal(fbx_piece_extrema(three(&own, FBX_KEY_LINEAR, FBX_KEY_CONSTANT, FLAT, FLAT), 0, times), 0);
    assert_int_equal(fbx_piece_extrema(&own.curve, 1, times), 0);
}

TEST(fbx_curve_of_keys_at_one_time_takes_the_last)
{
    struct fbx_key keys[] = {
        {.time = 0, .value = 1, .interpolation = FBX_KEY_LINEAR},
        {.time = 10, .value = 2, .interpolation = FBX_KEY_LINEAR},
        {.time = 10, .value = 7, .interpolation = FBX_KEY_LINEAR},
        {.time = 20, .value = 9},
    };
    const struct fbx_curve curve = {.keys = keys, .key_count = 4, .units_per_s = 10, .before = FLAT, .after = FLAT};
    CHECK_NEAR(fbx_curve_at(&curve, 5), 1.5, 1e-15);
    CHECK_NEAR(fbx_curve_at(&curve, 10), 7, 0);
    CHECK_NEAR(fbx_curve_at(&curve, 15), 8, 1e-15);
}

TEST(fbx_curve_goes_on_as_its_extrapolations_say)
{
    /* values at 1, -1/2 and -4 s before the keys, and 1/2, 4 and 7 s behind them; the keys last 3 s */
    static const struct {
        enum fbx_extrapolation kind;
        int32_t count;
        double before[3], after[3];
    } ROWS[] = {
        {'C', -1, {1, 1, 1}, {5, 5, 5}},
        {'K', -1, {0, 0.5, -3}, {5.75, 11, 15.5}}, /* 1 a second, 1.5 a second */
        {'K', 0, {0, 0.5, -3}, {5.75, 11, 15.5}},
        {'R', -1, {3.5, 4.25, 3.5}, {1.5, 2, 2}},
        {'R', 0, {1, 1, 1}, {5, 5, 5}},
        {'R', 1, {3.5, 4.25, 1}, {1.5, 5, 5}},
        {'M', -1, {2, 1.5, 3.5}, {4.25, 2, 3.5}},
        {'M', 1, {2, 1.5, 5}, {4.25, 1, 1}},
        {'A', -1, {-0.5, 0.25, -4.5}, {5.5, 10, 14}},
        {'A', 2, {-0.5, 0.25, -4.5}, {5.5, 10, 13}},
    };
    static const double BEFORE[] = {-10, -5, -40}, AFTER[] = {35, 70, 100};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct fbx_extension extension = {.kind = ROWS[i].kind, .count = ROWS[i].count};
        struct three own;
        struct fbx_curve *curve = three(&own, FBX_KEY_LINEAR, FBX_KEY_LINEAR, extension, extension);
        own.keys[2].left.slope = 1.5;
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(fbx_curve_at(curve, BEFORE[k]), ROWS[i].before[k], 1e-12);
            CHECK_NEAR(fbx_curve_at(curve, AFTER[k]), ROWS[i].after[k], 1e-12);
        }
    }
}

/* --- placing --- */

/* A placed curve has the same values at ticks, but for the one tick that a jump may take of a piece. */
static void check_placed(const struct fbx_curve *curve, double start, double stop)
{
    enum { STEP = 100000 };
    const struct fbx_range range = {.start = start, .stop = stop, .ticks_per_s = 1e8};
    struct fbx_curve placed;
    struct err err;
    assert_int_equal(fbx_curve_place(&placed, curve, &range, 10000, &err), 0);
    for (uint32_t k = 0; k < placed.key_count; k++) {
        assert_true(placed.keys[k].interpolation != FBX_KEY_CONSTANT_NEXT);
        assert_true(k == 0 || placed.keys[k].time > placed.keys[k - 1].time);
    }
    assert_true(placed.key_count < 3 || placed.keys[1].time > 0);
    assert_true(placed.key_count < 3 || placed.keys[placed.key_count - 2].time < fbx_range_s(&range, stop));
    for (double at = start; at <= stop; at += STEP)
        for (double tick = fmax(at - 1, start); tick <= fmin(at + 1, stop); tick++)
            CHECK_NEAR(fbx_curve_at(&placed, fbx_range_s(&range, tick)), fbx_curve_at(curve, tick), 1e-5);
    fbx_curve_fini(&placed);
}

TEST(fbx_curve_is_placed_with_all_its_values)
{
    static const char KINDS[] = "CKMRA";
    static const double RANGES[][2] = {{0, 60},     {10, 50},  {-200, 400}, {80, 260},
                                       {-340, -80}, {60, 120}, {-120, 0},   {13, 13}};
    for (int i = 0; i < 4 * 4 * 5 * 4; i++) {
        struct three own;
        const struct fbx_extension extension = {.kind = (enum fbx_extrapolation)KINDS[i / 16 % 5], .count = i / 80 - 1};
        const struct fbx_curve *curve =
            three(&own, (enum fbx_interpolation)(i % 4), (enum fbx_interpolation)(i / 4 % 4), extension, extension);
        own.keys[1].left.weight = own.keys[1].right.weight = 0.7;
        for (int k = 0; k < 3; k++) /* keys at 0, 20 and 60 times 100,000 ticks */
            own.keys[k].time *= 200000;
        own.curve.units_per_s = 1e8;
        for (size_t r = 0; r < sizeof RANGES / sizeof *RANGES; r++)
            check_placed(curve, 1e5 * RANGES[r][0], 1e5 * RANGES[r][1]);
    }
}

TEST(fbx_curve_placed_keeps_jumps_where_they_are)
{
    struct three own;
    const struct fbx_extension repeat = {.kind = FBX_EXTEND_REPEAT, .count = -1};
    const struct fbx_curve *curve = three(&own, FBX_KEY_LINEAR, FBX_KEY_LINEAR, repeat, repeat);
    const struct fbx_range range = {.start = -30, .stop = 90, .ticks_per_s = 10};
    struct fbx_curve placed;
    struct err err;
    assert_int_equal(fbx_curve_place(&placed, curve, &range, 100, &err), 0);
    CHECK_NEAR(fbx_curve_at(&placed, nextafter(3, 0)), 5, 1e-12); /* the first key, 3 s into the clip, is itself */
    CHECK_NEAR(fbx_curve_at(&placed, 3), 1, 0);
    CHECK_NEAR(fbx_curve_at(&placed, 6), 5, 0);       /* and so is the last */
    CHECK_NEAR(fbx_curve_at(&placed, 6.1), 1, 1e-12); /* a tick later it is not */
    CHECK_NEAR(fbx_curve_at(&placed, nextafter(9, 0)), 5, 1e-12);
    CHECK_NEAR(fbx_curve_at(&placed, 9), 1, 0);
    fbx_curve_fini(&placed);
}

/* The seconds of the file minus the seconds at which the take begins are rounded twice, and are often less than the
 * seconds of the ticks. A key that jumps has begun at them nevertheless. */
TEST(fbx_curve_placed_jumps_at_the_seconds_of_the_file)
{
    const double ticks_per_s = 46186158000.0, frame = ticks_per_s / 24;
    struct fbx_key keys[200] = {{0}};
    for (int k = 0; k < 200; k++)
        keys[k] = (struct fbx_key){.time = frame * (k + 1), .value = k, .interpolation = FBX_KEY_CONSTANT};
    const struct fbx_curve curve = {.keys = keys, .key_count = 200, .units_per_s = ticks_per_s};
    const struct fbx_range range = {.start = frame, .stop = frame * 200, .ticks_per_s = ticks_per_s};
    struct fbx_curve placed;
    struct err err;
    assert_int_equal(fbx_curve_place(&placed, &curve, &range, 1000, &err), 0);
    for (int k = 0; k < 200; k++) {
        const double time_s = keys[k].time / ticks_per_s - frame / ticks_per_s;
        CHECK_NEAR(fbx_curve_at(&placed, time_s), k, 0);
    }
    fbx_curve_fini(&placed);
}

TEST(fbx_curve_placed_is_limited)
{
    struct three own;
    const struct fbx_extension repeat = {.kind = FBX_EXTEND_REPEAT, .count = -1};
    const struct fbx_curve *curve = three(&own, FBX_KEY_LINEAR, FBX_KEY_LINEAR, repeat, repeat);
    const struct fbx_range range = {.start = -1e15, .stop = 1e15, .ticks_per_s = 10};
    struct fbx_curve placed;
    struct err err;
    assert_int_equal(fbx_curve_place(&placed, curve, &range, 1000, &err), ERR_MODEL_LIMIT);
    assert_null(placed.keys);
    assert_int_equal(fbx_curve_place(&placed, &(struct fbx_curve){0}, &range, 1000, &err), 0);
    assert_int_equal(placed.key_count, 0);
}

/* Times so large that two keys of a repetition are the same double: no key is ever added, and the end never comes. */
TEST(fbx_curve_placed_is_limited_where_ticks_are_lost)
{
    static const enum fbx_extrapolation KINDS[] = {FBX_EXTEND_REPEAT, FBX_EXTEND_MIRROR, FBX_EXTEND_RELATIVE};
    struct fbx_key keys[] = {{.value = 1, .interpolation = FBX_KEY_LINEAR}, {.time = 1, .value = 2}};
    const struct fbx_range range = {.start = -9e18, .stop = 9e18, .ticks_per_s = 46186158000.0};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const struct fbx_extension extension = {.kind = KINDS[i], .count = -1};
        const struct fbx_curve curve = {
            .keys = keys, .key_count = 2, .units_per_s = range.ticks_per_s, .before = extension, .after = extension};
        struct fbx_curve placed;
        struct err err;
        assert_int_equal(fbx_curve_place(&placed, &curve, &range, 50000000, &err), ERR_MODEL_LIMIT);
    }
}
