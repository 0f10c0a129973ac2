#include "anim/pose/sample.h"
#include "tests/unit/support/check.h"

/* One channel over arrays of its own; sample_channel() reads nothing else of a model. */
static void sample(enum channel_path path, enum interpolation interpolation, uint32_t component_count,
                   const double *times, uint32_t key_count, const float *values, double time_s, double *out)
{
    const struct model model = {.key_times = times, .key_values = values};
    const struct channel channel = {
        .path = path, .interpolation = interpolation, .component_count = component_count, .key_count = key_count};
    sample_channel(&model, &channel, time_s, out);
}

static const double TIMES[3] = {1, 2, 4};
static const float PLACES[9] = {1, 10, 100, 2, 20, 200, 6, 60, 600};

static double place(enum interpolation interpolation, double time_s)
{
    double out[3];
    sample(PATH_TRANSLATION, interpolation, 3, TIMES, 3, PLACES, time_s, out);
    CHECK_NEAR(out[1], 10 * out[0], 1e-9);
    CHECK_NEAR(out[2], 100 * out[0], 1e-9);
    return out[0];
}

TEST(sample_key_is_the_last_one_not_after_the_time)
{
    const double times[5] = {0, 0.5, 1, 1.5, 7};
    assert_int_equal(sample_key(times, 5, -1), 0);
    assert_int_equal(sample_key(times, 5, 0), 0);
    assert_int_equal(sample_key(times, 5, 0.4), 0);
    for (uint32_t k = 1; k < 5; k++) {
        assert_int_equal(sample_key(times, 5, times[k]), k);
        assert_int_equal(sample_key(times, 5, nextafter(times[k], 0)), k - 1);
    }
    assert_int_equal(sample_key(times, 5, 1e9), 4);
    assert_int_equal(sample_key(times, 1, 1e9), 0);
}

TEST(sample_linear)
{
    CHECK_NEAR(place(INTERPOLATION_LINEAR, 1), 1, 0);
    CHECK_NEAR(place(INTERPOLATION_LINEAR, 1.25), 1.25, 1e-12);
    CHECK_NEAR(place(INTERPOLATION_LINEAR, 2), 2, 0);
    CHECK_NEAR(place(INTERPOLATION_LINEAR, 2.5), 3, 1e-12); /* a quarter from 2 to 6 */
    CHECK_NEAR(place(INTERPOLATION_LINEAR, 4), 6, 0);
}

TEST(sample_holds_the_ends)
{
    for (int i = INTERPOLATION_LINEAR; i <= INTERPOLATION_STEP; i++) {
        CHECK_NEAR(place((enum interpolation)i, -5), 1, 0);
        CHECK_NEAR(place((enum interpolation)i, 0.999), 1, 0);
        CHECK_NEAR(place((enum interpolation)i, 99), 6, 0);
    }
}

TEST(sample_step_changes_exactly_at_the_key)
{
    CHECK_NEAR(place(INTERPOLATION_STEP, nextafter(2, 0)), 1, 0);
    CHECK_NEAR(place(INTERPOLATION_STEP, 2), 2, 0);
    CHECK_NEAR(place(INTERPOLATION_STEP, nextafter(4, 0)), 2, 0);
    CHECK_NEAR(place(INTERPOLATION_STEP, 4), 6, 0);
}

TEST(sample_compares_times_as_doubles)
{
    /* 1/24 as a float is 0.041666667908...; the decimal 0.0416666667 that people type is just below */
    const double times[2] = {0, (double)(float)(1.0 / 24)};
    const float values[2] = {7, 8};
    double out;
    sample(PATH_WEIGHTS, INTERPOLATION_STEP, 1, times, 2, values, 0.0416666667, &out);
    CHECK_NEAR(out, 7, 0);
    sample(PATH_WEIGHTS, INTERPOLATION_STEP, 1, times, 2, values, times[1], &out);
    CHECK_NEAR(out, 8, 0);
}

TEST(sample_single_key)
{
    const double times[1] = {3};
    const float cubic[3] = {100, 5, 100};
    const double asked[3] = {0, 3, 9};
    for (int i = 0; i < 3; i++) {
        double out = 0;
        sample(PATH_WEIGHTS, INTERPOLATION_LINEAR, 1, times, 1, cubic + 1, asked[i], &out);
        CHECK_NEAR(out, 5, 0);
        sample(PATH_WEIGHTS, INTERPOLATION_CUBICSPLINE, 1, times, 1, cubic, asked[i], &out);
        CHECK_NEAR(out, 5, 0);
    }
}

TEST(sample_cubic_scales_tangents_by_the_key_distance)
{
    /* keys at 1 and 3: in-tangent, value, out-tangent. Values 1 and 2, tangents 3 and -1 a second, distance 2.
     * u = 1/2: 0.5 * 1 + 0.125 * 2 * 3 + 0.5 * 2 - 0.125 * 2 * -1 = 2.5 (without the distance: 2)
     * u = 1/4: 0.84375 * 1 + 0.140625 * 6 + 0.15625 * 2 - 0.046875 * -2 = 2.09375 */
    const double times[2] = {1, 3};
    const float values[6] = {99, 1, 3, -1, 2, 99};
    double out;
    sample(PATH_WEIGHTS, INTERPOLATION_CUBICSPLINE, 1, times, 2, values, 2, &out);
    CHECK_NEAR(out, 2.5, 1e-12);
    sample(PATH_WEIGHTS, INTERPOLATION_CUBICSPLINE, 1, times, 2, values, 1.5, &out);
    CHECK_NEAR(out, 2.09375, 1e-12);
    sample(PATH_WEIGHTS, INTERPOLATION_CUBICSPLINE, 1, times, 2, values, 1, &out);
    CHECK_NEAR(out, 1, 0);
    sample(PATH_WEIGHTS, INTERPOLATION_CUBICSPLINE, 1, times, 2, values, 3, &out);
    CHECK_NEAR(out, 2, 0);
}

TEST(sample_cubic_of_several_components)
{
    /* per key: all in-tangents, all values, all out-tangents; halfway between equal tangents of 0: the mean */
    const double times[2] = {0, 1};
    const float values[12] = {0, 0, 1, 10, 0, 0, 0, 0, 3, 30, 0, 0};
    double out[2];
    sample(PATH_WEIGHTS, INTERPOLATION_CUBICSPLINE, 2, times, 2, values, 0.5, out);
    CHECK_NEAR(out[0], 2, 1e-12);
    CHECK_NEAR(out[1], 20, 1e-12);
}

TEST(sample_rotation_takes_the_short_way)
{
    /* from no turn to 90 degrees around z, stored negated: a quarter is 22.5 degrees, sin and cos of 11.25 */
    const double times[2] = {0, 1};
    const float half = 0.70710678f;
    const float values[8] = {0, 0, 0, 1, 0, 0, -half, -half};
    double out[4];
    sample(PATH_ROTATION, INTERPOLATION_LINEAR, 4, times, 2, values, 0.25, out);
    CHECK_NEAR(out[2], 0.19509032201612825, 1e-8);
    CHECK_NEAR(out[3], 0.98078528040323043, 1e-8);
}

TEST(sample_rotation_keys_are_normalised)
{
    const double times[2] = {0, 1};
    const float values[8] = {0, 0, 0, 2, 0, 0, 3, 3};
    double out[4];
    for (int i = INTERPOLATION_LINEAR; i <= INTERPOLATION_STEP; i++) {
        sample(PATH_ROTATION, (enum interpolation)i, 4, times, 2, values, 1, out);
        CHECK_NEAR(out[2], 0.70710678118654752, 1e-15);
        CHECK_NEAR(out[3], 0.70710678118654752, 1e-15);
    }
    sample(PATH_ROTATION, INTERPOLATION_LINEAR, 4, times, 2, values, 0.5, out); /* 45 degrees: keys weigh the same */
    CHECK_NEAR(out[2], 0.38268343236508977, 1e-12);
}

TEST(sample_cubic_rotation_has_no_short_way_and_is_normalised)
{
    /* u = 1/4 of no turn and of (0,0,-0.70710678,-0.70710678), tangents 0: z = 0.15625 * -0.70710678 = -0.11048543,
     * w = 0.84375 - 0.11048543 = 0.73326457, length 0.74154161: (-0.14899426, 0.98883803) */
    const double times[2] = {0, 1};
    const float half = 0.70710678f;
    const float values[24] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -half, -half, 0, 0, 0, 0};
    double out[4];
    sample(PATH_ROTATION, INTERPOLATION_CUBICSPLINE, 4, times, 2, values, 0.25, out);
    CHECK_NEAR(out[2], -0.14899426, 1e-6);
    CHECK_NEAR(out[3], 0.98883803, 1e-6);
    CHECK_NEAR(out[2] * out[2] + out[3] * out[3], 1, 1e-14);
}
