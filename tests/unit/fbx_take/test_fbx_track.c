#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_track.h"

#include <math.h>

static struct fbx_curve curve_of(struct fbx_key *keys, uint32_t count)
{
    return (struct fbx_curve){.keys = keys, .key_count = count, .units_per_s = 1};
}

static bool make(struct track *track, const struct fbx_component *components, uint32_t count, double stop_s)
{
    struct err err;
    bool is_exact;
    assert_int_equal(fbx_track_exact(track, components, count, stop_s, 10000, &is_exact, &err), 0);
    assert_true(is_exact || track->values == NULL);
    return is_exact;
}

TEST(fbx_track_of_constant_pieces_is_stepped)
{
    struct fbx_key a[] = {{.time = -1, .value = 1}, {.time = 1, .value = 2}, {.time = 9, .value = 3}};
    struct fbx_key b[] = {{.time = 2, .value = 5}, {.time = 3, .value = 6}};
    const struct fbx_curve curves[] = {curve_of(a, 3), curve_of(b, 2)};
    const struct fbx_component components[] = {{&curves[0], 10, 1}, {&curves[1], 1, 0}, {NULL, 1, 7}};
    struct track track;
    assert_true(make(&track, components, 3, 4));
    assert_true(track.is_step && !track.is_cubic);
    static const double TIMES[] = {0, 1, 2, 3, 4}, X[] = {11, 21, 21, 21, 21}, Y[] = {5, 5, 5, 6, 6};
    assert_int_equal(track.count, 5);
    for (int k = 0; k < 5; k++) {
        CHECK_NEAR(track.times_s[k], TIMES[k], 0);
        CHECK_NEAR(track.values[3 * k], X[k], 0);
        CHECK_NEAR(track.values[3 * k + 1], Y[k], 0);
        CHECK_NEAR(track.values[3 * k + 2], 7, 0);
    }
    track_fini(&track);
}

/* A jump among straight lines: the old value stays until the last double before it. */
TEST(fbx_track_of_linear_pieces_is_linear)
{
    struct fbx_key a[] = {{.time = 0, .value = 0, .interpolation = FBX_KEY_LINEAR},
                          {.time = 2, .value = 4, .interpolation = FBX_KEY_CONSTANT},
                          {.time = 3, .value = 9}};
    const struct fbx_curve curve = curve_of(a, 3);
    struct track track;
    assert_true(make(&track, &(struct fbx_component){&curve, 1, 0}, 1, 5));
    assert_true(!track.is_step && !track.is_cubic);
    static const double VALUES[] = {0, 4, 4, 9};
    const double times[] = {0, 2, nextafter(3, 0), 3};
    assert_int_equal(track.count, 4);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(track.times_s[k], times[k], 0);
        CHECK_NEAR(track.values[k], VALUES[k], 0);
    }
    track_fini(&track);
}

/* y = 1000 + t^3 from 0 to 2, cut in pieces by another component's key: its slopes are 3 t^2. */
TEST(fbx_track_of_cubic_pieces_is_cubic)
{
    struct fbx_key a[] = {
        {.time = 0, .value = 0, .right = {0, FBX_WEIGHT}, .interpolation = FBX_KEY_CUBIC},
        {.time = 2, .value = 8, .left = {12, FBX_WEIGHT}},
    };
    struct fbx_key b[] = {{.time = 0.5, .value = 1, .interpolation = FBX_KEY_LINEAR}, {.time = 3, .value = 6}};
    const struct fbx_curve curves[] = {curve_of(a, 2), curve_of(b, 2)};
    struct fbx_component components[] = {{&curves[0], 1, 1000}, {&curves[1], 1, 0}};
    struct track track;
    assert_true(make(&track, components, 2, 1.5));
    assert_true(track.is_cubic);
    static const double TIMES[] = {0, 0.5, 1.5};
    assert_int_equal(track.count, 3);
    for (int k = 0; k < 3; k++) {
        const double t = TIMES[k], *key = track.values + 6 * k;
        CHECK_NEAR(track.times_s[k], t, 0);
        CHECK_NEAR(key[2], 1000 + t * t * t, 1e-5);
        CHECK_NEAR(key[3], fmax(1, 2 * t), 1e-14);
        CHECK_NEAR(key[0], k > 0 ? 3 * t * t : 0, 1e-13); /* to the left and to the right */
        CHECK_NEAR(key[4], k < 2 ? 3 * t * t : 0, 1e-13);
        CHECK_NEAR(key[5], k == 1 ? 2 : 0, 1e-13);
    }
    track_fini(&track);
    components[0].constant = 0; /* then a third is not what programs have for it */
    assert_false(make(&track, components, 2, 1.5));
    components[0].constant = 1000;
    a[0].right.weight = 0.4;
    assert_false(make(&track, components, 2, 1.5));
}

TEST(fbx_track_that_stands_still_is_one_key)
{
    struct fbx_key a[] = {{.time = 0, .value = 3, .interpolation = FBX_KEY_CUBIC},
                          {.time = 1, .value = 3, .interpolation = FBX_KEY_LINEAR},
                          {.time = 2, .value = 3}};
    a[0].right.weight = a[1].left.weight = FBX_WEIGHT;
    const struct fbx_curve curve = curve_of(a, 3);
    struct track track;
    assert_true(make(&track, &(struct fbx_component){&curve, 2, 0}, 1, 5));
    assert_true(track.count == 1 && !track.is_cubic && !track.is_step);
    CHECK_NEAR(track.values[0], 6, 0);
    track_fini(&track);
    assert_true(make(&track, &(struct fbx_component){NULL, 0, 4}, 1, 5));
    assert_int_equal(track.count, 1);
    CHECK_NEAR(track.values[0], 4, 0);
    track_fini(&track);
}

TEST(fbx_track_is_limited_and_finite)
{
    struct fbx_key a[] = {{.time = 0, .value = 3, .interpolation = FBX_KEY_LINEAR}, {.time = 1, .value = 1e39}};
    const struct fbx_curve curve = curve_of(a, 2);
    const struct fbx_component component = {&curve, 1, 0};
    struct track track;
    struct err err;
    bool is_exact;
    assert_int_equal(fbx_track_exact(&track, &component, 1, 5, 1000, &is_exact, &err), ERR_BAD_KEYS);
    assert_null(track.values);
    assert_int_equal(fbx_track_exact(&track, &component, 1, 5, 10, &is_exact, &err), ERR_MODEL_LIMIT);
    assert_null(track.values);
}
