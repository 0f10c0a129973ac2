#include "anim/pose/clip_time.h"
#include "tests/unit/support/check.h"

static void check_wrap(double time_s, double duration_s, enum wrap wrap, double expected)
{
    CHECK_NEAR(clip_time_wrap(time_s, duration_s, wrap), expected, 1e-12);
}

TEST(clip_time_loop)
{
    check_wrap(0.25, 1, WRAP_LOOP, 0.25);
    check_wrap(2.5, 2, WRAP_LOOP, 0.5);
    check_wrap(-0.25, 1, WRAP_LOOP, 0.75);
    check_wrap(-3.5, 1, WRAP_LOOP, 0.5);
}

TEST(clip_time_loop_ends_before_its_duration)
{
    assert_true(clip_time_wrap(2, 2, WRAP_LOOP) == 0);
    assert_true(clip_time_wrap(-4, 2, WRAP_LOOP) == 0);
    assert_false(signbit(clip_time_wrap(-4, 2, WRAP_LOOP))); /* would print as -0 */
    /* -1e-300 + 1 rounds to 1 */
    assert_true(clip_time_wrap(-1e-300, 1, WRAP_LOOP) == 0);
    const double below = nextafter(2, 0);
    assert_true(clip_time_wrap(below, 2, WRAP_LOOP) == below);
}

TEST(clip_time_huge)
{
    const double times[] = {1e18, -1e18, 1.7e308, -1.7e308, 4503599627370497.5};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const double loop = clip_time_wrap(times[i], 0.7, WRAP_LOOP);
        const double mirror = clip_time_wrap(times[i], 0.7, WRAP_MIRROR);
        assert_true(loop >= 0 && loop < 0.7);
        assert_true(mirror >= 0 && mirror <= 0.7);
    }
}

TEST(clip_time_clamp)
{
    check_wrap(-1, 2, WRAP_CLAMP, 0);
    check_wrap(1.5, 2, WRAP_CLAMP, 1.5);
    assert_true(clip_time_wrap(2, 2, WRAP_CLAMP) == 2); /* the last pose, not the first */
    check_wrap(99, 2, WRAP_CLAMP, 2);
}

TEST(clip_time_mirror)
{
    check_wrap(0.5, 2, WRAP_MIRROR, 0.5);
    check_wrap(2, 2, WRAP_MIRROR, 2);
    check_wrap(2.5, 2, WRAP_MIRROR, 1.5);
    check_wrap(4, 2, WRAP_MIRROR, 0);
    check_wrap(6.5, 2, WRAP_MIRROR, 1.5);
    check_wrap(-0.5, 2, WRAP_MIRROR, 0.5);
    check_wrap(-2.5, 2, WRAP_MIRROR, 1.5);
}

TEST(clip_time_without_duration)
{
    for (int wrap = WRAP_LOOP; wrap <= WRAP_MIRROR; wrap++) {
        assert_true(clip_time_wrap(5, 0, (enum wrap)wrap) == 0);
        assert_true(clip_time_wrap(-5, -1, (enum wrap)wrap) == 0);
    }
}

static double in_span(double time_s, double from_s, double to_s, double speed, double phase, enum wrap wrap)
{
    const struct clip_span span = {from_s, to_s, speed, phase, wrap};
    return clip_time_in_span(&span, time_s);
}

TEST(clip_time_of_the_whole_clip_is_the_wrapped_time)
{
    const double times[] = {0, 0.3, 1.2, -0.3, 7.7, -1e300, 1e300, 5e-324};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        for (int wrap = WRAP_LOOP; wrap <= WRAP_MIRROR; wrap++)
            assert_true(in_span(times[i], 0, 1.2, 1, 0, (enum wrap)wrap) ==
                        clip_time_wrap(times[i], 1.2, (enum wrap)wrap));
}

TEST(clip_time_stays_within_the_part)
{
    const double ends[][2] = {
        {31 / 30.0, 50 / 30.0}, {0.1, 0.30000000000000004}, {1e6 / 3, 1e6 / 3 + 1e-9}, {0.7, 0.7}};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
        for (int i = -2000; i <= 2000; i++)
            for (int wrap = WRAP_LOOP; wrap <= WRAP_MIRROR; wrap++) {
                const double from = ends[e][0], to = ends[e][1];
                const double time = in_span(i * (to - from) / 7, from, to, -1.1, 0.3, (enum wrap)wrap);
                assert_true(time >= from && time <= to);
                assert_true(wrap != WRAP_LOOP || time < to || from == to);
            }
}

TEST(clip_time_clamps_to_exactly_the_end)
{
    const double from = 31 / 30.0, to = 50 / 30.0;
    assert_true(in_span(100, from, to, 1, 0, WRAP_CLAMP) == to);
    assert_true(in_span(to - from, from, to, 1, 0, WRAP_MIRROR) == to);
    assert_true(in_span(0, from, to, 1, 1, WRAP_CLAMP) == to);
    assert_true(in_span(0, from, to, 1, 1, WRAP_LOOP) == from);
    assert_true(in_span(1e308, from, to, 1e308, 0, WRAP_CLAMP) == to);
    assert_true(in_span(1e308, from, to, -1e308, 1, WRAP_CLAMP) == from);
    const double huge = in_span(1e308, from, to, 1e308, 0.5, WRAP_LOOP);
    assert_true(huge >= from && huge < to);
}

TEST(clip_time_is_never_minus_zero)
{
    for (int wrap = WRAP_LOOP; wrap <= WRAP_MIRROR; wrap++) {
        assert_false(signbit(in_span(-0.0, 0, 1, 1, 0, (enum wrap)wrap)));
        assert_false(signbit(in_span(3, 0, 1, -0.0, 0, (enum wrap)wrap)));
        assert_false(signbit(in_span(-2, 0, 1, 1, 0, (enum wrap)wrap)));
    }
}

/* A remainder made by a subtraction, or by none, is the one that fmod() makes, to the last bit. */
TEST(clip_time_loops_exactly)
{
    static const double DURATIONS[] = {1, 2, 0.1, 1.0 / 3, 23.45, 1e-300, 4.9e-324, 1e300, 0x1.fffffffffffffp+0};
    for (size_t d = 0; d < sizeof DURATIONS / sizeof *DURATIONS; d++)
        for (int i = 0; i <= 3000; i++) {
            const double near = DURATIONS[d] * (i / 1000.0);
            const double times[] = {near, nextafter(near, 0), nextafter(near, HUGE_VAL), DURATIONS[d],
                                    2 * DURATIONS[d]};
            for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
                const double found = clip_time_wrap(times[t], DURATIONS[d], WRAP_LOOP);
                const double wanted = fmod(times[t], DURATIONS[d]);
                assert_memory_equal(&found, &wanted, sizeof found);
            }
        }
    assert_false(signbit(clip_time_wrap(-0.0, 1, WRAP_LOOP)));
}
