/* Rotations along splines: the two tests of clip_turns.c, by the lengths that random splines pass. */
#include "anim/compiled/clip_turns.h"
#include "tests/unit/support/check.h"

#include <math.h>

static uint64_t draw;

static double between(double low, double high)
{
    draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(draw >> 11) / 9007199254740992.0;
}

static void set_length(double v[4], double length)
{
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += v[i] * v[i];
    for (int i = 0; i < 4; i++)
        v[i] *= length / sqrt(square);
}

/* Two ends of a spline of one second: lengths around 1, an angle up to `angle`, Bezier points up to `step` beside. */
static void make_ends(struct spline_end ends[2], double angle, double step)
{
    double aside[4];
    for (int i = 0; i < 4; i++) {
        ends[0].value[i] = between(-1, 1);
        aside[i] = between(-1, 1);
        ends[0].slope[i] = between(-1, 1);
        ends[1].slope[i] = between(-1, 1);
    }
    set_length(ends[0].value, 1);
    double along = 0;
    for (int i = 0; i < 4; i++)
        along += aside[i] * ends[0].value[i];
    for (int i = 0; i < 4; i++)
        aside[i] -= along * ends[0].value[i];
    set_length(aside, 1);
    const double turned = between(0, angle);
    for (int i = 0; i < 4; i++)
        ends[1].value[i] = cos(turned) * ends[0].value[i] + sin(turned) * aside[i];
    for (int e = 0; e < 2; e++) {
        set_length(ends[e].value, between(0.85, 1.15));
        set_length(ends[e].slope, 3 * between(0, step));
    }
}

static double shortest_of(const struct spline_end ends[2])
{
    double shortest = HUGE_VAL;
    for (int k = 0; k <= 64; k++) {
        struct spline_end here;
        spline_between(&ends[0], &ends[1], 4, k / 64.0, 1, &here);
        double square = 0;
        for (int i = 0; i < 4; i++)
            square += here.value[i] * here.value[i];
        shortest = fmin(shortest, sqrt(square));
    }
    return shortest;
}

/* Fills frames 0 to 2 of a block of `width` lanes. In frame 1, lane `bad` has the ends' second value, and before it
 * their first one; other lanes do not move. Slopes are those of the ends. */
static void fill(float *frames, uint32_t width, uint32_t frame_floats, uint32_t bad, const struct spline_end ends[2])
{
    for (uint32_t f = 0; f < 3; f++)
        for (uint32_t l = 0; l < width; l++)
            for (uint32_t i = 0; i < 4; i++) {
                const struct spline_end *end = &ends[f > 0];
                float *at = frames + (size_t)f * frame_floats + i * width + l;
                at[0] = l == bad ? (float)end->value[i] : i == 3;
                at[4 * width] = l == bad ? (float)end->slope[i] : 0;
            }
}

/* A spline that is called good is at least 0.3 long everywhere. Most of those with small turns are good. */
TEST(clip_turns_that_are_good_stay_away_from_0)
{
    int good = 0, refused = 0, short_ones = 0;
    draw = 1;
    for (int n = 0; n < 100000; n++) {
        struct spline_end ends[2];
        make_ends(ends, n % 2 == 0 ? 1.2 : 3.1, n % 4 < 2 ? 0.3 : 2);
        const double shortest = shortest_of(ends);
        const bool is_good = clip_turns_is_good(&ends[0], &ends[1], 1);
        if (is_good && !(shortest >= 0.3))
            fail_msg("spline %d is %g long at its shortest, and good", n, shortest);
        good += is_good;
        refused += !is_good;
        short_ones += shortest < 0.3;
        if (n % 4 == 0) /* 1.2 radians and 0.3: far from 0 */
            assert_true(is_good);
    }
    assert_true(good > 40000 && refused > 10000 && short_ones > 1000);
}

/* A block is as good as each of its lanes, whichever the other lanes are, and whether a spline ends in frame 1 or 2. */
TEST(clip_turns_of_blocks_are_those_of_each_lane)
{
    enum { FLOATS = 8 * LANE_WIDTH };
    static float frames[3 * FLOATS];
    const double times[3] = {0, 1, 2}, jump[3] = {0, 0, 1};
    int bad = 0;
    draw = 2;
    for (int n = 0; n < 20000; n++) {
        struct spline_end ends[2], last[2];
        const uint32_t width = n % 2 == 0 ? LANE_WIDTH : LANE_WIDTH_HALF, lane = (uint32_t)n / 2 % width;
        const struct compiled_clip clip = {.frame_count = 3, .frame_floats = FLOATS};
        make_ends(ends, n % 2 == 0 ? 1.2 : 3.1, n % 8 < 4 ? 0.3 : 2);
        for (int e = 0; e < 2; e++)
            for (int i = 0; i < 4; i++) { /* as the frames have them */
                ends[e].value[i] = (double)(float)ends[e].value[i];
                ends[e].slope[i] = (double)(float)ends[e].slope[i];
            }
        last[0] = last[1] = ends[1];
        fill(frames, width, FLOATS, lane, ends);
        const bool is_last_good = clip_turns_is_good(&last[0], &last[1], 1);
        assert_int_equal(clip_turns_are_good(&clip, times, frames, width),
                         clip_turns_is_good(&ends[0], &ends[1], 1) && is_last_good);
        assert_int_equal(clip_turns_are_good(&clip, jump, frames, width),
                         is_last_good); /* nothing lies between 0 and 1 */
        bad += !is_last_good;
    }
    assert_true(bad > 100);
    frames[0] = (float)NAN;
    const struct compiled_clip clip = {.frame_count = 3, .frame_floats = FLOATS};
    assert_false(clip_turns_are_good(&clip, times, frames, LANE_WIDTH));
}
