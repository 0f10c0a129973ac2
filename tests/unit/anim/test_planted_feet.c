/* When feet are planted and how they are kept in place; and the times at which a clip is sampled. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "anim/retarget/clip_times.h"
#include "anim/retarget/planted_feet.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 61 };
static const double UP[3] = {0, 0, 1};

struct track {
    double times[COUNT];
    struct feet source[COUNT], model[COUNT];
    struct planted_feet planted;
};

/* One second each: the left ankle stands, moves 1 forward, then stands again. The right foot is in the air. The model's
 * left ankle slides by 0.1 a second while the other stands. */
static void make(struct track *track)
{
    memset(track, 0, sizeof *track);
    for (int i = 0; i < COUNT; i++) {
        const double t = i / 20.0, forward = t < 1 ? 0 : t < 2 ? t - 1 : 1;
        track->times[i] = t;
        track->source[i].places[0][FOOT_ANKLE][0] = forward;
        track->source[i].places[1][FOOT_ANKLE][2] = 0.5; /* still, but high */
        track->model[i].places[0][FOOT_ANKLE][0] = 2 * forward + (t < 1 ? 0.1 * t : t < 2 ? 0.1 : 0.1 + 0.1 * (t - 2));
    }
    planted_feet_init(&track->planted, track->times, track->source, COUNT, false, 1, UP);
}

TEST(planted_feet_stand_where_they_are_low_and_still)
{
    struct track track;
    make(&track);
    assert_int_equal(track.planted.stand_count, 2);
    for (int i = 0; i < COUNT; i++) {
        const double t = track.times[i];
        assert_int_equal(track.planted.stands[0][FOOT_ANKLE][i], t <= 1 ? 1 : t >= 2 ? 2 : 0);
        assert_int_equal(track.planted.stands[1][FOOT_ANKLE][i], 0);
        assert_int_equal(track.planted.stands[0][FOOT_BALL][i], 0);
    }
    CHECK_NEAR(planted_feet_slide(&track.planted, track.model, 2, track.source, 1), 0.05, 1e-9);
    planted_feet_fini(&track.planted);
}

TEST(planted_feet_are_held_and_let_go_without_a_jump)
{
    struct track track;
    double offsets[COUNT][FEET][3], before = 0;
    make(&track);
    planted_feet_lock(&track.planted, track.model, offsets);
    for (int i = 0; i < COUNT; i++) {
        const double t = track.times[i], place = track.model[i].places[0][FOOT_ANKLE][0] + offsets[i][0][0];
        if (t <= 1)
            CHECK_NEAR(place, 0, 1e-12);
        if (t >= 1.15 && t < 2)
            CHECK_NEAR(offsets[i][0][0], 0, 1e-12); /* it has gone back to its way */
        if (t >= 2)
            CHECK_NEAR(place, 2.1, 1e-12);
        if (i > 0)
            assert_true(place - before < 0.2 && place - before > -1e-9); /* its way has 0.1 a sample */
        CHECK_NEAR(offsets[i][1][0], 0, 0);
        before = place;
    }
    planted_feet_fini(&track.planted);
}

/* The heel lifts while the ball stands: the lock moves from the ankle to the ball. */
TEST(planted_feet_roll_over_their_balls)
{
    struct track track;
    double offsets[COUNT][FEET][3];
    memset(&track, 0, sizeof track);
    for (int i = 0; i < COUNT; i++) {
        track.times[i] = i / 20.0;
        track.source[i].places[0][FOOT_ANKLE][2] = fmax(0, track.times[i] - 1);
        track.source[i].places[1][FOOT_BALL][2] = track.source[i].places[1][FOOT_ANKLE][2] = 0.5;
        track.model[i] = track.source[i];
        track.model[i].places[0][FOOT_ANKLE][0] = track.model[i].places[0][FOOT_BALL][0] = 0.1 * track.times[i];
    }
    planted_feet_init(&track.planted, track.times, track.source, COUNT, true, 1, UP);
    planted_feet_lock(&track.planted, track.model, offsets);
    for (int i = 0; i < COUNT; i++)
        CHECK_NEAR(track.model[i].places[0][FOOT_BALL][0] + offsets[i][0][0], 0, 0.005);
    planted_feet_fini(&track.planted);
}

TEST(clip_times_have_all_keys_and_more_between)
{
    static const double KEYS[3] = {0.1, 0.35, 0.4}, STEPS[2] = {0.1, 0.2};
    static const float VALUES[9] = {0};
    struct fixture f;
    uint32_t count;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, KEYS, 3, VALUES);
    fixture_channel(&f, 0, PATH_SCALE, INTERPOLATION_STEP, 3, STEPS, 2, VALUES);
    fixture_finish(&f);
    double *times = clip_times_make(&f.model, &f.model.clips[0], 1000, &count);
    const double wanted[] = {0, 0.1, 0.2 - 1e-4, 0.2, 0.35, 0.4};
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found += found < 6 && times[i] == wanted[found];
        if (i > 0)
            assert_true(times[i] > times[i - 1] && times[i] - times[i - 1] < 1.0 / 60 + 1e-9);
    }
    assert_int_equal(found, 6);
    assert_in_range(count, 25, 32);
    free(times);
    assert_null(clip_times_make(&f.model, &f.model.clips[0], 20, &count));
    fixture_fini(&f);
}
