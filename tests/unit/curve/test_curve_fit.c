#include "tests/unit/support/check.h"

#include "import/curve/curve_fit.h"

static void wave(void *user, double time_s, double *out)
{
    const double scale = *(const double *)user;
    out[0] = scale * sin(7 * time_s);
    out[1] = time_s < 1 ? 1 : 2;
}

static void check_fit(double scale)
{
    static const double TIMES[] = {0, 1, 2};
    const struct curve_fit fit = {.at = wave,
                                  .user = &scale,
                                  .times_s = TIMES,
                                  .time_count = 3,
                                  .components = 2,
                                  .bound = CURVE_FIT_BOUND,
                                  .key_limit = 10000};
    struct track track;
    struct err err;
    bool is_near;
    assert_int_equal(curve_fit(&track, &fit, &is_near, &err), 0);
    assert_true(is_near && track.is_cubic && track.count > 10 && track.count < 500);
    for (uint32_t k = 1; k < track.count; k++)
        assert_true(track.times_s[k] > track.times_s[k - 1]);
    for (int i = 0; i <= 1000; i++) { /* the Hermite form of anim/sample.h */
        const double time_s = i / 500.0;
        uint32_t k = 0;
        while (k + 2 < track.count && track.times_s[k + 1] <= time_s)
            k++;
        const double span = track.times_s[k + 1] - track.times_s[k], u = (time_s - track.times_s[k]) / span;
        const double *a = track.values + 6 * (size_t)k, *b = a + 6;
        double real[2];
        wave(&scale, time_s, real);
        for (int c = 0; c < 2; c++) {
            const double got = (2 * u * u * u - 3 * u * u + 1) * a[2 + c] +
                               span * (u * u * u - 2 * u * u + u) * a[4 + c] + (3 * u * u - 2 * u * u * u) * b[2 + c] +
                               span * (u * u * u - u * u) * b[c];
            CHECK_NEAR(got, real[c], 1.5 * CURVE_FIT_BOUND * fmax(scale, 2));
        }
    }
    track_fini(&track);
}

TEST(curve_fit_keeps_its_bound)
{
    check_fit(1);
    check_fit(1000);
}

static void upright(void *user, double time_s, double *out)
{
    (void)user;
    *out = cbrt(time_s - 0.3);
}

static void wild(void *user, double time_s, double *out)
{
    (void)user;
    *out = sin(1e9 * time_s);
}

static void infinite(void *user, double time_s, double *out)
{
    (void)user;
    *out = 1 / (time_s - 2);
}

TEST(curve_fit_ends)
{
    static const double TIMES[] = {0, 2};
    struct curve_fit fit = {
        .at = upright, .times_s = TIMES, .time_count = 2, .components = 1, .bound = CURVE_FIT_BOUND, .key_limit = 5000};
    struct track track;
    struct err err;
    bool is_near;
    assert_int_equal(curve_fit(&track, &fit, &is_near, &err), 0);
    assert_false(is_near);
    track_fini(&track);
    fit.at = wild;
    assert_int_equal(curve_fit(&track, &fit, &is_near, &err), ERR_MODEL_LIMIT);
    assert_null(track.values);
    fit.at = infinite;
    assert_int_equal(curve_fit(&track, &fit, &is_near, &err), ERR_BAD_KEYS);
}

/* A motion that leaves its straight line between two of the times that are tried. */
static void spike(void *user, double time_s, double *out)
{
    (void)user;
    *out = 3 * time_s + exp(-pow((time_s - 0.618) / 1e-3, 2));
}

static const double *extrema_of_spike(void *user, uint32_t *count)
{
    static const double EXTREMA[] = {0.3, 0.618, 1.9};
    (void)user;
    *count = 3;
    return EXTREMA;
}

TEST(curve_fit_tries_extrema)
{
    static const double TIMES[] = {0, 2};
    struct curve_fit fit = {
        .at = spike, .times_s = TIMES, .time_count = 2, .components = 1, .bound = CURVE_FIT_BOUND, .key_limit = 5000};
    struct track track;
    struct err err;
    bool is_near;
    assert_int_equal(curve_fit(&track, &fit, &is_near, &err), 0);
    assert_int_equal(track.count, 2); /* the spike is not seen */
    track_fini(&track);
    fit.extrema = extrema_of_spike;
    assert_int_equal(curve_fit(&track, &fit, &is_near, &err), 0);
    assert_true(is_near && track.is_cubic);
    double highest = 0;
    for (uint32_t k = 0; k < track.count; k++)
        highest = fmax(highest, track.values[3 * k + 1] - 3 * track.times_s[k]);
    assert_true(highest > 0.9);
    track_fini(&track);
}

/* A turn about x that gets faster by `rate` radians a second, each second. */
struct turning {
    double rate;
    uint32_t sample_count;
};

static void turning_at(void *user, double time_s, double *out)
{
    struct turning *turning = user;
    const double half = turning->rate * time_s * time_s / 4;
    turning->sample_count++;
    out[0] = sin(half);
    out[1] = out[2] = 0;
    out[3] = cos(half);
}

static double turning_sixth(void *user, double from_s, double to_s)
{
    const double span_s = to_s - from_s, rate = ((const struct turning *)user)->rate;
    const double a = rate / 2 * to_s * span_s, b = rate / 2 * span_s * span_s; /* of half the angle */
    return pow(a, 6) + 15 * pow(a, 4) * b + 45 * a * a * b * b + 15 * b * b * b;
}

/* The bound saves samples, and the track stays the same to the bit. */
TEST(curve_fit_judges_smooth_rotations_by_a_bound)
{
    static const double TIMES[] = {0, 0.01, 0.3, 0.99, 1, 1.4, 1.8, 2};
    uint32_t sample_count = 0, bounded_count = 0;
    for (double rate = 0.25; rate < 100; rate *= 1.37) {
        struct turning plain = {.rate = rate}, bounded = {.rate = rate};
        struct curve_fit fit = {.at = turning_at,
                                .user = &plain,
                                .times_s = TIMES,
                                .time_count = 8,
                                .components = 4,
                                .is_rotation = true,
                                .bound = CURVE_FIT_BOUND / 2,
                                .key_limit = 100000};
        struct track track, same;
        struct err err;
        bool is_near;
        assert_int_equal(curve_fit(&track, &fit, &is_near, &err), 0);
        fit.user = &bounded;
        fit.sixth = turning_sixth;
        assert_int_equal(curve_fit(&same, &fit, &is_near, &err), 0);
        assert_int_equal(same.count, track.count);
        assert_true(same.is_cubic == track.is_cubic && is_near);
        assert_memory_equal(same.times_s, track.times_s, track.count * sizeof *track.times_s);
        assert_memory_equal(same.values, track.values, track.count * (track.is_cubic ? 12 : 4) * sizeof *track.values);
        sample_count += plain.sample_count;
        bounded_count += bounded.sample_count;
        track_fini(&track);
        track_fini(&same);
    }
    assert_true(bounded_count < sample_count / 10 * 7);
}
