#include "../../server/anim/clip_time.h"
#include "check.h"

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
