#include "tests/unit/support/check.h"

#include "import/assimp/assimp_track.h"

#include <math.h>

static const double SECONDS = 1;

TEST(track_sorts_and_keeps_the_last_of_equal_times)
{
    const struct aiVectorKey keys[] = {
        {.mTime = 2, .mValue = {3, 0, 0}}, {.mTime = 0, .mValue = {1, 0, 0}}, {.mTime = 2, .mValue = {4, 0, 0}}};
    struct track track;
    struct err err;
    assert_int_equal(track_from_vectors(&track, keys, 3, SECONDS, &err), 0);
    assert_int_equal(track.count, 2);
    CHECK_NEAR(track.times_s[0], 0, 0);
    CHECK_NEAR(track.times_s[1], 2, 0);
    CHECK_NEAR(track.values[3], 4, 0);
    track_fini(&track);
}

TEST(track_reads_negative_rates_backwards)
{
    const struct aiVectorKey keys[] = {{.mTime = 0, .mValue = {1, 0, 0}}, {.mTime = -3, .mValue = {2, 0, 0}}};
    struct track track;
    struct err err;
    assert_int_equal(track_from_vectors(&track, keys, 2, -1, &err), 0);
    CHECK_NEAR(track.times_s[1], 3, 0);
    CHECK_NEAR(track.values[3], 2, 0);
    track_fini(&track);
}

TEST(track_refuses_what_is_not_finite)
{
    const struct aiVectorKey value[] = {{.mTime = 0, .mValue = {1, NAN, 0}}};
    const struct aiVectorKey time[] = {{.mTime = (double)INFINITY, .mValue = {1, 0, 0}}};
    struct track track;
    struct err err;
    assert_int_equal(track_from_vectors(&track, value, 1, SECONDS, &err), ERR_BAD_KEYS);
    assert_int_equal(track_from_vectors(&track, time, 1, SECONDS, &err), ERR_BAD_KEYS);
    assert_null(track.times_s);
}

TEST(track_normalises_rotations)
{
    const struct aiQuatKey keys[] = {{.mTime = 0, .mValue = {.w = 2, .x = 0, .y = 0, .z = 0}},
                                     {.mTime = 1, .mValue = {.w = 0, .x = 0, .y = 0, .z = -3}}};
    struct track track;
    struct err err;
    assert_int_equal(track_from_rotations(&track, keys, 2, SECONDS, &err), 0);
    CHECK_NEAR(track.values[3], 1, 1e-15);
    CHECK_NEAR(track.values[4 + 2], -1, 1e-15);
    assert_true(track.is_rotation);
    track_fini(&track);
}
